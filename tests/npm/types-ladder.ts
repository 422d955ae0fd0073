// Compiled, never run: what the types of a user of retry-ladder see after the import was changed.
import {
  DEFAULT_RETRYABLE_ERROR_CODES,
  DEFAULT_RETRYABLE_STATUSES,
  IdempotencyError,
  RetryExhaustedError,
  RetryTimeoutError,
  backoffWindow,
  extractStatus,
  fetchRetry,
  isRetryable,
  jitteredDelay,
  parseRetryAfter,
  retry,
  retryAfterFromHeaders,
} from "retry-primitives-wasm/ladder";

export const data: Promise<{ id: number }> = retry(
  async ({ attempt, signal }) => {
    const response = await fetch(`https://api.example.com/things?attempt=${attempt.toFixed()}`, { signal });
    return (await response.json()) as { id: number };
  },
  {
    retries: 4,
    baseMs: 200,
    maxElapsedMs: 30_000,
    idempotent: true,
    retryableStatuses: new Set([...DEFAULT_RETRYABLE_STATUSES, 425]),
    retryableErrorCodes: [...DEFAULT_RETRYABLE_ERROR_CODES, "EMINE"],
    shouldRetry: (error) => isRetryable(error) || extractStatus(error) === 409,
    shouldRetryResult: ({ id }) => id === 0,
    getRetryAfterMs: (failure) => retryAfterFromHeaders(failure.headers),
    onRetry({ attempt, delayMs, error, elapsedMs, retryAfter }) {
      console.warn(
        `${attempt}: ${error.message} ${Math.round(delayMs)} ${elapsedMs} ${retryAfter ? "server" : "backoff"}`,
      );
    },
  },
);
export const plain: Promise<number> = retry(() => 5);

export const response: Promise<Response> = fetchRetry(new URL("https://api.example.com"), {
  method: "POST",
  headers: { "idempotency-key": "key" },
  body: "body",
  idempotent: true,
  retries: 3,
  signal: AbortSignal.timeout(5_000),
  shouldRetryResult: (response) => response.status === 202,
});

export function report(error: unknown): string | undefined {
  if (error instanceof IdempotencyError) return String(error.cause);
  if (error instanceof RetryExhaustedError || error instanceof RetryTimeoutError)
    return `${error.attempts.toFixed()} ${error.elapsedMs.toFixed()} ${String(error.cause)} ${error.message}`;
  return undefined;
}
export const window: number = backoffWindow(0, { baseMs: 5, factor: 2, maxDelayMs: 7 });
export const delay: number = jitteredDelay(0, { random: Math.random });
export const wait: number | undefined = parseRetryAfter("5");

// @ts-expect-error no such option
void retry(() => 5, { retry: 3 });
// @ts-expect-error not a number
void fetchRetry("https://api.example.com", { retries: "3" });
