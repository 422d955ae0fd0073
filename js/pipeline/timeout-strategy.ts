import { promised } from "../executor/loop.js";
import { ABOVE_0, callable } from "../core/options.js";
import { after } from "../executor/sleep.js";
import { abortableContext, type ResilienceContext } from "./context.js";
import { duration, type Duration } from "./duration.js";
import { TimeoutRejectedError } from "./errors.js";
import { readOptions } from "./read-options.js";
import type { Hook, MaybePromise, Strategy } from "./strategy.js";

export interface OnTimeoutArguments {
  readonly context: ResilienceContext;
  /** In milliseconds. */
  readonly timeout: number;
}

export interface TimeoutStrategyOptions {
  /** How long what is further in may take: above 0. Default 30 s. */
  timeout?: Duration;
  /** A time of its own for each execution, in place of `timeout`. */
  timeoutGenerator?: (given: { readonly context: ResilienceContext }) => MaybePromise<Duration>;
  /** When the signal has been aborted. The error does not wait for it; what it throws is told to `onTelemetry`. */
  onTimeout?: Hook<OnTimeoutArguments>;
}

/** Raises a `TimeoutRejectedError` when time is up, and aborts the signal of what is further in with it. */
export const timeoutStrategy =
  (given: Duration | TimeoutStrategyOptions = {}): Strategy<TimeoutRejectedError> =>
  (time) => {
    const options: TimeoutStrategyOptions =
      Object(given) === given ? readOptions(given as TimeoutStrategyOptions) : { timeout: given as Duration };
    const fixed = duration(options, "timeout", ABOVE_0, 30_000);
    const { timeoutGenerator, onTimeout } = options;
    if (timeoutGenerator !== undefined) callable("timeoutGenerator", timeoutGenerator);
    if (onTimeout !== undefined) callable("onTimeout", onTimeout);

    return async (next, outer) => {
      const timeout = timeoutGenerator
        ? duration({ timeout: await outer.within(timeoutGenerator({ context: outer })) }, "timeout", ABOVE_0)
        : fixed;
      const { context, abort, release } = abortableContext(outer);
      return new Promise((resolve, reject) => {
        let expired = false;
        const cancel = after(
          timeout,
          () => {
            expired = true;
            release();
            const error = new TimeoutRejectedError(timeout);
            abort(error);
            promised(() => onTimeout?.({ context, timeout })).catch((failure) => outer.hookFailed(failure));
            reject(error);
          },
          time,
        );
        promised(() => next(context)).then(
          (value) => {
            if (expired) {
              void context.discard(value);
              return;
            }
            cancel();
            release(true);
            resolve(value);
          },
          (error) => {
            if (expired) return;
            cancel();
            release();
            reject(error);
          },
        );
      });
    };
  };
