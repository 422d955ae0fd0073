#![cfg_attr(target_family = "wasm", no_std, no_main)]
#[cfg(target_family = "wasm")]
mod exports {
    use core::cell::UnsafeCell;
    struct Buffer(UnsafeCell<[f64; 16]>);
    unsafe impl Sync for Buffer {}
    static BUFFER: Buffer = Buffer(UnsafeCell::new([0.0; 16]));
    #[panic_handler]
    fn panic(_: &core::panic::PanicInfo<'_>) -> ! { unsafe extern "C" { safe fn panic_is_reachable() -> !; } panic_is_reachable() }
    #[link(wasm_import_module = "a")]
    unsafe extern "C" { safe fn r() -> f64; }
    #[unsafe(no_mangle)]
    extern "C" fn c() -> *mut f64 { BUFFER.0.get().cast() }
    macro_rules! export { ($name:ident $fn:ident ($($a:ident: $t:ty),*)) => {
        #[unsafe(no_mangle)] extern "C" fn $name($($a: $t),*) -> i32 { retry_primitives::wasm::breaker::$fn(unsafe{&mut *BUFFER.0.get()}, || r(), $($a),*) }
    } }
    export!(a step (
    op: i32, status: i32, changed_at: f64, probes: f64, successes: f64, openings: f64, open_for_ms: f64, ahead_ms: f64, 
    start: f64, prev_ok: f64, prev_fail: f64, curr_ok: f64, curr_fail: f64, prev_slow: f64, curr_slow: f64,
    now: f64, epoch: f64, duration: f64,
    open_ms: f64, growth: i32, factor: f64, max_open_ms: f64, open_jitter: f64, half_open_probes: f64, success_threshold: f64, half_open_ms: f64, 
    threshold: f64, window_ms: f64, failure_ratio: f64, minimum_throughput: f64, slow_call_ms: f64, slow_ratio: f64));
}
#[cfg(not(target_family = "wasm"))]
fn main() {}
