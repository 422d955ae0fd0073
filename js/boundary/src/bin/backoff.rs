#![cfg_attr(target_family = "wasm", no_std, no_main)]
#[cfg(target_family = "wasm")]
mod exports {
    use core::cell::UnsafeCell;
    struct Buffer(UnsafeCell<[f64; 4]>);
    unsafe impl Sync for Buffer {}
    static BUFFER: Buffer = Buffer(UnsafeCell::new([0.0; 4]));
    #[panic_handler]
    fn panic(_: &core::panic::PanicInfo<'_>) -> ! { unsafe extern "C" { safe fn panic_is_reachable() -> !; } panic_is_reachable() }
    #[unsafe(no_mangle)]
    extern "C" fn b() -> *mut f64 { BUFFER.0.get().cast() }
    #[link(wasm_import_module = "a")]
    unsafe extern "C" { safe fn r() -> f64; }
    #[unsafe(no_mangle)]
    extern "C" fn a(kind: i32, base: f64, factor: f64, max_attempts: f64, deadline_ms: f64, max_delay_ms: f64, jitter: i32,
    attempts: f64, started_at: f64, prev_delay_ms: f64, now: f64, retryable: i32, retry_after: f64) -> i32 {
        retry_primitives::wasm::backoff::next(unsafe { &mut *BUFFER.0.get() }, kind, base, factor, max_attempts, deadline_ms, max_delay_ms, jitter, attempts, started_at, prev_delay_ms, now, retryable, retry_after, || r())
    }
}
#[cfg(not(target_family = "wasm"))]
fn main() {}
