/** What a wait needs of its surroundings; `globalThis` is one, and so is the clock of a test. */
export interface Timers {
  setTimeout(callback: () => void, ms: number): unknown;
  clearTimeout(timer: never): void;
}

/** What `setTimeout` counts to; more would fire at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** A wait of any length, which an abort ends at once with the signal's reason. Nothing is left on the signal. */
export const sleep = async (ms: number, signal?: AbortSignal, timers: Timers = globalThis as never): Promise<void> => {
  for (let left = ms; left >= 0; left -= LONGEST_TIMER) {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const abort = () => {
        timers.clearTimeout(timer as never);
        reject(signal!.reason);
      };
      const timer = timers.setTimeout(
        () => {
          signal?.removeEventListener("abort", abort);
          resolve();
        },
        Math.min(left, LONGEST_TIMER),
      );
      signal?.addEventListener("abort", abort, { once: true });
    });
  }
};
