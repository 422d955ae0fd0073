//! `/breaker`.
#![cfg_attr(target_family = "wasm", no_std, no_main)]

#[cfg(target_family = "wasm")]
mod exports {
    use retry_primitives::wasm::breaker::{
        Call, LedgerNumbers, NUMBERS as LENGTH, Numbers, RecoveryNumbers, StateNumbers, step,
    };
    use retry_primitives_boundary::Fixed;

    static NUMBERS: Fixed<Numbers> = Fixed::new([0.0; LENGTH]);

    #[link(wasm_import_module = "a")]
    unsafe extern "C" {
        /// Draws a random number.
        safe fn a() -> f64;
    }

    #[unsafe(export_name = "a")]
    extern "C" fn numbers() -> *mut Numbers {
        NUMBERS.address()
    }

    #[unsafe(export_name = "b")]
    extern "C" fn time(now: f64) -> f64 {
        retry_primitives::wasm::time(now)
    }

    macro_rules! export_step {
        ($($group:ident: $Group:ident { $($field:ident: $Type:ty),* })*) => {
            #[unsafe(export_name = "c")]
            extern "C" fn export_step($($($field: $Type),*),*) -> i32 {
                $(let $group = $Group { $($field),* };)*
                step(NUMBERS.get(), $($group),*, || a())
            }
        };
    }
    export_step! {
        state: StateNumbers {
            status: i32, changed_at: f64, probes: f64, successes: f64, openings: f64, open_for_ms: f64, ahead_ms: f64,
            start: f64, prev_ok: f64, prev_fail: f64, curr_ok: f64, curr_fail: f64, prev_slow: f64, curr_slow: f64
        }
        call: Call { operation: i32, now: f64, epoch: f64, duration_ms: f64 }
        recovery: RecoveryNumbers {
            open_ms: f64, growth: i32, factor: f64, max_open_ms: f64, open_jitter: f64, half_open_probes: f64,
            success_threshold: f64, half_open_ms: f64
        }
        ledger: LedgerNumbers {
            failure_threshold: f64, window_ms: f64, failure_ratio: f64, minimum_throughput: f64, slow_call_ms: f64,
            slow_ratio: f64
        }
    }
}

#[cfg(not(target_family = "wasm"))]
fn main() {}
