import { RetryExhaustedError } from "./errors.js";
import { retry, type RetryOptions } from "./retry.js";
import { DEFAULT_RETRYABLE_STATUSES, isIdempotentMethod, isRetryable, retryAfterFromHeaders } from "./rules.js";

/** What `fetch` takes, and the options of `retry`. */
export type FetchRetryInit = Omit<RequestInit, keyof RetryOptions> & RetryOptions<Response>;

const consumed = (cause?: unknown) => new TypeError("A stream that was read cannot be sent again", { cause });

/**
 * `fetch` that repeats what is worth repeating and safe to repeat. A response that stays a failure until the retries are
 * used up is returned as any other.
 */
export const fetchRetry = async (input: string | URL | Request, init: FetchRetryInit = {}): Promise<Response> => {
  const request = (input as Request).method ? (input as Request) : undefined;
  const { shouldRetry = isRetryable, shouldRetryResult, onRetry, ...rest } = init;
  const { idempotent = isIdempotentMethod(init.method ?? request?.method ?? "GET"), signal = request?.signal } = init;
  const statuses = new Set(init.retryableStatuses ?? DEFAULT_RETRYABLE_STATUSES);
  const body = init.body as Partial<ReadableStream & AsyncIterable<Uint8Array>> | null | undefined;
  const sentAgain = request && body == null;
  // The answer of the last attempt, when it counts as a failure.
  let failed: Response | undefined;
  const discard = () => failed?.body?.cancel().catch(() => {});
  try {
    return await retry(
      async ({ signal }) => {
        failed = undefined;
        if (sentAgain && request.bodyUsed) throw consumed();
        const given = sentAgain && idempotent ? request.clone() : input;
        const response = await fetch(given, { ...init, signal } as RequestInit);
        const { status, headers } = response;
        if (!statuses.has(status) && !(await shouldRetryResult?.(response))) return response;
        failed = response;
        throw Object.assign(new Error(`HTTP ${status}`), { status, headers, response });
      },
      {
        ...rest,
        getRetryAfterMs: init.getRetryAfterMs ?? (({ headers }) => retryAfterFromHeaders(headers)),
        idempotent,
        signal,
        shouldRetry: (error, rules) => failed || shouldRetry(error, rules),
        onRetry(info) {
          discard();
          if (body?.getReader || body?.[Symbol.asyncIterator]) throw consumed(info.error);
          return onRetry?.(info);
        },
      },
    );
  } catch (error) {
    if (failed && error instanceof RetryExhaustedError) return failed;
    discard();
    throw error;
  }
};
