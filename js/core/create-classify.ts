import { classifyProgram } from "./classify-program.js";
import { optionError } from "./errors.js";
import type { HttpOutcomeOptions, ResponseLike } from "./http-options.js";
import { numeric } from "./instantiate.js";
import { callable } from "./options.js";
import type { Outcome } from "./types.js";

/** `/classify` on a module that you have compiled yourself. */
export const createClassify = (module: WebAssembly.Module) => {
  const { read, isIdempotentMethod, parseRetryAfter, ask, kind } = classifyProgram(module);
  const httpOutcome = (response: ResponseLike, now: number, options?: HttpOutcomeOptions): Outcome => {
    const { method, idempotent, hints = 0 } = options ?? {};
    if (Object(response) !== response) throw optionError("response", "an object", response);
    const { status, headers } = response;
    if (headers) callable("headers.get", headers.get);
    const mayRepeat = idempotent ?? (method === undefined || isIdempotentMethod(method));
    const answer = ask(headers, numeric(status), +now, +mayRepeat, +hints);
    const retryAfterMs = answer < 0 ? -1 - answer : answer;
    return retryAfterMs < Infinity ? { retryable: answer >= 0, retryAfterMs } : { retryable: answer >= 0 };
  };
  const is =
    (kinds: number) =>
    (error: unknown): boolean =>
      (kind(error) & kinds) > 0;
  const isRetryableError = is(3);
  return {
    /** Milliseconds from `now` until the moment a `Retry-After` value names; `undefined` when it names none. */
    parseRetryAfter,
    /** The moment an HTTP-date names, in epoch milliseconds; `now` places a year of two digits. */
    parseHttpDate: (value: string, now: number): number | undefined => read(2, value, now),
    /** 408, 425, 429, and 5xx except 501 and 505. */
    isRetryableStatus: (status: number): boolean => httpOutcome({ status }, 0).retryable!,
    /** GET, HEAD, PUT, DELETE, OPTIONS, TRACE. */
    isIdempotentMethod,
    /** What a response that is not a success means: whether to repeat the request, and how soon at the earliest. */
    httpOutcome,
    /**
     * A failure of the transport, anywhere in the chain of causes. The `errors` of an `AggregateError` are not causes: that of
     * Node.js' connections has the `code` of its first, and one of `Promise.any` says nothing of a single request.
     */
    isNetworkError: is(1),
    /** A deliberate cancellation: never to be repeated. */
    isAbortError: is(4),
    /** A deadline that passed, the caller's or the transport's: usually worth repeating. */
    isTimeoutError: is(2),
    /** The conservative default: failures of the transport and timeouts are retryable, nothing else is. */
    errorOutcome: (value: unknown): Outcome => ({ retryable: isRetryableError(value) }),
  };
};
