/** The compiled program of `/pipeline`; the build writes one module that inlines it and one that imports it. */
export declare const wasm: WebAssembly.Module;
