/**
 * A clock that jumps to the next timer as soon as nothing else is left to do, in the place of `setTimeout` and `Date.now`
 * while `body` runs. Any runtime has what it needs.
 */
export async function withClock(body) {
  const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout, now: Date.now };
  const START = 784_111_777_000; // Sun, 06 Nov 1994 08:49:37 GMT, the date of RFC 9110's examples
  const timers = new Map();
  let now = START;
  let ids = 0;
  const pump = () => {
    const [next] = [...timers].sort(([, a], [, b]) => a.due - b.due);
    if (!next) return;
    const [id, { due, callback }] = next;
    timers.delete(id);
    now = Math.max(now, due);
    callback();
  };
  const clock = {
    /** Milliseconds since the clock was made. */
    elapsed: () => now - START,
    advance: (ms) => (now += ms),
    /** Timers that nobody cleared. */
    pending: () => timers.size,
  };
  globalThis.setTimeout = (callback, ms = 0) => {
    timers.set(++ids, { due: now + ms, callback });
    real.setTimeout.call(globalThis, pump, 0);
    return ids;
  };
  globalThis.clearTimeout = (id) => timers.delete(id);
  Date.now = () => now;
  try {
    return await body(clock);
  } finally {
    globalThis.setTimeout = real.setTimeout;
    globalThis.clearTimeout = real.clearTimeout;
    Date.now = real.now;
  }
}
