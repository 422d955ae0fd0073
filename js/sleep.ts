/** What a wait needs of its surroundings; `globalThis` is one, and so is the clock of a test. */
export interface Timers {
  setTimeout(callback: () => void, ms: number): unknown;
  clearTimeout(timer: never): void;
}

/** What `setTimeout` counts to; more would fire at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** Calls back after a time of any length; what comes back calls that off. */
export const after = (ms: number, callback: () => void, timers: Timers = globalThis as never): (() => void) => {
  let timer: unknown;
  const arm = (left: number) => {
    const more = left > LONGEST_TIMER;
    timer = timers.setTimeout(more ? () => arm(left - LONGEST_TIMER) : callback, more ? LONGEST_TIMER : left);
  };
  arm(ms);
  return () => timers.clearTimeout(timer as never);
};

/** A wait of any length, which an abort ends at once with the signal's reason. Nothing is left on the signal. */
export const sleep = (ms: number, signal?: AbortSignal, timers?: Timers): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      cancel();
      reject(signal!.reason);
    };
    const cancel = after(
      ms,
      () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      },
      timers,
    );
    signal?.addEventListener("abort", abort, { once: true });
  });
