// retry-ladder's page, section Cancellation, and what else must hold when an operation is cut short.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RetryTimeoutError, retry } from "retry-primitives-wasm/ladder";
import { withClock } from "./support/clock.mjs";
import { script, status, thrown } from "./support/failures.mjs";

/** A signal that knows how many listeners it has. */
function watched() {
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = new Set();
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (type, listener, options) => {
    listeners.add(listener);
    return addEventListener.call(signal, type, listener, options);
  };
  signal.removeEventListener = (type, listener) => {
    listeners.delete(listener);
    return removeEventListener.call(signal, type, listener);
  };
  return { signal, listeners, abort: (reason) => controller.abort(reason) };
}

const everyKind = [{}, { maxElapsedMs: 60_000 }];

test("Cancellation: a cancel during the backoff ends it at once with the signal's reason", async () => {
  for (const more of everyKind) {
    await withClock(async (clock) => {
      const controller = new AbortController();
      const work = script(status(503));
      const onRetry = () => queueMicrotask(() => queueMicrotask(() => controller.abort()));
      const options = { idempotent: true, signal: controller.signal, baseMs: 9_000, random: () => 1, onRetry, ...more };
      const error = await thrown(retry(work, options));
      assert.equal(error.name, "AbortError");
      assert.equal(error, controller.signal.reason);
      assert.equal(work.calls, 1);
      assert.deepEqual([clock.elapsed(), clock.pending()], [0, 0]);
    });
  }
});

test("Cancellation: a cancel stops the call in flight, whether or not it listens", async () => {
  for (const more of everyKind) {
    for (const listens of [true, false]) {
      const controller = new AbortController();
      let seen;
      const hang = ({ signal }) =>
        new Promise((_, reject) => {
          seen = signal;
          if (listens) signal.addEventListener("abort", () => reject(signal.reason));
          queueMicrotask(() => controller.abort(new Error("enough")));
        });
      const error = await thrown(retry(hang, { idempotent: true, signal: controller.signal, ...more }));
      assert.equal(error.message, "enough");
      assert.ok(seen.aborted);
      assert.equal(seen.reason, error);
    }
  }
});

test("Cancellation: a signal that is aborted already, before any call", async () => {
  for (const more of everyKind) {
    const work = script("never");
    const reason = new Error("before");
    assert.equal(await thrown(retry(work, { signal: AbortSignal.abort(reason), ...more })), reason);
    assert.equal(work.calls, 0);
  }
});

test("Cancellation: a call that fails while it is being cancelled is not retried", async () => {
  const controller = new AbortController();
  const work = async () => {
    controller.abort();
    throw status(503);
  };
  const error = await thrown(retry(work, { idempotent: true, signal: controller.signal }));
  assert.equal(error.name, "AbortError");
});

test("Cancellation: a cancel, and the deadline, end it while any function of the options is waited for", async () => {
  for (const hook of ["shouldRetry", "shouldRetryResult", "getRetryAfterMs", "onRetry"]) {
    for (const deadline of [false, true]) {
      await withClock(async (clock) => {
        const controller = new AbortController();
        const reason = new Error("enough");
        const told = [];
        let finish;
        const hang = () => {
          if (!deadline) queueMicrotask(() => queueMicrotask(() => controller.abort(reason)));
          return new Promise((resolve) => (finish = resolve));
        };
        const work = script(hook === "shouldRetryResult" ? "odd" : status(503));
        const more = deadline ? { maxElapsedMs: 1_000 } : { signal: controller.signal };
        const onRetry = () => told.push("onRetry");
        const error = await thrown(retry(work, { idempotent: true, onRetry, ...more, [hook]: hang }));
        if (deadline) assert.ok(error instanceof RetryTimeoutError, hook);
        else assert.equal(error, reason, hook);
        assert.equal(clock.elapsed(), deadline ? 1_000 : 0);
        finish(true);
        for (let turn = 0; turn < 9; turn++) await null;
        assert.deepEqual([told, work.calls, clock.pending()], [[], 1, 0], hook);
      });
    }
  }
});

test("case 14: ten thousand calls with one signal leave no listener, however they end", async () => {
  await withClock(async (clock) => {
    const { signal, listeners } = watched();
    const endings = [["fine"], [status(400)], [status(503), "fine"], [status(503)]];
    const options = { idempotent: true, retries: 1, baseMs: 1, signal };
    for (let call = 0; call < 10_000; call++) {
      const more = call % 10 ? {} : { maxElapsedMs: 1_000 };
      await retry(script(...endings[call % 4]), { ...options, ...more }).catch(() => {});
      assert.equal(listeners.size, 0);
    }
    assert.equal(clock.pending(), 0);
  });
});

test("without AbortSignal.any, as in Node.js 18, the deadline and the signal both still end it", async () => {
  const { any } = AbortSignal;
  AbortSignal.any = undefined;
  try {
    await withClock(async () => {
      const { signal, listeners, abort } = watched();
      const options = { idempotent: true, maxElapsedMs: 1_000, signal };
      const hang = () => new Promise(() => {});
      assert.ok((await thrown(retry(hang, options))) instanceof RetryTimeoutError);
      assert.equal(await retry(() => 5, options), 5);
      assert.equal(listeners.size, 0);
      const reason = new Error("enough");
      queueMicrotask(() => abort(reason));
      assert.equal(await thrown(retry(hang, options)), reason);
      assert.equal(await thrown(retry(hang, options)), reason);
      assert.equal(listeners.size, 0);
    });
  } finally {
    AbortSignal.any = any;
  }
});

test("case 13: a wait and a deadline longer than a timer can be are kept in full", async () => {
  await withClock(async (clock) => {
    const month = 30 * 86_400_000;
    const options = { idempotent: true, getRetryAfterMs: () => month, maxElapsedMs: 2 * month };
    const waits = [];
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (callback, ms) => {
      waits.push(ms);
      return setTimeout(callback, ms);
    };
    const error = await thrown(retry(script(status(503)), options));
    assert.ok(error instanceof RetryTimeoutError);
    assert.deepEqual([error.attempts, clock.elapsed()], [2, month]);
    assert.ok(waits.every((ms) => ms < 2 ** 31));
    assert.equal(clock.pending(), 0);
  });
});
