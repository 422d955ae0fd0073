// Whatever the caller passes.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as plain from "retry-primitives-wasm";
import * as extended from "retry-primitives-wasm/breaker/extended";

const ours = { ...plain, ...extended };
const { StateError } = ours;
const nothing = Object.create(null);
const junk = [null, "5", "", true, 5n, Symbol("s"), {}, [], [5], nothing, () => 5, new Date(5), NaN, -Infinity];

const makers = {
  exponential: { baseMs: 1, factor: 2, maxAttempts: 3, deadlineMs: 9, maxDelayMs: 5, jitter: "full", random: () => 1 },
  decorrelatedJitter: { baseMs: 1, factor: 2, maxAttempts: 3, deadlineMs: 9, maxDelayMs: 5 },
  fibonacci: { baseMs: 1, maxAttempts: 3 },
  linear: { baseMs: 1, maxAttempts: 3 },
  constant: { delayMs: 1, maxAttempts: 3 },
  consecutiveBreaker: {
    failureThreshold: 1,
    openMs: 1,
    halfOpenProbes: 2,
    successThreshold: 1,
    halfOpenMs: 1,
    openJitter: 1,
    random: () => 1,
  },
  rollingBreaker: { windowMs: 1, failureRatio: 1, minimumThroughput: 1, slowCallMs: 1, slowRatio: 1, openMs: 1 },
};

/** A RangeError or TypeError of ours: it names the option, what is allowed, and what was given. */
const named = (option) => (error) => {
  assert.ok(error instanceof RangeError || error instanceof TypeError, String(error));
  assert.match(error.message, new RegExp(`^${option} must be .+, got .+`));
  return true;
};

test("both kinds of breakers check the options that they share", () => {
  for (const name of ["consecutiveBreaker", "rollingBreaker"]) {
    for (const option of Object.keys(makers[name])) {
      if (/open(Growth|Jitter)|slow|random/.test(option)) continue;
      for (const value of junk) {
        assert.throws(() => plain[name]({ ...makers[name], [option]: value }), named(option), `${name} ${option}`);
      }
    }
    for (const options of [undefined, null, 5, {}]) assert.throws(() => plain[name](options), named("\\w+"), name);
  }
});

test("every option of every maker, with every kind of junk", () => {
  for (const [name, options] of Object.entries(makers)) {
    assert.ok(ours[name](options), name);
    assert.ok(ours[name](Object.freeze({ ...options })), name);
    assert.ok(ours[name](Object.assign(Object.create(null), options)), name);
    assert.ok(ours[name](Object.create(options)), name);
    for (const option of Object.keys(options)) {
      for (const value of junk) {
        if (option === "random" && typeof value === "function") continue;
        assert.throws(() => ours[name]({ ...options, [option]: value }), named(option), `${name} ${option}`);
      }
    }
  }
});

test("the bounds, from either side", () => {
  const ok = {
    baseMs: [0, 0.5, 2 ** 53 - 1],
    factor: [1, 1.5, 1e300],
    maxAttempts: [1, 2 ** 53 - 1, Infinity],
    deadlineMs: [1e-9, Infinity],
    maxDelayMs: [0, Infinity],
  };
  const bad = {
    baseMs: [-1, 2 ** 53, Infinity],
    factor: [0.99, Infinity],
    maxAttempts: [0, 1.5, -1],
    deadlineMs: [0, -1],
    maxDelayMs: [-1],
    jitter: ["Full", "decorrelated"],
  };
  for (const [option, values] of Object.entries(ok)) {
    for (const value of values) assert.ok(ours.exponential({ ...makers.exponential, [option]: value }));
  }
  for (const [option, values] of Object.entries(bad)) {
    for (const value of values) {
      assert.throws(
        () => ours.exponential({ ...makers.exponential, [option]: value }),
        (error) => {
          assert.ok(error instanceof RangeError);
          assert.ok(error.message.includes(String(value)), error.message);
          return named(option)(error);
        },
      );
    }
  }
  const breaker = (option, value) => () => ours.rollingBreaker({ ...makers.rollingBreaker, [option]: value });
  for (const [option, value] of [
    ["windowMs", 0],
    ["failureRatio", 0],
    ["failureRatio", 1.01],
    ["minimumThroughput", 0],
    ["minimumThroughput", 2.5],
    ["openMs", 0],
    ["successThreshold", 2],
    ["openJitter", 1.1],
  ]) {
    assert.throws(breaker(option, value), named(option));
  }
});

test("an error shows the beginning of what was given", () => {
  const start = "x".repeat(99);
  assert.throws(() => ours.exponential({ ...makers.exponential, jitter: "x".repeat(1e6) }), {
    message: `jitter must be none or full or equal, got "${start}"`,
  });
  const policy = ours.exponential(makers.exponential);
  const state = { attempts: "x".repeat(1e6), startedAt: 0, prevDelayMs: 0 };
  assert.throws(() => policy.next(state, 0), { message: `state.attempts cannot be "${start}"` });
});

test("no options at all", () => {
  for (const name of Object.keys(makers)) {
    for (const options of [undefined, null, 5, "text", true, {}]) {
      assert.throws(() => ours[name](options), named("(\\w+|maxAttempts or deadlineMs)"), name);
    }
  }
  for (const delayFor of junk.filter((value) => typeof value !== "function")) {
    assert.throws(() => ours.backoff(delayFor, { maxAttempts: 2 }), named("delayFor"));
  }
});

test("an option is read once", () => {
  for (const [name, options] of Object.entries(makers)) {
    const reads = {};
    const counting = new Proxy(options, {
      get: (target, key) => {
        reads[key] = (reads[key] ?? 0) + 1;
        return target[key];
      },
    });
    ours[name](counting);
    for (const [key, count] of Object.entries(reads)) assert.equal(count, 1, `${name} ${key}`);
  }
});

test("later changes to the options change nothing", () => {
  const options = { baseMs: 100, maxAttempts: 5, jitter: "none" };
  const policy = ours.exponential(options);
  options.baseMs = 1;
  assert.equal(policy.peek(policy.init(0), 0).delayMs, 100);
});

test("a state with a wrong or missing field is refused by the field's name", () => {
  const states = {
    exponential: { attempts: 1, startedAt: 5, prevDelayMs: 5 },
    consecutiveBreaker: { status: "closed", changedAt: 5, probes: 0, successes: 0, failures: 0 },
    rollingBreaker: {
      status: "open",
      changedAt: 5,
      probes: 0,
      successes: 0,
      start: 0,
      prevOk: 0,
      prevFail: 0,
      currOk: 0,
      currFail: 0,
    },
  };
  const optional = { openings: 0, openForMs: 0, aheadMs: 0 };
  const cases = Object.entries(states).flatMap(([name, valid]) =>
    [plain, ours].map((from) => [name, valid, from[name](makers[name])]),
  );
  for (const [name, valid, machine] of cases) {
    const calls = machine.next
      ? [machine.next, machine.peek]
      : [machine.request, machine.succeed, machine.fail, machine.ignore, machine.peek];
    for (const call of calls) {
      call(valid, 5);
      const fields = Object.keys(name === "exponential" ? valid : { ...valid, ...optional });
      for (const field of fields) {
        const refused = (error) => {
          assert.ok(error instanceof StateError, String(error));
          assert.equal(error.name, "StateError");
          assert.equal(error.field, field);
          assert.ok(error.message.includes(field));
          return true;
        };
        for (const value of [...junk, Infinity, -1e300, 2 ** 60]) {
          assert.throws(() => call({ ...valid, [field]: value }, 5), refused, `${name} ${field} ${typeof value}`);
        }
        if (field in valid) {
          const { [field]: _, ...missing } = valid;
          assert.throws(() => call(missing, 5), refused);
        }
      }
      for (const state of [undefined, null, 5, "text"]) assert.throws(() => call(state, 5), StateError);
      assert.ok(call(Object.assign(Object.create(null), valid), 5) !== undefined);
    }
  }
  const policy = ours.exponential(makers.exponential);
  for (const attempts of [-1, 1.5, 2 ** 53]) {
    assert.throws(() => policy.next({ attempts, startedAt: 0, prevDelayMs: 0 }, 0), StateError);
  }
});

test("outcomes and times that are junk do no harm", () => {
  const policy = ours.exponential({ baseMs: 100, maxAttempts: 3, deadlineMs: 1_000, jitter: "none" });
  for (const now of [NaN, Infinity, -Infinity, -1e300]) {
    const { decision } = policy.next(policy.init(now), now);
    assert.ok(Number.isInteger(decision.delayMs) && decision.remainingMs >= 0);
  }
  for (const retryAfterMs of [NaN, -5, "9", null, true, {}]) {
    assert.equal(policy.peek(policy.init(0), 0, { retryAfterMs }).delayMs, 100);
  }
  assert.equal(policy.peek(policy.init(0), 0, { retryAfterMs: Infinity }).reason, "deadline");
  assert.equal(policy.peek(policy.init(0), 0, null).delayMs, 100);
  for (const draw of [NaN, -1, 2, Infinity, undefined, "0.5", null]) {
    const jittered = ours.exponential({ baseMs: 100, maxAttempts: 3, random: () => draw });
    const { delayMs } = jittered.peek(jittered.init(0), 0);
    assert.ok(delayMs >= 0 && delayMs <= 100);
  }
});

test("random states and times: no NaN, nothing negative, nothing above the cap", () => {
  let seed = 1;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const pick = (...values) => values[Math.floor(random() * values.length)];
  const policies = ["exponential", "decorrelatedJitter", "fibonacci", "linear"].map((name) =>
    ours[name]({ baseMs: 250, deadlineMs: 1e9, random }),
  );
  for (let round = 0; round < 20_000; round++) {
    const state = {
      attempts: pick(0, 1, 50, 1e6, 2 ** 53 - 1),
      startedAt: pick(0, -1e9, 1.7e12, random() * 2e12, -(2 ** 53 - 1)),
      prevDelayMs: pick(0, 1, 1e4, random() * 1e5, 2 ** 53 - 1),
    };
    const before = JSON.stringify(state);
    const { state: next, decision } = pick(...policies).next(
      Object.freeze(state),
      pick(NaN, 0, 1.7e12, random() * 2e12),
    );
    assert.ok(decision.delayMs >= 0 && decision.delayMs <= 30_000 && Number.isInteger(decision.delayMs));
    assert.ok(decision.remainingMs >= 0);
    assert.equal(JSON.stringify(state), before);
    assert.equal(decision.retry, next !== state);
  }
});
