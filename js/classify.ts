import { createClassify } from "./core/create-classify.js";
import { wasm } from "./modules/classify.js";

export { Hints } from "./core/http-options.js";
export type { HttpOutcomeOptions, ResponseLike } from "./core/http-options.js";
export type { Outcome } from "./core/types.js";

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
