//! `/backoff`.
#![cfg_attr(target_family = "wasm", no_std, no_main)]

#[cfg(target_family = "wasm")]
mod exports {
    use retry_primitives::wasm::backoff;
    use retry_primitives_boundary::Fixed;

    static NUMBERS: Fixed<backoff::Numbers> = Fixed::new([0.0; backoff::NUMBERS]);

    #[link(wasm_import_module = "a")]
    unsafe extern "C" {
        /// Draws a random number.
        safe fn a() -> f64;
        /// Asks a curve of the caller's: attempt, previous delay.
        safe fn b(attempt: f64, prev_delay_ms: f64) -> f64;
    }

    #[unsafe(export_name = "a")]
    extern "C" fn numbers() -> *mut backoff::Numbers {
        NUMBERS.address()
    }

    #[unsafe(export_name = "b")]
    extern "C" fn time(now: f64) -> f64 {
        retry_primitives::wasm::time(now)
    }

    #[unsafe(export_name = "c")]
    extern "C" fn cap(max_delay_ms: f64) -> f64 {
        backoff::cap(max_delay_ms)
    }

    #[unsafe(export_name = "d")]
    extern "C" fn next(
        curve: i32,
        base_ms: f64,
        factor: f64,
        jitter: i32,
        max_attempts: f64,
        deadline_ms: f64,
        max_delay_ms: f64,
        attempts: f64,
        started_at: f64,
        prev_delay_ms: f64,
        now: f64,
        retryable: i32,
        retry_after_ms: f64,
    ) -> f64 {
        let policy = backoff::policy(
            backoff::Shape { curve, base_ms, factor, custom: |attempt, previous| b(attempt, previous) },
            jitter,
            max_attempts,
            deadline_ms,
            max_delay_ms,
        );
        backoff::next(
            NUMBERS.get(),
            &policy,
            [attempts, started_at, prev_delay_ms],
            now,
            retryable != 0,
            retry_after_ms,
            || a(),
        )
    }
}

#[cfg(not(target_family = "wasm"))]
fn main() {}
