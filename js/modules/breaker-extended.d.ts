/** The compiled program of `/breaker/extended`; the build writes one module that inlines it and one that imports it. */
export declare const wasm: WebAssembly.Module;
