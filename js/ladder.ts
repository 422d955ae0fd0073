/** The API of the npm package `@velkina/retry-ladder`, on the decisions of this one. */
export { fetchRetry, type FetchRetryInit } from "./ladder/fetch.js";
export { IdempotencyError, RetryExhaustedError, RetryTimeoutError, type Progress } from "./ladder/errors.js";
export { retry, type RetryContext, type RetryInfo, type RetryOptions } from "./ladder/retry.js";
export {
  backoffWindow,
  DEFAULT_RETRYABLE_ERROR_CODES,
  DEFAULT_RETRYABLE_STATUSES,
  extractStatus,
  isRetryable,
  jitteredDelay,
  parseRetryAfter,
  retryAfterFromHeaders,
  type BackoffShape,
  type FailureRules,
} from "./ladder/rules.js";
