// /async on a clock that jumps: what the reference says of retry and protect, sentence by sentence, and what hooks may do.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isCircuitOpenError, protect, retry } from "retry-primitives-wasm/async";
import { constant, exponential } from "retry-primitives-wasm/backoff";
import { consecutiveBreaker, rollingBreaker } from "retry-primitives-wasm/breaker";
import { errorOutcome, httpOutcome, isNetworkError } from "retry-primitives-wasm/classify";
import { withClock } from "./support/clock.mjs";
import { coded, script, thrown } from "./support/failures.mjs";

const failure = new Error("mine");

test("API: retry rethrows the last error unchanged, and onGiveUp tells whether attempts or time ran out", async () => {
  for (const [options, reason] of [
    [{ maxAttempts: 3 }, "maxAttempts"],
    [{ deadlineMs: 250 }, "deadline"],
  ]) {
    await withClock(async (clock) => {
      const told = [];
      const policy = exponential({ baseMs: 100, jitter: "none", ...options });
      const work = script(new Error("first"), failure);
      assert.equal(await thrown(retry(work, { policy, onGiveUp: (info) => told.push(info) })), failure);
      assert.equal(told.length, 1);
      assert.equal(told[0].error, failure);
      assert.deepEqual([told[0].decision.retry, told[0].decision.reason], [false, reason]);
      assert.equal(clock.elapsed(), reason === "deadline" ? 100 : 300);
    });
  }
});

test("Start with exponential: 100, 200, 400 ms, and the deadline is counted from the first attempt", async () => {
  await withClock(async (clock) => {
    const waits = [];
    const policy = exponential({ baseMs: 100, jitter: "none", deadlineMs: 1_000 });
    const slow = async () => {
      clock.advance(30);
      throw failure;
    };
    await thrown(
      retry(slow, { policy, onRetry: ({ decision }) => waits.push([decision.delayMs, decision.remainingMs]) }),
    );
    // At 30, 160, 390: then 800 more would end past 1,000.
    assert.deepEqual(waits, [
      [100, 970],
      [200, 840],
      [400, 610],
    ]);
    assert.equal(clock.elapsed(), 820);
  });
});

test("Deciding what a failure means: httpOutcome's Retry-After is a floor under the wait", async () => {
  await withClock(async (clock) => {
    const response = new Response(null, { status: 429, headers: { "retry-after": "7" } });
    const error = Object.assign(new Error("HTTP 429"), { response });
    const policy = exponential({ baseMs: 500, maxAttempts: 4, deadlineMs: 30_000 });
    const classify = (error, { now }) =>
      error.response ? httpOutcome(error.response, now, { method: "POST" }) : isNetworkError(error);
    assert.equal(await retry(script(error, "charged"), { policy, classify }), "charged");
    assert.equal(clock.elapsed(), 7_000);
  });
});

test("A breaker and a policy, composed: one wait for the breaker instead of five attempts at a closed door", async () => {
  await withClock(async (clock) => {
    const upstream = protect(consecutiveBreaker({ failureThreshold: 1, openMs: 10_000 }));
    const work = script(failure, "up");
    let asked = 0;
    const call = () => {
      asked += 1;
      return upstream.call(work);
    };
    const policy = exponential({ baseMs: 200, maxAttempts: 6, deadlineMs: 60_000, jitter: "none" });
    const classify = (error) => (isCircuitOpenError(error) ? { retryAfterMs: error.retryAfterMs } : true);
    assert.equal(await retry(call, { policy, classify }), "up");
    assert.deepEqual([asked, work.calls, clock.elapsed()], [3, 2, 10_000]);
  });
});

test("case 13: a wait longer than a timer can be ends when it should", async () => {
  await withClock(async (clock) => {
    const policy = constant({ delayMs: 2 ** 33, maxDelayMs: Infinity, maxAttempts: 2, jitter: "none" });
    assert.equal(await retry(script(failure, "late"), { policy }), "late");
    assert.equal(clock.elapsed(), 2 ** 33);
  });
});

test("case 19: an error whose cause is itself, or a chain ten thousand long, is classified and comes out unchanged", async () => {
  const circle = new Error("round");
  circle.cause = circle;
  let long = coded("ECONNRESET");
  for (let depth = 0; depth < 10_000; depth++) long = new Error(`depth ${depth}`, { cause: long });
  const policy = constant({ delayMs: 0, maxAttempts: 3 });
  for (const error of [circle, long]) {
    const work = script(error);
    assert.equal(await thrown(retry(work, { policy, classify: errorOutcome })), error);
    assert.equal(work.calls, 1);
  }
});

test("hooks that answer with a promise are waited for, and what they reject with ends it", async () => {
  const policy = constant({ delayMs: 0, maxAttempts: 2 });
  const order = [];
  const onRetry = async () => {
    await null;
    order.push("told");
  };
  const work = async () => {
    order.push("call");
    throw failure;
  };
  assert.equal(await thrown(retry(work, { policy, onRetry, classify: async () => true })), failure);
  assert.deepEqual(order, ["call", "told", "call"]);
  assert.equal((await thrown(retry(work, { policy, classify: async () => false }))).message, "mine");

  const unheard = new Error("unheard");
  for (const hook of ["onRetry", "onGiveUp", "classify"]) {
    const reject = () => Promise.reject(unheard);
    assert.equal(await thrown(retry(work, { policy, [hook]: reject })), unheard, hook);
  }
});

test("what is no function, and options that are missing, are refused as a rejection", async () => {
  const policy = constant({ delayMs: 0, maxAttempts: 2 });
  assert.match((await thrown(retry("work", { policy }))).message, /^fn must be a function, got "work"$/);
  assert.ok((await thrown(retry(() => 1))) instanceof TypeError);
  const upstream = protect(consecutiveBreaker({ failureThreshold: 1, openMs: 5 }), { now: () => 0 });
  assert.match((await thrown(upstream.call())).message, /^fn must be a function/);
  assert.equal(upstream.status(), "closed", "nothing was called, so nothing failed");
});

test("protect: any breaker of the pure layer, and its state can go elsewhere and come back", async () => {
  let now = 0;
  const stored = [];
  const breaker = rollingBreaker({ windowMs: 1_000, minimumThroughput: 2, openMs: 100 });
  const first = protect(breaker, { now: () => now, onChange: (state) => stored.push(JSON.stringify(state)) });
  await thrown(first.call(script(failure)));
  now = 5;
  await thrown(first.call(script(failure)));
  assert.equal(first.status(), "open");
  const second = protect(breaker, { now: () => now, state: JSON.parse(stored.at(-1)) });
  assert.equal(second.status(), "open");
  assert.deepEqual(second.state(), first.state());
  now = 105;
  assert.equal(await second.call(async () => "up"), "up");
  assert.equal(second.status(), "closed");
});
