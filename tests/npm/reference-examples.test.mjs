// The code examples of the reference, section by section, in our words. Those that need a server are in
// reference-requests.node.test.mjs, those that need Workers in tests/matrix/workerd.
import assert from "node:assert/strict";
import test from "node:test";
import { forceClose, forceOpen } from "retry-primitives-wasm";
import { isCircuitOpenError, protect, retry } from "retry-primitives-wasm/async";
import { decorrelatedJitter, exponential, preview } from "retry-primitives-wasm/backoff";
import { consecutiveBreaker, rollingBreaker } from "retry-primitives-wasm/breaker";
import {
  errorOutcome,
  httpOutcome,
  isAbortError,
  isIdempotentMethod,
  isNetworkError,
  isRetryableStatus,
  isTimeoutError,
  parseRetryAfter,
} from "retry-primitives-wasm/classify";

const STARTED = 1_758_124_800_000;

/** A clock of its own, which every timer sets forward by its whole wait, and the waits. */
function injectTime(t) {
  const real = globalThis.setTimeout;
  t.after(() => (globalThis.setTimeout = real));
  const time = { now: STARTED, waits: [] };
  globalThis.setTimeout = (done, ms) => {
    time.now += ms;
    time.waits.push(ms);
    return real(done, 0);
  };
  return time;
}

test("the opening: a state of three numbers, and a decision", () => {
  const operation = exponential({ baseMs: 100, maxAttempts: 5, deadlineMs: 30_000, random: () => 0.63 });
  const fresh = operation.init(STARTED);
  assert.deepEqual(fresh, { attempts: 0, startedAt: STARTED, prevDelayMs: 0 });
  const answer = operation.next(fresh, STARTED);
  assert.deepEqual(answer.decision, { retry: true, delayMs: 63, attempts: 1, remainingMs: 30_000 });
  assert.deepEqual(answer.state, { attempts: 1, startedAt: STARTED, prevDelayMs: 63 });
});

test("Start with exponential: the state's fields, and full jitter by default", () => {
  const draws = [0, 0.25, 0.999_999];
  for (const draw of draws) {
    const policy = exponential({ baseMs: 1_000, maxAttempts: 9, random: () => draw });
    const { state, decision } = policy.next({ attempts: 2, startedAt: 0, prevDelayMs: 7 }, 50);
    assert.equal(decision.delayMs, Math.round(4_000 * draw));
    assert.deepEqual(Object.keys(state), ["attempts", "startedAt", "prevDelayMs"]);
  }
});

test("A breaker and a policy, composed: one wait of what the breaker names, in place of five attempts", async (t) => {
  const time = injectTime(t);
  const now = () => time.now;
  const upstream = protect(consecutiveBreaker({ failureThreshold: 5, openMs: 10_000 }), { now });
  const down = () => Promise.reject(new TypeError("fetch failed"));
  for (let call = 0; call < 5; call++) await assert.rejects(upstream.call(down), TypeError);
  time.now += 4_000;

  let calls = 0;
  const answer = await retry(() => upstream.call(async () => `answer ${++calls}`), {
    policy: exponential({ baseMs: 200, maxAttempts: 6, deadlineMs: 60_000 }),
    now,
    classify: (error) => (isCircuitOpenError(error) ? { retryAfterMs: error.retryAfterMs } : true),
  });
  assert.equal(answer, "answer 1");
  assert.deepEqual(time.waits, [6_000]);
  assert.equal(upstream.status(), "closed");
});

test("A breaker and a policy, composed: without the hint the attempts are spent on a closed door", async (t) => {
  const time = injectTime(t);
  const now = () => time.now;
  const breaker = consecutiveBreaker({ failureThreshold: 5, openMs: 10_000 });
  const upstream = protect(breaker, { now, state: forceOpen(breaker.init(STARTED), STARTED) });
  const policy = exponential({ baseMs: 200, maxAttempts: 6, deadlineMs: 60_000, random: () => 0.5 });
  let calls = 0;
  await assert.rejects(
    retry(() => upstream.call(async () => ++calls), { policy, now }),
    isCircuitOpenError,
  );
  assert.equal(calls, 0);
  assert.deepEqual(time.waits, [100, 200, 400, 800, 1_600]);
});

test("Seeing what a configuration actually does: three previews", () => {
  const doubling = { baseMs: 100, jitter: "none" };
  assert.deepEqual(preview(exponential({ ...doubling, maxAttempts: 6 }), 10), [100, 200, 400, 800, 1_600]);
  // 100 + 200 + 400 + 800 would be past the second.
  assert.deepEqual(preview(exponential({ ...doubling, deadlineMs: 1_000 }), 10), [100, 200, 400]);
  const highest = decorrelatedJitter({ baseMs: 100, maxAttempts: 5, random: () => 1 });
  assert.deepEqual(preview(highest, 10), [300, 900, 2_700, 8_100]);
});

test("Jitter: a seeded generator makes a policy repeatable", () => {
  /** Park and Miller's. */
  const seeded = (seed) => () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const waits = (seed) => preview(exponential({ baseMs: 100, maxAttempts: 5, random: seeded(seed) }), 10);
  assert.deepEqual(waits(7), waits(7));
  assert.notDeepEqual(waits(7), waits(8));
});

test("Breakers: request stores a probe, and what arrives while open is ignored", () => {
  const breaker = consecutiveBreaker({ failureThreshold: 1, openMs: 1_000 });
  const open = breaker.fail(breaker.init(0), 10);
  assert.equal(breaker.succeed(open, 20), open);
  assert.equal(breaker.fail(open, 20), open);
  const { state, verdict } = breaker.request(open, 1_010);
  assert.deepEqual([verdict.ok, verdict.status, state.probes], [true, "halfOpen", 1]);
  assert.equal(breaker.request(state, 1_010).verdict.ok, false);
  assert.equal(breaker.peek(open, 1_010).ok, true);
});

test("consecutiveBreaker: five fields, and a success between failures starts the count anew", () => {
  const breaker = consecutiveBreaker({ failureThreshold: 5, openMs: 30_000 });
  let state = breaker.init(0);
  assert.deepEqual(Object.keys(state).sort(), ["changedAt", "failures", "probes", "status", "successes"]);
  for (let call = 0; call < 4; call++) state = breaker.fail(state, call);
  state = breaker.succeed(state, 5);
  for (let call = 0; call < 4; call++) state = breaker.fail(state, 6);
  assert.equal(state.status, "closed");
  assert.equal(breaker.fail(state, 7).status, "open");
});

test("rollingBreaker: nine fields, and a ratio that counts from the minimum throughput on", () => {
  const breaker = rollingBreaker({ windowMs: 30_000, failureRatio: 0.5, minimumThroughput: 20, openMs: 30_000 });
  let state = breaker.init(0);
  const fields = "changedAt currFail currOk prevFail prevOk probes start status successes";
  assert.equal(Object.keys(state).sort().join(" "), fields);
  state = breaker.fail(state, 1);
  assert.equal(state.status, "closed");
  for (let call = 0; call < 9; call++) state = breaker.succeed(breaker.fail(state, 2), 2);
  assert.equal(state.status, "closed");
  assert.equal(breaker.fail(state, 3).status, "open");
});

test("Recovery: overrides that keep the ledger, and an init that does not", () => {
  const breaker = consecutiveBreaker({ failureThreshold: 2, openMs: 1_000 });
  const shaky = breaker.fail(breaker.init(0), 1);
  const opened = forceOpen(shaky, 2);
  assert.equal(breaker.peek(opened, 3).ok, false);
  const resumed = forceClose(opened, 4);
  assert.equal(breaker.peek(resumed, 5).ok, true);
  assert.equal(breaker.fail(resumed, 6).status, "open");
  assert.equal(breaker.fail(breaker.init(6), 7).status, "closed");
});

test("Classification: one call of each", () => {
  const now = Date.UTC(2026, 0, 1);
  assert.equal(parseRetryAfter("3", now), 3_000);
  assert.equal(parseRetryAfter("Thu, 01 Jan 2026 00:00:09 GMT", now), 9_000);
  assert.equal(parseRetryAfter("1.5", now), undefined);
  const busy = new Response(null, { status: 500, headers: { "retry-after": "3" } });
  assert.equal(httpOutcome(busy, now, { method: "POST" }).retryable, false);
  assert.deepEqual(httpOutcome(busy, now, { method: "POST", idempotent: true }), {
    retryable: true,
    retryAfterMs: 3_000,
  });
  const statuses = [400, 404, 408, 425, 429, 500, 501, 502, 503, 504, 505];
  assert.deepEqual(statuses.filter(isRetryableStatus), [408, 425, 429, 500, 502, 503, 504]);
  const methods = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "POST", "PATCH"];
  assert.deepEqual(methods.filter(isIdempotentMethod), methods.slice(0, 6));
  const reset = new TypeError("fetch failed", { cause: Object.assign(new Error(), { code: "ECONNRESET" }) });
  assert.ok(isNetworkError(reset) && errorOutcome(reset).retryable);
  const cancelled = new DOMException("stop", "AbortError");
  assert.ok(isAbortError(cancelled) && !errorOutcome(cancelled).retryable);
  const late = new DOMException("late", "TimeoutError");
  assert.ok(isTimeoutError(late) && errorOutcome(late).retryable);
  assert.equal(errorOutcome(new RangeError("a bug")).retryable, false);
});

test("Clocks: local work on a monotonic clock", async () => {
  const policy = exponential({ baseMs: 1, maxAttempts: 2, deadlineMs: 60_000, random: () => 0 });
  const now = () => performance.now();
  const startedAt = now();
  const seen = [];
  let calls = 0;
  const work = async () => {
    if (++calls === 1) throw new Error("once");
    return "done";
  };
  const classify = (_, context) => void seen.push(context.now);
  assert.equal(await retry(work, { policy, now, classify }), "done");
  assert.ok(seen.length === 1 && seen[0] >= startedAt && seen[0] <= now());
});
