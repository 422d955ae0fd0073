import { createBackoff } from "./core/create-backoff.js";
import { wasm } from "./modules/backoff.js";

export { StateError } from "./core/errors.js";
export { preview } from "./core/preview.js";
export type {
  BackoffOptions,
  Decision,
  DelayFor,
  Jitter,
  Outcome,
  Policy,
  RetryState,
  StopReason,
} from "./core/types.js";

export const { exponential, decorrelatedJitter, fibonacci, linear, constant, backoff } = createBackoff(wasm);
