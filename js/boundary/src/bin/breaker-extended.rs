//! `/breaker/extended`.
#![cfg_attr(target_family = "wasm", no_std, no_main)]

#[cfg(target_family = "wasm")]
mod exports {
    use retry_primitives::wasm::breaker::Extended;

    #[link(wasm_import_module = "a")]
    unsafe extern "C" {
        /// Draws a random number.
        safe fn a() -> f64;
    }

    retry_primitives_boundary::export_breaker!(Extended::ZERO => Extended, random: || a(), area: "b");

    /// Joins the state in the results with the one behind the options.
    #[unsafe(export_name = "c")]
    extern "C" fn merge() {
        let area = AREA.get();
        breaker::merge(&mut area.results, &area.options);
    }
}

#[cfg(not(target_family = "wasm"))]
fn main() {}
