//! `/workers`.
#![cfg_attr(target_family = "wasm", no_std, no_main)]

#[cfg(target_family = "wasm")]
mod exports {
    use retry_primitives::wasm::workers::{self, Numbers, ReplicaStep};
    use retry_primitives_boundary::Fixed;

    static NUMBERS: Fixed<Numbers> = Fixed::new(Numbers::EMPTY);

    #[unsafe(export_name = "a")]
    extern "C" fn numbers() -> *mut Numbers {
        NUMBERS.address()
    }

    #[unsafe(export_name = "b")]
    extern "C" fn operation(step: i32) -> i32 {
        workers::operation(NUMBERS.get(), step)
    }

    #[unsafe(export_name = "c")]
    extern "C" fn record() -> i32 {
        workers::record(NUMBERS.get())
    }

    #[unsafe(export_name = "d")]
    extern "C" fn replica(step: i32, open_ms: f64, is_rolling: i32) -> i32 {
        workers::replica(NUMBERS.get(), ReplicaStep { step, open_ms, is_rolling: is_rolling != 0 })
    }

    #[unsafe(export_name = "e")]
    extern "C" fn platform(what: i32, one: f64, two: f64, three: f64) -> f64 {
        workers::platform(what, one, two, three)
    }
}

#[cfg(not(target_family = "wasm"))]
fn main() {}
