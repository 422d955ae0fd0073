//! `/backoff`.
#![cfg_attr(target_family = "wasm", no_std, no_main)]

#[cfg(target_family = "wasm")]
mod exports {
    use retry_primitives::wasm::backoff;
    use retry_primitives_boundary::{Area, Fixed};

    static AREA: Fixed<Area<backoff::Numbers, backoff::Options>> =
        Fixed::new(Area { results: [0.0; 2], options: [0.0; 7] });

    #[link(wasm_import_module = "a")]
    unsafe extern "C" {
        /// Draws a random number.
        safe fn a() -> f64;
        /// Asks a curve of the caller's: attempt, previous delay.
        safe fn b(attempt: f64, prev_delay_ms: f64) -> f64;
    }

    #[unsafe(export_name = "area")]
    extern "C" fn area() -> *mut Area<backoff::Numbers, backoff::Options> {
        AREA.address()
    }

    #[unsafe(export_name = "a")]
    extern "C" fn time(now: f64) -> f64 {
        retry_primitives::wasm::time(now)
    }

    #[unsafe(export_name = "b")]
    extern "C" fn next(
        attempts: f64,
        started_at: f64,
        prev_delay_ms: f64,
        now: f64,
        retryable: i32,
        retry_after_ms: f64,
    ) -> f64 {
        let policy = backoff::policy(AREA.get().options, |attempt, previous| b(attempt, previous));
        let state = [attempts, started_at, prev_delay_ms];
        let write = |results| AREA.get().results = results;
        backoff::next(&policy, state, now, retryable != 0, retry_after_ms, || a(), write)
    }
}

#[cfg(not(target_family = "wasm"))]
fn main() {}
