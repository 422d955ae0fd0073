import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { mock, test } from "node:test";
import { CircuitOpenError, isCircuitOpenError, protect, retry } from "retry-primitives-wasm/async";
import { constant, exponential } from "retry-primitives-wasm/backoff";
import { consecutiveBreaker } from "retry-primitives-wasm/breaker";

const quick = constant({ delayMs: 0, maxAttempts: 4 });
const failing = (times, value = "done") => {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls <= times) throw new Error(`failure ${calls}`);
    return value;
  };
};

test("retries until it succeeds, and counts attempts", async () => {
  const attempts = [];
  const work = failing(2);
  const onRetry = mock.fn();
  const result = await retry(
    ({ attempt, signal }) => {
      attempts.push(attempt);
      assert.equal(signal, undefined);
      return work();
    },
    { policy: quick, onRetry },
  );
  assert.equal(result, "done");
  assert.deepEqual(attempts, [1, 2, 3]);
  assert.deepEqual(
    onRetry.mock.calls.map(({ arguments: [{ error, decision }] }) => [error.message, decision.attempts]),
    [
      ["failure 1", 1],
      ["failure 2", 2],
    ],
  );
});

test("gives up with the last error unchanged", async () => {
  const error = Object.assign(new Error("mine"), { cause: "kept" });
  const onGiveUp = mock.fn();
  const work = async () => {
    throw error;
  };
  await assert.rejects(retry(work, { policy: quick, onGiveUp }), (thrown) => thrown === error);
  assert.equal(onGiveUp.mock.calls.length, 1);
  assert.equal(onGiveUp.mock.calls[0].arguments[0].decision.reason, "maxAttempts");
});

test("a function that throws at once is a failure too", async () => {
  let calls = 0;
  const work = () => {
    if (++calls < 2) throw new Error("at once");
    return Promise.resolve(calls);
  };
  assert.equal(await retry(work, { policy: quick }), 2);
});

test("classify: an outcome, a boolean, or nothing", async () => {
  for (const [meaning, calls] of [
    [false, 1],
    [{ retryable: false }, 1],
    [true, 4],
    [undefined, 4],
    [{}, 4],
  ]) {
    const work = mock.fn(failing(9));
    const seen = [];
    const classify = (error, context) => {
      seen.push(context);
      return meaning;
    };
    await assert.rejects(retry(work, { policy: quick, classify, now: () => 5 }));
    assert.equal(work.mock.calls.length, calls);
    assert.deepEqual(seen[0], { attempt: 1, now: 5 });
  }
});

test("case 13: a wait longer than a timer can be is waited out in full", async (t) => {
  const real = globalThis.setTimeout;
  t.after(() => (globalThis.setTimeout = real));
  const waits = [];
  globalThis.setTimeout = (done, ms) => {
    waits.push(ms);
    return real(done, 0);
  };
  const policy = constant({ delayMs: 2 ** 32, maxDelayMs: Infinity, maxAttempts: 2, jitter: "none" });
  assert.equal(await retry(failing(1), { policy }), "done");
  assert.ok(waits.every((ms) => ms < 2 ** 31));
  assert.equal(
    waits.reduce((sum, ms) => sum + ms, 0),
    2 ** 32,
  );
});

test("case 14: many calls with one signal leave no listener", async () => {
  const { signal } = new AbortController();
  for (let call = 0; call < 1_000; call++) {
    await retry(failing(call % 2), { policy: quick, signal });
  }
  assert.equal(getEventListeners(signal, "abort").length, 0);
});

test("case 15: an abort during the wait rejects at once with the signal's reason", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const work = mock.fn(failing(9));
  const policy = exponential({ baseMs: 60_000, maxAttempts: 9, jitter: "none", maxDelayMs: 60_000 });
  const result = retry(work, {
    policy,
    signal: controller.signal,
    onRetry: () => setTimeout(() => controller.abort(reason), 0),
  });
  await assert.rejects(result, (thrown) => thrown === reason);
  assert.equal(work.mock.calls.length, 1);
  assert.equal(getEventListeners(controller.signal, "abort").length, 0);
});

test("a signal aborted before: no call at all", async () => {
  const work = mock.fn(failing(0));
  await assert.rejects(retry(work, { policy: quick, signal: AbortSignal.abort(new Error("before")) }), /before/);
  assert.equal(work.mock.calls.length, 0);
});

test("protect: refuses while open, counts what ends, tells of every change", async () => {
  let now = 0;
  const states = [];
  const breaker = consecutiveBreaker({ failureThreshold: 2, openMs: 1_000 });
  const upstream = protect(breaker, { now: () => now, onChange: (state) => states.push(state.status) });
  const fail = () => upstream.call(failing(9));
  await assert.rejects(fail(), /failure/);
  await assert.rejects(fail(), /failure/);
  assert.equal(upstream.status(), "open");
  await assert.rejects(fail(), (error) => {
    assert.ok(error instanceof CircuitOpenError && isCircuitOpenError(error));
    return error.retryAfterMs === 1_000;
  });
  now = 1_000;
  assert.equal(await upstream.call(async () => "up"), "up");
  assert.equal(upstream.status(), "closed");
  assert.deepEqual(states, ["closed", "open", "halfOpen", "closed"]);
});

test("protect: isFailure, state and load", async () => {
  const breaker = consecutiveBreaker({ failureThreshold: 1, openMs: 1_000 });
  const open = breaker.fail(breaker.init(0), 0);
  const upstream = protect(breaker, { now: () => 5, state: open, isFailure: () => false });
  assert.equal(upstream.status(), "open");
  upstream.load(breaker.init(0));
  await assert.rejects(upstream.call(failing(1)), /failure/);
  assert.equal(upstream.state().status, "closed");
});

test("protect: a late failure of a call that was admitted before the breaker opened and closed is ignored", async () => {
  let now = 0;
  const upstream = protect(consecutiveBreaker({ failureThreshold: 1, openMs: 10 }), { now: () => now });
  let late;
  const slow = upstream.call(() => new Promise((_, reject) => (late = reject)));
  await assert.rejects(upstream.call(failing(1)));
  now = 10;
  await upstream.call(failing(0));
  late(new Error("late"));
  await assert.rejects(slow, /late/);
  assert.equal(upstream.status(), "closed");
});

test("a breaker and a policy, composed", async () => {
  const upstream = protect(consecutiveBreaker({ failureThreshold: 1, openMs: 5 }));
  const work = failing(1);
  const result = await retry(() => upstream.call(work), {
    policy: constant({ delayMs: 0, maxAttempts: 6 }),
    classify: (error) => (isCircuitOpenError(error) ? { retryAfterMs: error.retryAfterMs } : true),
  });
  assert.equal(result, "done");
});
