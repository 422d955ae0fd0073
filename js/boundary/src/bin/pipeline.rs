//! `/pipeline`.
#![cfg_attr(target_family = "wasm", no_std, no_main)]

#[cfg(target_family = "wasm")]
mod exports {
    use retry_primitives::wasm::pipeline::{self, Backoff, Retry};
    use retry_primitives_boundary::Fixed;

    /// What else the last call had to say.
    static MORE: Fixed<f64> = Fixed::new(0.0);

    #[link(wasm_import_module = "a")]
    unsafe extern "C" {
        /// Draws a random number.
        safe fn a() -> f64;
    }

    #[unsafe(export_name = "a")]
    extern "C" fn wait(
        curve: i32,
        jitter: i32,
        base_ms: f64,
        factor: f64,
        max_delay_ms: f64,
        retries: f64,
        reached: f64,
        generated_ms: f64,
        retry_after_ms: f64,
        elapsed_ms: f64,
        max_retry_time_ms: f64,
    ) -> f64 {
        let (delay_ms, reached) = pipeline::wait(
            Backoff { curve, jitter, base_ms, factor, max_delay_ms },
            Retry { retries, reached, generated_ms, retry_after_ms, elapsed_ms, max_retry_time_ms },
            || a(),
        );
        *MORE.get() = reached;
        delay_ms
    }

    /// What the growth of Polly's curve reached in the last call of `wait`, or when the bucket of `take` is full again.
    #[unsafe(export_name = "b")]
    extern "C" fn more() -> f64 {
        *MORE.get()
    }

    #[unsafe(export_name = "c")]
    extern "C" fn is_transient(status: f64) -> i32 {
        i32::from(pipeline::is_transient(status))
    }

    #[unsafe(export_name = "d")]
    extern "C" fn take(permits: f64, window_ms: f64, full_at: f64, now: f64) -> f64 {
        let (wait_ms, full_at) = pipeline::take(permits, window_ms, full_at, now);
        *MORE.get() = full_at;
        wait_ms
    }
}

#[cfg(not(target_family = "wasm"))]
fn main() {}
