//! `/classify`.
#![cfg_attr(target_family = "wasm", no_std, no_main)]

#[cfg(target_family = "wasm")]
mod exports {
    use core::iter::from_fn;

    use retry_primitives::wasm::classify;
    use retry_primitives_boundary::Fixed;

    const LENGTH: usize = 48 << 10;

    static TEXT: Fixed<[u8; LENGTH]> = Fixed::new([0; LENGTH]);
    static RETRY_AFTER: Fixed<f64> = Fixed::new(0.0);

    #[link(wasm_import_module = "a")]
    unsafe extern "C" {
        /// Writes the header of this name to the buffer: its length, or a negative number.
        safe fn a(name: *const u8, length: usize) -> i32;
        /// Writes what is known of the next error in the chain: its length, or a negative number at the end.
        safe fn b() -> i32;
    }

    #[inline(always)]
    fn text(length: usize) -> &'static str {
        // SAFETY: JavaScript wrote so many bytes with `TextEncoder.encodeInto`, which writes whole characters of UTF-8.
        unsafe { core::str::from_utf8_unchecked(TEXT.get().get_unchecked(..length)) }
    }

    fn answered(length: i32) -> Option<&'static str> {
        if length < 0 { None } else { Some(text(length as usize)) }
    }

    #[unsafe(export_name = "a")]
    extern "C" fn buffer() -> *mut [u8; LENGTH] {
        TEXT.address()
    }

    #[unsafe(export_name = "b")]
    extern "C" fn retry_after(length: usize, now: f64) -> f64 {
        classify::retry_after(text(length), now)
    }

    #[unsafe(export_name = "c")]
    extern "C" fn http_date(length: usize, now: f64) -> f64 {
        classify::http_date(text(length), now)
    }

    #[unsafe(export_name = "d")]
    extern "C" fn retryable_status(status: f64) -> i32 {
        i32::from(classify::retryable_status(status))
    }

    #[unsafe(export_name = "e")]
    extern "C" fn idempotent_method(length: usize) -> i32 {
        i32::from(classify::idempotent_method(text(length)))
    }

    #[unsafe(export_name = "f")]
    extern "C" fn response(status: f64, now: f64, idempotent: i32, hints: i32) -> i32 {
        let header = |name: &str| answered(a(name.as_ptr(), name.len()));
        let (retryable, retry_after_ms) = classify::response(status, header, now, idempotent, hints);
        *RETRY_AFTER.get() = retry_after_ms;
        i32::from(retryable)
    }

    #[unsafe(export_name = "g")]
    extern "C" fn retry_after_of_response() -> f64 {
        *RETRY_AFTER.get()
    }

    #[unsafe(export_name = "h")]
    extern "C" fn error() -> i32 {
        classify::error(from_fn(|| answered(b()).map(classify::facts)))
    }

    /// Names the codes to JavaScript as if they were a header.
    #[unsafe(export_name = "i")]
    extern "C" fn retryable_codes() {
        let codes = classify::retryable_codes();
        a(codes.as_ptr(), codes.len());
    }
}

#[cfg(not(target_family = "wasm"))]
fn main() {}
