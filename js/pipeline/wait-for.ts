import { loop, promised } from "../executor/loop.js";
import { ABOVE_0, callable } from "../core/options.js";
import type { Schedule } from "./backoff.js";
import { wait } from "./core.js";
import { duration, type Duration } from "./duration.js";
import { abortable, after } from "../executor/sleep.js";
import { TimeoutRejectedError } from "./errors.js";
import type { MaybePromise } from "./strategy.js";
import { readTimeProvider, type TimeProvider } from "./time-provider.js";

export interface WaitForOptions {
  /** The wait between two questions, or a function of the 0-based attempt such as the `backoff` helpers make. Default 1 s. */
  interval?: Duration | Schedule;
  /** What no wait and no answer may pass: then a `TimeoutRejectedError` is raised, at once. Default: no end. */
  timeout?: Duration;
  /** Ends it, also while the condition is waited for. */
  signal?: AbortSignal | undefined;
  timeProvider?: TimeProvider | undefined;
}

type Falsy = false | 0 | 0n | "" | null | undefined;

/** Asks until the answer is truthy, and gives that. What the condition throws ends it. */
export const waitFor = async <T>(
  condition: (context: { readonly attemptNumber: number }) => MaybePromise<T>,
  options: WaitForOptions = {},
): Promise<Exclude<T, Falsy>> => {
  callable("condition", condition);
  const { interval, signal } = options;
  const time = readTimeProvider(options.timeProvider);
  const fixed = typeof interval === "function" ? undefined : duration(options, "interval", 0, 1_000);
  const timeout = duration(options, "timeout", ABOVE_0, Infinity);
  const startedAt = time.now();
  const ask = (number: number) =>
    abortable<T>((resolve, reject) => {
      const left = timeout - (time.now() - startedAt);
      const expire = () => reject(new TimeoutRejectedError(timeout));
      const cancel = left < Infinity ? after(left, expire, time) : undefined;
      promised(() => condition({ attemptNumber: number - 1 }))
        .finally(cancel)
        .then(resolve, reject);
      return cancel;
    }, signal);
  return loop(
    ask,
    (settled, number) => {
      if (!settled.ok || settled.value) return;
      const given = fixed ?? duration({ interval: (interval as Schedule)(number - 1) }, "interval", 0);
      const ms = wait(Math.random, 0, 0, 0, 1, Infinity, 0, 0, given, NaN, time.now() - startedAt, timeout);
      if (ms < 0) throw new TimeoutRejectedError(timeout);
      return ms;
    },
    signal,
    time,
  ) as Promise<Exclude<T, Falsy>>;
};
