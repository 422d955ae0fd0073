import { createBackoff } from "./create-backoff.js";
import { wasm } from "./modules/backoff.js";

export { StateError } from "./errors.js";
export { preview } from "./preview.js";
export type { BackoffOptions, Decision, DelayFor, Jitter, Outcome, Policy, RetryState, StopReason } from "./types.js";

export const { exponential, decorrelatedJitter, fibonacci, linear, constant, backoff } = createBackoff(wasm);
