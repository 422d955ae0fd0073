import { RetryExhaustedError } from "./errors.js";
import { retry, type RetryOptions } from "./retry.js";
import { DEFAULT_RETRYABLE_STATUSES, isIdempotentMethod, isRetryable, retryAfterFromHeaders } from "./rules.js";

/** What `fetch` takes, and the options of `retry`. */
export type FetchRetryInit = Omit<RequestInit, keyof RetryOptions> & RetryOptions<Response>;

const consumed = (cause?: unknown) => new TypeError("A stream that was read cannot be sent again", { cause });

/**
 * `fetch` that repeats what is worth repeating and safe to repeat. A response that stays a failure until the retries are
 * used up is returned as any other. `init` may also be a `Request`, or another object whose enumerable properties, inherited
 * ones included, are options. `shouldRetry` is asked about what `fetch` throws; of a response, `retryableStatuses` and
 * `shouldRetryResult` decide.
 */
export const fetchRetry = async (input: string | URL | Request, options?: FetchRetryInit | null): Promise<Response> => {
  // Of an object such as a `Request` all that can be seen, which is not its own.
  const init: FetchRetryInit = {};
  for (const name in options) init[name as never] = options[name as never];
  const request = (input as Request).method ? (input as Request) : undefined;
  const {
    shouldRetry = isRetryable,
    shouldRetryResult,
    onRetry,
    idempotent = isIdempotentMethod(init.method ?? request?.method ?? "GET"),
    signal = request?.signal,
    ...rest
  } = init;
  const statuses = new Set(init.retryableStatuses ?? DEFAULT_RETRYABLE_STATUSES);
  const body = init.body as Partial<ReadableStream & AsyncIterable<Uint8Array>> | null | undefined;
  const sentAgain = request && body == null;
  // The answer of the last attempt, to be closed unless it is returned.
  let failed: Response | undefined;
  // Whether `shouldRetryResult` has yet to say so; if it throws, that is no failure of the network.
  let unclear = false;
  const discard = () => failed?.body?.cancel().catch(() => {});
  try {
    return await retry(
      async ({ signal }) => {
        failed = undefined;
        if (sentAgain && request.bodyUsed) throw consumed();
        const given = sentAgain && idempotent ? request.clone() : input;
        const response = await fetch(given, { ...init, signal } as RequestInit);
        const { status, headers } = response;
        failed = response;
        unclear = !statuses.has(status);
        if (unclear && !(await shouldRetryResult?.(response))) return response;
        unclear = false;
        throw Object.assign(new Error(`HTTP ${status}`), { status, headers, response });
      },
      {
        ...rest,
        getRetryAfterMs: init.getRetryAfterMs ?? (({ headers }) => retryAfterFromHeaders(headers)),
        idempotent,
        signal,
        shouldRetry: (error, rules) => !unclear && (failed || shouldRetry(error, rules)),
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
