import { sleep, type Abortable, type Timers } from "./sleep.js";

/** How an attempt ended. */
export type Settled<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

/** The value, or the error thrown. */
export const unwrap = <T>(settled: Settled<T>): T => {
  if (settled.ok) return settled.value;
  throw settled.error;
};

/**
 * The loop of every executor: an attempt, a decision about how it ended, a wait. `decide` says how long to wait, in
 * milliseconds, or nothing when this was the last attempt; what it throws ends the loop. An abort ends it before an attempt
 * and during a wait, with the signal's reason.
 */
export const loop = async <T>(
  attempt: (number: number) => T | PromiseLike<T>,
  decide: (settled: Settled<T>, number: number) => number | void | PromiseLike<number | void>,
  signal?: Abortable,
  timers?: Timers,
): Promise<T> => {
  for (let number = 1; ; number++) {
    signal?.throwIfAborted();
    let settled: Settled<T>;
    try {
      settled = { ok: true, value: await attempt(number) };
    } catch (error) {
      settled = { ok: false, error };
    }
    let delayMs = decide(settled, number);
    if (typeof delayMs === "object") delayMs = await delayMs;
    if (delayMs === undefined) return unwrap(settled);
    await sleep(delayMs as number, signal, timers);
  }
};

/** A promise in any case: of what `start` gives, and rejected with what it throws at once, as about a wrong option. */
export const promised = <T>(start: () => T | PromiseLike<T>): Promise<T> => {
  try {
    return Promise.resolve(start());
  } catch (error) {
    return Promise.reject(error);
  }
};
