import { createClassify } from "./create-classify.js";
import { wasm } from "./modules/classify.js";

export { Hints } from "./create-classify.js";
export type { HttpOutcomeOptions, ResponseLike } from "./create-classify.js";
export type { Outcome } from "./types.js";

export const {
  parseRetryAfter,
  parseHttpDate,
  isRetryableStatus,
  isIdempotentMethod,
  httpOutcome,
  isNetworkError,
  isAbortError,
  isTimeoutError,
  errorOutcome,
} = createClassify(wasm);
