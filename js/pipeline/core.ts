import { instantiate } from "../core/instantiate.js";
import { wasm } from "../modules/pipeline.js";

/** What js/boundary/src/bin/pipeline.rs exports. */
interface Program {
  memory: WebAssembly.Memory;
  a(
    curve: number,
    jitter: number,
    baseMs: number,
    factor: number,
    maxDelayMs: number,
    retries: number,
    reached: number,
    generatedMs: number,
    retryAfterMs: number,
    elapsedMs: number,
    maxRetryTimeMs: number,
  ): number;
  b(): number;
  c(status: number): number;
  d(permits: number, windowMs: number, fullAt: number, now: number): number;
}

let draw: () => number;

const { a, b, c, d } = /* @__PURE__ */ instantiate<Program>(wasm, { a: () => draw() });

/** The wait before a retry, or -1; `draw` gives its random numbers. */
export const wait = (random: () => number, ...numbers: Parameters<Program["a"]>): number => {
  draw = random;
  return a(...numbers);
};
export { b as more, c as isTransientStatus, d as take };
