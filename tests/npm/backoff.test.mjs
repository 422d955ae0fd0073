// The reference's documented behaviour of the policies, a test each.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  backoff,
  constant,
  decorrelatedJitter,
  exponential,
  fibonacci,
  linear,
  preview,
} from "retry-primitives-wasm/backoff";

const limits = { maxAttempts: 6, jitter: "none" };
const POLICIES = {
  exponential: (options) => exponential({ baseMs: 100, ...options }),
  decorrelatedJitter: (options) => decorrelatedJitter({ baseMs: 100, ...options }),
  fibonacci: (options) => fibonacci({ baseMs: 100, ...options }),
  linear: (options) => linear({ baseMs: 100, ...options }),
  constant: (options) => constant({ delayMs: 100, ...options }),
  backoff: (options) => backoff((attempt) => attempt * 100, options),
};
const each = (check) => {
  for (const [name, policy] of Object.entries(POLICIES)) check(policy, name);
};

test("the first example", () => {
  const policy = exponential({ baseMs: 100, maxAttempts: 5, deadlineMs: 30_000, random: () => 0.63 });
  let state = policy.init(1_758_124_800_000);
  assert.deepEqual(state, { attempts: 0, startedAt: 1_758_124_800_000, prevDelayMs: 0 });
  const { state: next, decision } = policy.next(state, 1_758_124_800_000);
  assert.deepEqual(decision, { retry: true, delayMs: 63, attempts: 1, remainingMs: 30_000 });
  assert.deepEqual(next, { attempts: 1, startedAt: 1_758_124_800_000, prevDelayMs: 63 });
});

test("preview: what a configuration does", () => {
  assert.deepEqual(
    preview(exponential({ baseMs: 100, maxAttempts: 6, jitter: "none" }), 10),
    [100, 200, 400, 800, 1600],
  );
  assert.deepEqual(preview(exponential({ baseMs: 100, deadlineMs: 1_000, jitter: "none" }), 10), [100, 200, 400]);
  const top = decorrelatedJitter({ baseMs: 100, maxAttempts: 5, random: () => 1 });
  assert.deepEqual(preview(top, 10), [300, 900, 2700, 8100]);
  assert.deepEqual(preview(exponential({ baseMs: 100, ...limits }), 2), [100, 200]);
  const slow = preview(constant({ delayMs: 5, ...limits }), 9, { now: 77, outcome: { retryAfterMs: 9 } });
  assert.deepEqual(slow, [9, 9, 9, 9, 9]);
  assert.deepEqual(preview(constant({ delayMs: 5, ...limits }), 2, null), [5, 5]);
});

test("the table of shapes", () => {
  assert.deepEqual(preview(fibonacci({ baseMs: 100, ...limits }), 9), [100, 100, 200, 300, 500]);
  assert.deepEqual(preview(linear({ baseMs: 100, ...limits }), 9), [100, 200, 300, 400, 500]);
  assert.deepEqual(preview(constant({ delayMs: 100, ...limits }), 9), [100, 100, 100, 100, 100]);
  assert.deepEqual(
    preview(
      backoff((attempt) => attempt ** 3, limits),
      9,
    ),
    [1, 8, 27, 64, 125],
  );
  assert.deepEqual(preview(exponential({ baseMs: 1, factor: 10, ...limits }), 9), [1, 10, 100, 1_000, 10_000]);
});

test("jitter: full by default, equal, none; never twice on decorrelated jitter", () => {
  const first = (policy) => policy.peek(policy.init(0), 0).delayMs;
  for (const [jitter, low, high] of [
    [undefined, 0, 100],
    ["full", 0, 100],
    ["equal", 50, 100],
    ["none", 100, 100],
  ]) {
    assert.equal(first(exponential({ baseMs: 100, maxAttempts: 2, jitter, random: () => 0 })), low);
    assert.equal(first(exponential({ baseMs: 100, maxAttempts: 2, jitter, random: () => 1 })), high);
  }
  let draws = 0;
  const random = () => (draws++, 0.5);
  assert.equal(first(decorrelatedJitter({ baseMs: 100, maxAttempts: 2, random })), 200);
  assert.equal(draws, 1);
});

test("randomness defaults to Math.random", () => {
  const policy = exponential({ baseMs: 1e6, maxDelayMs: Infinity, maxAttempts: 2 });
  const draws = new Set(Array.from({ length: 20 }, () => policy.peek(policy.init(0), 0).delayMs));
  assert.ok(draws.size > 10);
});

test("a policy without an end is refused, and Infinity has to be spelled out", () => {
  each((policy, name) => {
    assert.throws(() => policy({}), /maxAttempts .*deadlineMs/, name);
    assert.ok(policy({ maxAttempts: Infinity }).peek({ attempts: 1e9, startedAt: 0, prevDelayMs: 1 }, 0).retry);
    assert.ok(policy({ deadlineMs: 1e9 }));
  });
  assert.throws(() => backoff(() => 1), /maxAttempts/);
});

test("maxDelayMs is 30,000 by default and applies before jitter", () => {
  const late = { attempts: 40, startedAt: 0, prevDelayMs: 0 };
  const options = { baseMs: 100, maxAttempts: Infinity, random: () => 0.5 };
  assert.equal(exponential({ ...options, jitter: "none" }).peek(late, 0).delayMs, 30_000);
  assert.equal(exponential(options).peek(late, 0).delayMs, 15_000);
  assert.equal(exponential({ ...options, maxDelayMs: 10 }).peek(late, 0).delayMs, 5);
  assert.ok(exponential({ ...options, maxDelayMs: Infinity }).peek(late, 0).delayMs > 1e13);
});

test("a stop costs nothing: the same state, no delay, no draw", () => {
  each((policy, name) => {
    const strict = policy({
      maxAttempts: 3,
      deadlineMs: 1_000,
      random: () => assert.fail(`${name} drew`),
    });
    for (const [state, now, outcome, reason] of [
      [{ attempts: 2, startedAt: 0, prevDelayMs: 5 }, 0, undefined, "maxAttempts"],
      [{ attempts: 0, startedAt: 0, prevDelayMs: 0 }, 0, { retryable: false }, "nonRetryable"],
      [{ attempts: 0, startedAt: 0, prevDelayMs: 0 }, 1_000, {}, "deadline"],
      [{ attempts: 0, startedAt: 0, prevDelayMs: 0 }, 0, { retryAfterMs: 1_000 }, "deadline"],
    ]) {
      const answer = strict.next(Object.freeze(state), now, outcome);
      assert.equal(answer.state, state);
      assert.equal(answer.decision.retry, false);
      assert.equal(answer.decision.delayMs, 0);
      assert.equal(answer.decision.reason, reason, name);
    }
  });
});

test("the order of reasons", () => {
  const policy = exponential({ baseMs: 100, maxAttempts: 1, deadlineMs: 1 });
  const late = { attempts: 5, startedAt: 0, prevDelayMs: 0 };
  assert.equal(policy.peek(late, 9, { retryable: false }).reason, "nonRetryable");
  assert.equal(policy.peek(late, 9).reason, "maxAttempts");
  assert.equal(exponential({ baseMs: 100, deadlineMs: 1 }).peek(late, 9).reason, "deadline");
});

test("the next attempt starts strictly inside the deadline", () => {
  each((policy, name) => {
    const strict = policy({ deadlineMs: 100, jitter: "none", random: () => 0 });
    const decision = strict.peek(strict.init(0), 0);
    assert.equal(decision.retry, false, name);
    assert.equal(decision.reason, "deadline", name);
    assert.equal(decision.remainingMs, 100, name);
  });
  assert.ok(
    exponential({ baseMs: 100, deadlineMs: 101, jitter: "none" }).peek({ attempts: 0, startedAt: 0, prevDelayMs: 0 }, 0)
      .retry,
  );
});

test("retryAfterMs is a floor that neither jitter nor the cap undercuts; a stop hands it on", () => {
  each((policy, name) => {
    const capped = policy({ maxAttempts: 9, maxDelayMs: 10, random: () => 0 });
    assert.equal(capped.peek(capped.init(0), 0, { retryAfterMs: 5_000 }).delayMs, 5_000, name);
    assert.equal(capped.peek(capped.init(0), 0, { retryAfterMs: 0.2 }).delayMs >= 1, true, name);
    const limited = policy({ deadlineMs: 900_000 });
    const stop = limited.peek(limited.init(0), 0, { retryAfterMs: 1_800_000 });
    assert.deepEqual(
      stop,
      { retry: false, delayMs: 0, attempts: 1, remainingMs: 900_000, reason: "deadline", retryAfterMs: 1_800_000 },
      name,
    );
  });
});

test("a stop hands on a number, or nothing", () => {
  const policy = exponential({ baseMs: 100, maxAttempts: 1 });
  for (const retryAfterMs of ["x", "5", NaN, null, undefined, {}, true, 5n]) {
    assert.ok(!("retryAfterMs" in policy.peek(policy.init(0), 0, { retryAfterMs })));
  }
  assert.equal(policy.peek(policy.init(0), 0, { retryAfterMs: 5 }).retryAfterMs, 5);
});

test("state survives JSON", () => {
  each((policy, name) => {
    const seeded = policy({ maxAttempts: 9, random: () => 0.37 });
    let state = seeded.init(1_758_124_800_000);
    let copy = JSON.parse(JSON.stringify(state));
    for (let now = 1_758_124_800_000; ; now += 1_000) {
      const [one, other] = [seeded.next(state, now), seeded.next(copy, now)];
      assert.deepEqual(one, other, name);
      if (!one.decision.retry) break;
      state = one.state;
      copy = JSON.parse(JSON.stringify(other.state));
    }
  });
});

test("a clock that jumps back has not moved", () => {
  const policy = exponential({ baseMs: 100, maxAttempts: 9, deadlineMs: 1_000, jitter: "none" });
  const { decision } = policy.next(policy.init(5_000), 0);
  assert.equal(decision.remainingMs, 1_000);
  assert.equal(decision.retry, true);
});

test("remainingMs is Infinity without a deadline", () => {
  const policy = exponential({ baseMs: 100, maxAttempts: 2 });
  assert.equal(policy.peek(policy.init(0), 5).remainingMs, Infinity);
});

test("delays are whole, from 0 to 2^53 - 1, however late the attempt", () => {
  each((policy, name) => {
    const endless = policy({ maxAttempts: Infinity, maxDelayMs: Infinity, random: () => 0.999 });
    for (const attempts of [64, 1_024, 1e6, Number.MAX_SAFE_INTEGER]) {
      const { delayMs } = endless.peek({ attempts, startedAt: 0, prevDelayMs: 1e15 }, 0);
      assert.ok(Number.isSafeInteger(delayMs) && delayMs >= 0, `${name} ${attempts} ${delayMs}`);
    }
  });
});

test("a policy's functions stand alone, and it can't be changed", () => {
  const { init, next, peek } = constant({ delayMs: 7, ...limits });
  assert.equal(next(init(0), 0).decision.delayMs, 7);
  assert.equal(peek(init(0), 0).delayMs, 7);
  assert.ok(Object.isFrozen(constant({ delayMs: 7, ...limits })));
});

test("a curve that asks another policy, and a random source that does", () => {
  const inner = exponential({ baseMs: 1_000, maxAttempts: 9, random: () => 1 });
  const curve = backoff(
    (attempt, previous, random) => {
      assert.equal(random(), 0.5);
      return inner.peek(inner.init(0), 0).delayMs + attempt + previous;
    },
    { maxAttempts: 9, random: () => 0.5 },
  );
  assert.equal(curve.peek({ attempts: 1, startedAt: 0, prevDelayMs: 8 }, 0).delayMs, 505);
  const nested = constant({ delayMs: 100, maxAttempts: 9, random: () => inner.peek(inner.init(0), 0).delayMs / 4_000 });
  assert.deepEqual(nested.peek(nested.init(3), 3), { retry: true, delayMs: 25, attempts: 1, remainingMs: Infinity });
});

test("what a curve or a random source throws comes out, and does no harm", () => {
  const thrower = () => {
    throw new Error("mine");
  };
  for (let round = 0; round < 10_000; round++) {
    const policy = round % 2 ? backoff(thrower, limits) : exponential({ baseMs: 1, maxAttempts: 2, random: thrower });
    assert.throws(() => policy.next(policy.init(0), 0), /^Error: mine$/);
  }
  const policy = exponential({ baseMs: 100, ...limits });
  assert.equal(policy.peek(policy.init(0), 0).delayMs, 100);
});

test("policies in turn, and policies asked from within a curve or a source of randomness, keep their own options", () => {
  const inner = exponential({ baseMs: 7, maxAttempts: 9, maxDelayMs: 7, random: () => 0 });
  const ask = () => inner.peek(inner.init(0), 0).delayMs;
  const curve = backoff(() => 100 + ask(), { maxAttempts: 2, deadlineMs: 1_000, random: () => 0.5 });
  const drawing = constant({ delayMs: 200, maxAttempts: 2, random: () => 0.25 + ask() });
  const plain = linear({ baseMs: 30, deadlineMs: 60, jitter: "none" });
  const first = (policy) => policy.peek(policy.init(0), 0);
  for (const round of [1, 2]) {
    assert.deepEqual(first(curve), { retry: true, delayMs: 50, attempts: 1, remainingMs: 1_000 }, `round ${round}`);
    assert.deepEqual(first(drawing), { retry: true, delayMs: 50, attempts: 1, remainingMs: Infinity });
    assert.deepEqual(first(plain), { retry: true, delayMs: 30, attempts: 1, remainingMs: 60 });
    assert.deepEqual(preview(curve, 5), [50]);
    assert.deepEqual(preview(plain, 5), [30]);
  }
});
