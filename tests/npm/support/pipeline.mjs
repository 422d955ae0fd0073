// What the tests of /pipeline share. Nothing here needs Node.js.
import { FakeTimeProvider, PipelineBuilder, retryStrategy } from "retry-primitives-wasm/pipeline";

/** Settles a promise while the clock runs, by default for a week: how it ended, and when. */
export const finish = async (time, promise, by = "1w") => {
  const start = time.now();
  let at;
  const settled = promise.then(
    (value) => {
      at = time.now() - start;
      return { ok: true, value };
    },
    (error) => {
      at = time.now() - start;
      return { ok: false, error };
    },
  );
  await time.advance(by);
  return { ...(await settled), at };
};

/** A callback that fails so many times and then succeeds, and when it was called. */
export const failing = (time, times, error = new Error("down"), value = "done") => {
  const calls = [];
  const call = async (context) => {
    calls.push({ at: time.now(), attemptNumber: context?.attemptNumber });
    if (calls.length <= times) throw error;
    return value;
  };
  return Object.assign(call, { calls, at: () => calls.map(({ at }) => at) });
};

/** The waits between calls. */
export const waits = (call) =>
  call
    .at()
    .slice(1)
    .map((at, index) => at - call.at()[index]);

export class HttpError extends Error {
  constructor(status, more = {}) {
    super(`HTTP ${status}`);
    this.name = "HttpError";
    this.status = status;
    Object.assign(this, more);
  }
}

/** A signal that counts its listeners. */
export const countingSignal = () => {
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = new Set();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (type, listener, options) => {
    listeners.add(listener);
    if (options?.once) add(type, () => listeners.delete(listener), options);
    add(type, listener, options);
  };
  signal.removeEventListener = (type, listener, options) => {
    listeners.delete(listener);
    remove(type, listener, options);
  };
  return { controller, signal, listeners };
};

/** A pipeline of a retry, and its clock. */
export const retrying = (options, timeProvider = new FakeTimeProvider()) => ({
  time: timeProvider,
  pipeline: new PipelineBuilder({ timeProvider }).add(retryStrategy(options)).build(),
});
/** Runs a callback, or one that fails so many times, through a retry until that ends. */
export const runRetry = async (options, work, executeOptions) => {
  const { time, pipeline: built } = retrying(options);
  const call = typeof work === "function" ? work(time) : failing(time, work);
  return { call, ...(await finish(time, built.execute(call, executeOptions))) };
};
