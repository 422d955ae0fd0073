/**
 * The facade on WebAssembly that you have compiled yourself, from the files `retry-primitives-wasm/backoff.wasm` and so
 * on: for a runtime that neither imports a `.wasm` nor compiles bytes while a module loads.
 */
export { createBackoff } from "./core/create-backoff.js";
export { createBreaker } from "./core/create-breaker.js";
export { createExtendedBreaker } from "./core/create-breaker-extended.js";
export { createBudget } from "./core/create-budget.js";
export { createClassify } from "./core/create-classify.js";
