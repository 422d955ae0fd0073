import { classifyProgram, defined } from "./classify-program.js";
import type { HttpOutcomeOptions, ResponseLike } from "./http-options.js";
import { numeric } from "./instantiate.js";
import type { Outcome } from "./types.js";

/** `/classify` on a module that you have compiled yourself. */
export const createClassify = (module: WebAssembly.Module) => {
  const { program, put, show, kind, parseRetryAfter, isIdempotentMethod } = classifyProgram(module);
  return {
    /** Milliseconds from `now` until the moment a `Retry-After` value names; `undefined` when it names none. */
    parseRetryAfter,
    /** The moment an HTTP-date names, in epoch milliseconds; `now` places a year of two digits. */
    parseHttpDate: (value: string, now: number): number | undefined => {
      const length = put(value);
      return length < 0 ? undefined : defined(program.c(length, now));
    },
    /** 408, 425, 429, and 5xx except 501 and 505. */
    isRetryableStatus: (status: number): boolean => program.d(numeric(status)) > 0,
    /** GET, HEAD, PUT, DELETE, OPTIONS, TRACE. */
    isIdempotentMethod,
    /** What a response that is not a success means: whether to repeat the request, and how soon at the earliest. */
    httpOutcome: (
      response: ResponseLike,
      now: number,
      { method, idempotent, hints = 0 }: HttpOutcomeOptions = {},
    ): Outcome => {
      show(response.headers);
      const safe = idempotent ?? (method === undefined ? undefined : isIdempotentMethod(method));
      const retryable = program.f(numeric(response.status), now, safe === undefined ? -1 : +safe, hints) > 0;
      const retryAfterMs = defined(program.g());
      return retryAfterMs === undefined ? { retryable } : { retryable, retryAfterMs };
    },
    /** A failure of the transport, anywhere in the chain of causes. */
    isNetworkError: (value: unknown): boolean => (kind(value) & 1) > 0,
    /** A deliberate cancellation: never to be repeated. */
    isAbortError: (value: unknown): boolean => kind(value) > 3,
    /** A deadline that passed, the caller's or the transport's: usually worth repeating. */
    isTimeoutError: (value: unknown): boolean => (kind(value) & 2) > 0,
    /** The conservative default: failures of the transport and timeouts are retryable, nothing else is. */
    errorOutcome: (value: unknown): Outcome => ({ retryable: (kind(value) & 3) > 0 }),
  };
};
