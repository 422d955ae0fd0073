//! `/budget`.
#![cfg_attr(target_family = "wasm", no_std, no_main)]

#[cfg(target_family = "wasm")]
mod exports {
    use retry_primitives::wasm::budget::{self, Numbers, Step};
    use retry_primitives_boundary::Fixed;

    static NUMBERS: Fixed<Numbers> = Fixed::new(Numbers::EMPTY);

    #[unsafe(export_name = "a")]
    extern "C" fn numbers() -> *mut Numbers {
        NUMBERS.address()
    }

    #[unsafe(export_name = "b")]
    extern "C" fn step(
        operation: i32,
        now: f64,
        failure: i32,
        drawn: i32,
        random: f64,
        budget: i32,
        one: f64,
        two: f64,
        three: f64,
        four: f64,
        five: f64,
    ) -> i32 {
        let step = Step { budget, options: [one, two, three, four, five], operation, now, failure };
        budget::step(NUMBERS.get(), step, if drawn != 0 { Some(random) } else { None })
    }
}

#[cfg(not(target_family = "wasm"))]
fn main() {}
