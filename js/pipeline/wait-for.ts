import { loop } from "../executor/loop.js";
import { ABOVE_0, callable } from "../core/options.js";
import type { Schedule } from "./backoff.js";
import { wait } from "./core.js";
import { duration, type Duration } from "./duration.js";
import { TimeoutRejectedError } from "./errors.js";
import type { MaybePromise } from "./strategy.js";
import { systemTime, type TimeProvider } from "./time-provider.js";

export interface WaitForOptions {
  /** The wait between two questions, or a function of the 0-based attempt such as the `backoff` helpers make. Default 1 s. */
  interval?: Duration | Schedule;
  /** What no wait may pass: then a `TimeoutRejectedError` is raised, at once. Default: no end. */
  timeout?: Duration;
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
  const { interval, signal, timeProvider: time = systemTime } = options;
  const fixed = typeof interval === "function" ? undefined : duration(options, "interval", 0, 1_000);
  const timeout = duration(options, "timeout", ABOVE_0, Infinity);
  const startedAt = time.now();
  return loop(
    (number) => condition({ attemptNumber: number - 1 }),
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
