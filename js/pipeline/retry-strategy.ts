import { numeric } from "../core/instantiate.js";
import { loop, type Settled } from "../executor/loop.js";
import { optionError } from "../core/errors.js";
import { ABOVE_0, callable, number } from "../core/options.js";
import { sleep } from "../executor/sleep.js";
import { readBackoff, type BackoffFormula } from "./backoff-options.js";
import { more, wait } from "./core.js";
import { duration, type Duration } from "./duration.js";
import { property } from "../core/causes.js";
import { isOpenCircuit, isRejection } from "./errors.js";
import { predicate } from "./predicate.js";
import { isTransient } from "./transient.js";
import { readOptions } from "./read-options.js";
import type { Hook, HookArguments, MaybePromise, Predicate, ShouldHandle, Strategy, Layer } from "./strategy.js";

/** What `addRetry({ budget })` asks; a `RetryBudget` is one. */
export interface RetryLimit {
  /** An execution begins. */
  request(): void;
  /** Whether a retry may be made; if so it counts as made. */
  retry(): boolean;
}

export interface OnRetryArguments<T = any> extends HookArguments<T> {
  /** How long will be waited, in milliseconds. */
  readonly delay: number;
}

export interface RetryStrategyOptions<T = any> extends BackoffFormula {
  /** Which outcomes are retried. Default: errors, but for 4xx without 408 and 429, aborts and rejections. */
  shouldHandle?: ShouldHandle<T>;
  /** Retries after the original call: a whole number from 0, or `Infinity`. Default 3. */
  maxRetryAttempts?: number;
  /** How long to wait before the original call. Default 0. */
  initialDelay?: Duration;
  /**
   * The wait, in place of the formula; `undefined` or a negative one leaves it to the formula. `maxDelay` does not cap it.
   * What is no duration, NaN too, ends the retry with a RangeError or TypeError.
   */
  delayGenerator?: (given: HookArguments<T>) => MaybePromise<Duration | undefined>;
  /** Waits at least as many milliseconds as an error's `retryAfter` says, capped by `maxDelay`. Default `true`. */
  respectRetryAfter?: boolean;
  /** What no wait may pass, from the original call on. Default: no end. */
  maxRetryTime?: Duration;
  /** A limit on retries that many pipelines share. */
  budget?: RetryLimit;
  /** `false`: this failure uses up none of `maxRetryAttempts`, and the formula's wait does not grow. */
  shouldConsumeRetry?: Predicate<T>;
  /** After each attempt that failed and is handled. */
  onFailedAttempt?: Hook<HookArguments<T>>;
  /** Before the wait. */
  onRetry?: Hook<OnRetryArguments<T>>;
  /** No retry is left, or no time. */
  onRetryExhausted?: Hook<HookArguments<T>>;
  /** The budget refused. */
  onBudgetExhausted?: Hook<HookArguments<T>>;
}

const FUNCTIONS = [
  "delayGenerator",
  "shouldConsumeRetry",
  "onFailedAttempt",
  "onRetry",
  "onRetryExhausted",
  "onBudgetExhausted",
] as const;

/** What a generator gave, in milliseconds; NaN and negatives leave the wait to the formula. */
const generated = (delay: Duration | undefined): number =>
  delay === undefined ? NaN : duration({ delay }, "delay", -Infinity);

/**
 * Calls again, after a wait of whole milliseconds, what failed with a transient error. A result that `shouldHandle` retries is
 * dropped as it is: the body of a `Response` is `onRetry`'s to cancel. What a hook throws ends the retry and is thrown.
 */
export const retryStrategy =
  <T = any>(given: RetryStrategyOptions<T> = {}): Strategy =>
  (time) => {
    const options = readOptions(given);
    const retries = number(options, "maxRetryAttempts", 0, Infinity, 3, "whole ");
    const initialDelay = duration(options, "initialDelay", 0, 0);
    const maxRetryTime = duration(options, "maxRetryTime", ABOVE_0, Infinity);
    const formula = readBackoff(options);
    const shouldHandle = predicate(options, isTransient);
    for (const name of FUNCTIONS) if (options[name] !== undefined) callable(name, options[name]);
    const { budget, respectRetryAfter = true, delayGenerator, shouldConsumeRetry } = options;
    if (typeof respectRetryAfter !== "boolean") {
      throw optionError("respectRetryAfter", "true or false", respectRetryAfter);
    }
    if (budget !== undefined) {
      callable("budget.request", Object(budget).request);
      callable("budget.retry", Object(budget).retry);
    }

    const begin: Layer = (next, context) => {
      const { execution, source } = context;
      budget?.request();
      const startedAt = maxRetryTime < Infinity ? time.now() : 0;
      let attempt = context;
      let calls = 0;
      let consumed = 0;
      let reached = 0;

      const failed = async (outcome: Settled<T>): Promise<number | void> => {
        const thrown = outcome.ok ? undefined : outcome.error;
        const error = execution.original(thrown);
        if (error !== thrown) throw error;
        // Also after a strategy further in has unwrapped it.
        if (!outcome.ok && execution.isFatal(error)) return;
        if (isOpenCircuit(error) || source?.aborted) return;
        if (!execution.idempotent && !(isRejection(error) && calls === execution.calls)) return;
        const told = { outcome, context: attempt, attemptNumber: attempt.attemptNumber };
        if (!(await shouldHandle(told))) return;
        await options.onFailedAttempt?.(told);
        const consumes = !shouldConsumeRetry || (await shouldConsumeRetry(told));
        if (consumes && consumed >= retries) {
          await options.onRetryExhausted?.(told);
          return;
        }
        const delay = wait(
          ...formula,
          consumed,
          reached,
          delayGenerator ? generated(await delayGenerator(told)) : NaN,
          respectRetryAfter ? numeric(property(error, "retryAfter")) : NaN,
          time.now() - startedAt,
          maxRetryTime,
        );
        if (delay < 0) {
          await options.onRetryExhausted?.(told);
          return;
        }
        if (budget && !budget.retry()) {
          execution.report({ name: "OnRetryBudgetExhausted", context: attempt });
          await options.onBudgetExhausted?.(told);
          return;
        }
        if (consumes) {
          consumed++;
          reached = more();
        }
        if (outcome.ok) await context.discard(outcome.value);
        await options.onRetry?.({ ...told, delay });
        // The hooks have taken time.
        if (maxRetryTime === Infinity) return delay;
        const elapsed = time.now() - startedAt;
        if (wait(...formula, consumed, reached, delay, NaN, elapsed, maxRetryTime) >= 0) return delay;
        await options.onRetryExhausted?.(told);
      };

      return loop(
        (number) => {
          if (number > 1) attempt = context.next();
          ({ calls } = execution);
          return next(attempt) as T;
        },
        // Nothing of a success concerns the default predicate, so it costs no promise.
        (outcome) => (outcome.ok && shouldHandle === isTransient ? undefined : failed(outcome)),
        source,
        time,
      );
    };
    const layer: Layer = initialDelay
      ? async (next, context) => {
          await sleep(initialDelay, context.source, time);
          return begin(next, context);
        }
      : begin;
    layer.givesOriginalErrors = true;
    return layer;
  };
