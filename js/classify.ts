import { createClassify } from "./create-classify.js";
import { wasm } from "./modules/classify.js";

export { Hints } from "./http-options.js";
export type { HttpOutcomeOptions, ResponseLike } from "./http-options.js";
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
