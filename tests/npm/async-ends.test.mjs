// /async: what ends a retry and when, and that neither a hook nor an abort loses what a call gave.
import assert from "node:assert/strict";
import { test } from "node:test";
import { protect, retry } from "retry-primitives-wasm/async";
import { constant } from "retry-primitives-wasm/backoff";
import { consecutiveBreaker } from "retry-primitives-wasm/breaker";
import { isAbortError } from "retry-primitives-wasm/classify";
import { withClock } from "./support/clock.mjs";
import { script, thrown } from "./support/failures.mjs";

const failure = new Error("mine");
const reason = new Error("enough");
const never = () => new Promise(() => {});
const soon = (callback) => queueMicrotask(() => queueMicrotask(callback));
const quick = constant({ delayMs: 0, maxAttempts: 3 });

/** What `console.error` is told while `body` runs. */
async function said(body) {
  const { error } = console;
  const lines = [];
  console.error = (...line) => lines.push(...line);
  try {
    await body(lines);
  } finally {
    console.error = error;
  }
  return lines;
}

test("an abort ends an attempt that does not listen, and its late end, either way, is dropped", async () => {
  for (const end of ["resolve", "reject"]) {
    const controller = new AbortController();
    let late;
    const deaf = () => new Promise((resolve, reject) => (late = { resolve, reject }[end]));
    soon(() => controller.abort(reason));
    assert.equal(await thrown(retry(deaf, { policy: quick, signal: controller.signal })), reason);
    // Were it unheard, the runtime would end the test.
    late(new Error("late"));
    await new Promise((done) => setTimeout(done, 0));
  }
});

test("an abort ends it while any hook is waited for, and no other is called after that", async () => {
  for (const hook of ["classify", "onRetry", "onGiveUp"]) {
    const controller = new AbortController();
    const told = [];
    let finish;
    const hang = () => {
      soon(() => controller.abort(reason));
      return new Promise((resolve) => (finish = resolve));
    };
    const hooks = { onRetry: () => told.push("onRetry"), onGiveUp: () => told.push("onGiveUp"), [hook]: hang };
    const policy = hook === "onGiveUp" ? constant({ delayMs: 0, maxAttempts: 1 }) : quick;
    const work = script(failure);
    assert.equal(await thrown(retry(work, { policy, signal: controller.signal, ...hooks })), reason, hook);
    finish(true);
    await new Promise((done) => setTimeout(done, 0));
    assert.deepEqual([told, work.calls], [[], 1], hook);
  }
});

test("an attempt starts strictly inside the deadline, whatever time hooks take", async () => {
  // Each failure is decided on at once, so without hooks attempts start at 0 and 50; the deadline is at 100.
  for (const [hook, takes, starts, reasons] of [
    ["onRetry", 30, [0, 50], ["deadline"]],
    ["onRetry", 70, [0, 70], ["deadline"]],
    ["onRetry", 100, [0], ["deadline"]],
    ["onRetry", 300, [0], ["deadline"]],
    ["classify", 40, [0, 90], ["deadline"]],
    ["classify", 50, [0], ["deadline"]],
    ["classify", 300, [0], ["deadline"]],
  ]) {
    await withClock(async (clock) => {
      const policy = constant({ delayMs: 50, jitter: "none", deadlineMs: 100 });
      const seen = [];
      const told = [];
      const work = async () => {
        seen.push(clock.elapsed());
        throw failure;
      };
      const slow = async () => void clock.advance(takes);
      const onGiveUp = ({ error, decision }) => told.push(error === failure && decision.reason);
      assert.equal(await thrown(retry(work, { policy, onGiveUp, [hook]: slow })), failure);
      assert.deepEqual([seen, told], [starts, reasons], `${hook} ${takes}`);
    });
  }
});

test("options of the wrong type are refused before anything is called, by name", async () => {
  for (const [options, message] of [
    [undefined, /^policy\.init must be a function/],
    [{}, /^policy\.init must be a function/],
    [{ policy: 5 }, /^policy\.init must be a function/],
    [{ policy: { init: quick.init } }, /^policy\.next must be a function/],
    [{ policy: quick, onRetry: 5 }, /^onRetry must be a function, got 5$/],
    [{ policy: quick, onGiveUp: "x" }, /^onGiveUp must be a function, got "x"$/],
    [{ policy: quick, classify: 5 }, /^classify must be a function, got 5$/],
    [{ policy: quick, now: 5 }, /^now must be a function, got 5$/],
    [{ policy: quick, signal: {} }, /^signal must be an AbortSignal/],
  ]) {
    const work = script("done");
    const error = await thrown(retry(work, options));
    assert.ok(error instanceof TypeError);
    assert.match(error.message, message);
    assert.equal(work.calls, 0);
  }
  const breaker = consecutiveBreaker({ failureThreshold: 1, openMs: 5 });
  for (const [make, message] of [
    [() => protect(), /^breaker\.init must be a function/],
    [() => protect({ ...breaker, peek: 5 }), /^breaker\.peek must be a function, got 5$/],
    [() => protect(breaker, { now: 5 }), /^now must be a function, got 5$/],
    [() => protect(breaker, { onChange: 5 }), /^onChange must be a function, got 5$/],
    [() => protect(breaker, { isFailure: true }), /^isFailure must be a function, got true$/],
  ]) {
    assert.throws(make, (error) => error instanceof TypeError && message.test(error.message));
  }
});

test("protect: a state that the breaker cannot read is refused where it is given", () => {
  const breaker = consecutiveBreaker({ failureThreshold: 1, openMs: 5 });
  const refused = (error) => error.name === "StateError" && error.field === "status";
  assert.throws(() => protect(breaker, { state: { bad: 1 } }), refused);
  const upstream = protect(breaker);
  const before = upstream.state();
  for (const state of [null, { bad: 1 }]) assert.throws(() => upstream.load(state), refused);
  assert.equal(upstream.state(), before);
});

test("protect: an onChange that throws or rejects changes nothing: not the result, not the error, not a probe", async () => {
  const unheard = new Error("unheard");
  const throws = () => {
    throw unheard;
  };
  for (const onChange of [throws, async () => throws()]) {
    const lines = await said(async () => {
      let now = 0;
      const upstream = protect(consecutiveBreaker({ failureThreshold: 1, openMs: 10 }), { now: () => now, onChange });
      assert.equal(await thrown(upstream.call(script(failure))), failure);
      assert.equal(upstream.status(), "open");
      now = 10;
      const probe = script("up");
      assert.equal(await upstream.call(probe), "up");
      assert.equal(probe.calls, 1);
      assert.equal(upstream.status(), "closed");
      upstream.load({ ...upstream.state(), failures: 0, changedAt: 9 });
      assert.equal(upstream.state().changedAt, 9);
    });
    // Opened, on trial, closed, loaded.
    assert.deepEqual(lines, [unheard, unheard, unheard, unheard]);
  }
});

test("protect: onChange is not waited for", async () => {
  const upstream = protect(consecutiveBreaker({ failureThreshold: 1, openMs: 10 }), { now: () => 0, onChange: never });
  assert.equal(await thrown(upstream.call(script(failure))), failure);
  assert.equal(upstream.status(), "open");
});

test("protect: isFailure may answer with a promise, and one that fails leaves the error counted and as it was", async () => {
  const make = (isFailure) =>
    protect(consecutiveBreaker({ failureThreshold: 1, openMs: 5 }), { now: () => 0, isFailure });
  for (const [answer, status] of [
    [true, "open"],
    [false, "closed"],
  ]) {
    const upstream = make(async () => answer);
    assert.equal(await thrown(upstream.call(script(failure))), failure);
    assert.equal(upstream.status(), status);
  }
  const unheard = new Error("unheard");
  const lines = await said(async () => {
    const throws = () => {
      throw unheard;
    };
    for (const isFailure of [throws, async () => throws()]) {
      const upstream = make(isFailure);
      assert.equal(await thrown(upstream.call(script(failure))), failure);
      assert.equal(upstream.status(), "open");
    }
  });
  assert.deepEqual(lines, [unheard, unheard]);
});

test("protect: a call that its caller aborted counts as any, unless isFailure leaves it out", async () => {
  const aborted = async () => AbortSignal.abort().throwIfAborted();
  for (const [options, status] of [
    [{}, "open"],
    [{ isFailure: (error) => !isAbortError(error) }, "closed"],
  ]) {
    const upstream = protect(consecutiveBreaker({ failureThreshold: 1, openMs: 5 }), { now: () => 0, ...options });
    assert.equal((await thrown(upstream.call(aborted))).name, "AbortError");
    assert.equal(upstream.status(), status);
  }
});

test("protect: any breaker of one's own, whatever its state is", async () => {
  // Open after two failures, for ever; the state is a number.
  const breaker = {
    init: () => 0,
    request: (state) => ({ state, verdict: breaker.peek(state) }),
    succeed: () => 0,
    fail: (state) => state + 1,
    peek: (state) => ({ ok: state < 2, status: state < 2 ? "closed" : "open", retryAfterMs: state < 2 ? 0 : 5 }),
  };
  const upstream = protect(breaker, { state: 1 });
  assert.equal(await upstream.call(script("up")), "up");
  assert.equal(upstream.state(), 0);
  for (const state of [1, 2]) {
    assert.equal(await thrown(upstream.call(script(failure))), failure);
    assert.equal(upstream.state(), state);
  }
  assert.equal((await thrown(upstream.call(script("up")))).retryAfterMs, 5);
});
