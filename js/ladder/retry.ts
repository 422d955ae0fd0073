import { IdempotencyError, RetryExhaustedError, RetryTimeoutError } from "./errors.js";
import { isAbort, isRetryable, ladder, type BackoffShape, type FailureRules } from "./rules.js";
import { loop, promised, type Settled } from "../executor/loop.js";
import { ABOVE_0, callable, number } from "../core/options.js";
import { after, unlessAborted } from "../executor/sleep.js";
import type { Policy, RetryState } from "../core/types.js";

/** What a call is told. */
export interface RetryContext {
  /** 1 for the first call. */
  readonly attempt: number;
  /** Aborted by the caller's signal, and at the deadline. */
  readonly signal: AbortSignal;
}

/** What is told before each wait. */
export interface RetryInfo {
  /** The call that failed, 1 for the first. */
  attempt: number;
  // What was thrown may be anything; this is what the peer's users read `.message` of.
  error: any;
  /** The wait that follows, in whole milliseconds. */
  delayMs: number;
  /** Milliseconds since the operation began. */
  elapsedMs: number;
  /** Whether the server dictated the wait. */
  retryAfter: boolean;
}

type MaybePromise<T> = T | PromiseLike<T>;

export interface RetryOptions<T = unknown> extends BackoffShape, FailureRules {
  /** Retries after the first call: a whole number from 0. Default 3. */
  retries?: number | undefined;
  /** The deadline across all calls and waits, in milliseconds from 0. Default `Infinity`. */
  maxElapsedMs?: number | undefined;
  /** Must be `true` for anything to be repeated. Default `false`; `fetchRetry` goes by the method. */
  idempotent?: boolean | undefined;
  /** Cancels the call and the wait. */
  signal?: AbortSignal | null | undefined;
  /** Decides about what was thrown, instead of `isRetryable`; not asked about an abort. */
  shouldRetry?: ((error: any, rules: FailureRules) => unknown) | undefined;
  /** Whether a returned value counts as a failure. One that is repeated is dropped as it is: `onRetry` can close it. */
  shouldRetryResult?: ((result: T) => unknown) | undefined;
  /**
   * Milliseconds that the server wants to be left alone, of a failure. They replace the backoff, which stays in place of a
   * number below 0, `NaN` and nothing. A text that begins with a number, as of a header, is read as that; other things are nothing.
   */
  getRetryAfterMs?: ((failure: any) => MaybePromise<number | string | null | undefined>) | undefined;
  /** Called, and awaited, before each wait. What it or another of these functions throws ends it. */
  onRetry?: ((info: RetryInfo) => unknown) | undefined;
}

/** The signal is asked for by few, and costs more than all the rest. */
class Context implements RetryContext {
  declare readonly attempt: number;
  declare private readonly lazy: () => AbortSignal;

  constructor(attempt: number, lazy: () => AbortSignal) {
    this.attempt = attempt;
    this.lazy = lazy;
  }

  get signal(): AbortSignal {
    return this.lazy();
  }
}

/** What both abort, and how it is let go of. */
const either = (signal: AbortSignal, deadline: AbortController): [AbortSignal, (() => void)?] => {
  // Without a listener, and for as long as somebody holds it: an abort still ends the body of a response.
  if (AbortSignal.any!) return [AbortSignal.any([signal, deadline.signal])];
  const follow = () => deadline.abort(signal.reason);
  if (signal.aborted) follow();
  signal.addEventListener("abort", follow);
  return [deadline.signal, () => signal.removeEventListener("abort", follow)];
};

/**
 * Calls `fn` until it succeeds, and gives its result. A failure that is worth repeating is repeated, after a wait; any other
 * is thrown as it is.
 */
export const retry = <T>(
  fn: (context: RetryContext) => T | PromiseLike<T>,
  options: RetryOptions<T> = {},
): Promise<T> =>
  promised(() => {
    callable("fn", fn);
    const { shouldRetry = isRetryable, shouldRetryResult, baseMs, factor, maxDelayMs, random = Math.random } = options;
    const maxElapsedMs = number(options, "maxElapsedMs", 0, Infinity, Infinity);
    const maxAttempts = number(options, "retries", 0, Infinity, 3, "whole ") + 1;
    const startedAt = Date.now();
    let attempts = 0;
    let cause: unknown;
    let retryAfter = false;
    const progress = () => ({ attempts, elapsedMs: Math.max(0, Date.now() - startedAt), cause });

    let policy: Policy | undefined;
    const prepared = () =>
      (policy ??= ladder(options, {
        maxAttempts,
        deadlineMs: maxElapsedMs || ABOVE_0,
        // The server's wait is a floor; over a draw of 0 it is the very wait.
        random: () => (retryAfter ? 0 : random()),
      }));
    let state: RetryState | undefined;
    // Making one costs more than a call that succeeds at once, and without options there is nothing to be checked.
    if ((baseMs ?? factor ?? maxDelayMs) !== undefined) prepared();

    let signal = options.signal as AbortSignal | undefined;
    let stopClock: (() => void) | undefined;
    let release: (() => void) | undefined;
    if (maxElapsedMs < Infinity) {
      const deadline = new AbortController();
      stopClock = after(maxElapsedMs, () => deadline.abort(new RetryTimeoutError(progress())));
      [signal, release] = signal ? either(signal, deadline) : [deadline.signal];
    }

    const judge = async (settled: Settled<T>) => {
      for (const name of ["shouldRetry", "shouldRetryResult", "getRetryAfterMs", "onRetry", "random"] as const) {
        if (options[name] !== undefined) callable(name, options[name]);
      }
      signal?.throwIfAborted();
      cause = settled.ok ? settled.value : settled.error;
      const again = settled.ok ? shouldRetryResult!(settled.value) : !isAbort(cause) && shouldRetry(cause, options);
      if (!(await again)) return;
      // Without retries there is nothing to refuse.
      if (options.idempotent !== true && maxAttempts > 1) throw new IdempotencyError(progress());

      const retryAfterMs = parseFloat((await options.getRetryAfterMs?.(cause)) as never);
      signal?.throwIfAborted();
      retryAfter = retryAfterMs >= 0;
      state ??= prepared().init(startedAt);
      const { decision, state: next } = prepared().next(state, Date.now(), { retryAfterMs });
      const { delayMs, reason } = decision;
      if (reason) throw new (reason === "deadline" ? RetryTimeoutError : RetryExhaustedError)(progress());
      state = next;
      const { elapsedMs } = progress();
      await options.onRetry?.({ attempt: attempts, error: cause, delayMs, elapsedMs, retryAfter });
      return delayMs;
    };

    const lazy = () => (signal ??= new AbortController().signal);
    const ended = loop<T>(
      (attempt) => {
        const context = new Context((attempts = attempt), lazy);
        return signal ? unlessAborted(fn(context), signal) : fn(context);
      },
      (settled) => (settled.ok && !shouldRetryResult ? undefined : judge(settled)),
      signal,
    );
    return stopClock
      ? ended.finally(() => {
          stopClock();
          release?.();
        })
      : ended;
  });
