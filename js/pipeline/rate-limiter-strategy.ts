import { callable, number } from "../core/options.js";
import type { ResilienceContext } from "./context.js";
import { more, take } from "./core.js";
import { duration, type Duration } from "./duration.js";
import { RateLimiterRejectedError } from "./errors.js";
import { readOptions } from "./read-options.js";
import type { Hook, Strategy } from "./strategy.js";

export interface OnRateLimitedArguments {
  readonly context: ResilienceContext;
  /** In how many milliseconds there may be a permit. */
  readonly retryAfter: number;
}

export interface RateLimiterStrategyOptions {
  /** Calls that may be made at once, and in each window after that: a whole number from 1. */
  permitLimit: number;
  /** The time in which as many permits come back, evenly; from 1 ms. Default 1 s. */
  window?: Duration;
  onRejected?: Hook<OnRateLimitedArguments>;
}

/** Refuses calls for which there is no permit, with the time after which there may be one. */
export const rateLimiterStrategy =
  (given: RateLimiterStrategyOptions): Strategy<RateLimiterRejectedError> =>
  (time) => {
    const options = readOptions(given);
    const { onRejected } = options;
    const permits = number(options, "permitLimit", 1, 2 ** 32 - 1, undefined, "whole ");
    const windowMs = duration(options, "window", 1, 1_000);
    if (onRejected !== undefined) callable("onRejected", onRejected);
    let fullAt = NaN;

    return (next, context) => {
      const retryAfter = take(permits, windowMs, fullAt, time.now());
      fullAt = more();
      if (!retryAfter) return next(context);
      const refuse = () => {
        throw new RateLimiterRejectedError(retryAfter);
      };
      return onRejected ? Promise.resolve(context.within(onRejected({ context, retryAfter }))).then(refuse) : refuse();
    };
  };
