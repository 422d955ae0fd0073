/** What a wait needs of its surroundings; `globalThis` is one, and so is the clock of a test. */
export interface Timers {
  setTimeout(callback: () => void, ms: number): unknown;
  clearTimeout(timer: never): void;
}

/** What `setTimeout` counts to; more would fire at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** Calls back after a time of any length, unless the function that it answers with is called before. */
export const after = (ms: number, callback: () => void, timers: Timers = globalThis as never): (() => void) => {
  let timer: unknown;
  const wait = (left: number) => {
    const next = left > LONGEST_TIMER ? () => wait(left - LONGEST_TIMER) : callback;
    timer = timers.setTimeout(next, Math.min(left, LONGEST_TIMER));
  };
  wait(ms);
  return () => timers.clearTimeout(timer as never);
};

/** What is asked of a signal. */
export type Abortable = Pick<
  AbortSignal,
  "aborted" | "reason" | "throwIfAborted" | "addEventListener" | "removeEventListener"
>;

/**
 * What `start` settles, unless an abort comes first: that rejects at once with the signal's reason, and calls the function
 * that `start` answered with. Nothing is left on the signal.
 */
export const abortable = <T>(
  start: (resolve: (value: T) => void, reject: (error: unknown) => void) => (() => void) | void,
  signal: Abortable | undefined,
): Promise<T> =>
  new Promise((resolve, reject) => {
    let cancel: (() => void) | void;
    const abort = () => {
      cancel?.();
      reject(signal!.reason);
    };
    const ending =
      <V>(end: (value: V) => void) =>
      (value: V) => {
        signal?.removeEventListener("abort", abort);
        end(value);
      };
    signal?.throwIfAborted();
    signal?.addEventListener("abort", abort, { once: true });
    cancel = start(ending(resolve), ending(reject));
  });

/**
 * What a promise settles to, unless an abort comes first: that rejects at once with the signal's reason. What comes of the
 * promise afterwards is heard, and dropped.
 */
export const unlessAborted = <T>(value: T | PromiseLike<T>, signal: Abortable | undefined): T | PromiseLike<T> => {
  if (!signal) return value;
  const heard = Promise.resolve(value);
  heard.catch(() => {});
  return abortable((resolve, reject) => void heard.then(resolve, reject), signal);
};

/** A wait of any length, which an abort ends at once with the signal's reason. */
export const sleep = (ms: number, signal?: Abortable, timers?: Timers): Promise<void> =>
  abortable((resolve) => after(ms, resolve as () => void, timers), signal);
