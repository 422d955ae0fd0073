/**
 * The facade on WebAssembly that you have compiled yourself, from the files `retry-primitives-wasm/backoff.wasm` and so
 * on: for a runtime that neither imports a `.wasm` nor compiles bytes while a module loads.
 */
export { createBackoff } from "./create-backoff.js";
export { createBreaker } from "./create-breaker.js";
export { createExtendedBreaker } from "./create-breaker-extended.js";
export { createBudget } from "./create-budget.js";
export { createClassify } from "./create-classify.js";
