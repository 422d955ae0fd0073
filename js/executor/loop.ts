import { sleep, unlessAborted, type Abortable, type Timers } from "./sleep.js";

/** How an attempt ended. */
export type Settled<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

/** The value, or the error thrown. */
export const unwrap = <T>(settled: Settled<T>): T => {
  if (settled.ok) return settled.value;
  throw settled.error;
};

/**
 * The loop of every executor: an attempt, a decision about how it ended, a wait. `decide` says how long to wait, in
 * milliseconds, or nothing when this was the last attempt; what it throws ends the loop. An abort ends it before an attempt,
 * while `decide` is waited for and during a wait, with the signal's reason. `decide` goes on then, unheard: after whatever it
 * waits for it has to look at the signal, and at the clock, for what it decided before may no longer hold. After an abort
 * that came before, it is waited for: how the attempt ended is its to tell.
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
    const during = signal?.aborted ? undefined : signal;
    let delayMs = decide(settled, number);
    if (typeof delayMs === "object") delayMs = await unlessAborted(delayMs, during);
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
