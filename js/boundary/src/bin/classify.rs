//! `/classify`.
#![cfg_attr(target_family = "wasm", no_std, no_main)]

#[cfg(target_family = "wasm")]
mod exports {
    use core::iter::from_fn;

    use retry_primitives::wasm::classify;
    use retry_primitives_boundary::Fixed;

    /// Three texts of up to 16 kB each.
    const LENGTH: usize = 16 << 10;
    static TEXTS: Fixed<[u8; 3 * LENGTH]> = Fixed::new([0; 3 * LENGTH]);

    #[link(wasm_import_module = "a")]
    unsafe extern "C" {
        /// Writes a header to the first text: its length, or a negative number.
        safe fn a(field: i32) -> i32;
        /// With 0 goes on to the next error in the chain: 0 if there is none. With 1 to 3 writes its name, its code or its
        /// message, each to a text of its own: the length, or a negative number.
        safe fn b(what: i32) -> i32;
    }

    #[inline(always)]
    fn text(index: i32, length: i32) -> &'static str {
        let (start, length) = (index as usize * LENGTH, length.max(0) as usize);
        // SAFETY: JavaScript wrote so many bytes with `TextEncoder.encodeInto`, which writes whole characters of UTF-8.
        unsafe { core::str::from_utf8_unchecked(TEXTS.get().get_unchecked(start..start + length)) }
    }

    #[inline(always)]
    fn fact(what: i32) -> &'static str {
        text(what - 1, b(what))
    }

    #[unsafe(export_name = "d")]
    extern "C" fn texts() -> *mut [u8; 3 * LENGTH] {
        TEXTS.address()
    }

    #[unsafe(export_name = "a")]
    extern "C" fn read(question: i32, length: i32, now: f64) -> f64 {
        classify::read(question, text(0, length), now)
    }

    #[unsafe(export_name = "b")]
    extern "C" fn response(status: f64, now: f64, may_repeat: i32, hints: i32) -> f64 {
        classify::response(status, |field| text(0, a(field as i32)), now, may_repeat != 0, hints)
    }

    #[unsafe(export_name = "c")]
    extern "C" fn error() -> i32 {
        let next = || if b(0) == 0 { None } else { Some(classify::facts(fact(1), fact(2), fact(3))) };
        classify::error(from_fn(next))
    }

    /// Writes the codes worth repeating to the first text: their length.
    #[unsafe(export_name = "e")]
    extern "C" fn retryable_codes() -> usize {
        let codes = classify::retryable_codes();
        // SAFETY: they are shorter than a text, and no text of the program's own.
        unsafe { core::ptr::copy_nonoverlapping(codes.as_ptr(), TEXTS.address().cast(), codes.len()) };
        codes.len()
    }
}

#[cfg(not(target_family = "wasm"))]
fn main() {}
