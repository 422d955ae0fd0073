//! `/breaker`.
#![cfg_attr(target_family = "wasm", no_std, no_main)]

#[cfg(target_family = "wasm")]
mod exports {
    retry_primitives_boundary::export_breaker!([0.0; 8] => [f64; 8], random: || 0.0, area: "area");
}

#[cfg(not(target_family = "wasm"))]
fn main() {}
