/** Headers, as far as they are read. */
export interface HeadersLike {
  get(name: string): string | null;
}

/** What `httpOutcome` reads of a response: any with a status and headers, as `fetch` gives it. */
export interface ResponseLike {
  readonly status: number;
  readonly headers?: HeadersLike | undefined;
}

/** What `httpOutcome` should know of the request, and which hints it reads. */
export interface HttpOutcomeOptions {
  /** The request's method, case ignored. Without one there is no guard: the status alone decides. */
  method?: string | undefined;
  /** Whether the request may be sent twice. Default: the method decides. */
  idempotent?: boolean | undefined;
  /** What is read beside `Retry-After`: a sum of `Hints`. Default none. */
  hints?: number | undefined;
}

/** Names of one bit each, as `Hints` in the Rust crate, where they are explained. Combine them with `|`. */
export const Hints = {
  retryAfterMs: 1,
  xMsRetryAfterMs: 2,
  rateLimitReset: 4,
  xRateLimitReset: 8,
  xShouldRetry: 16,
  all: 31,
} as const;
