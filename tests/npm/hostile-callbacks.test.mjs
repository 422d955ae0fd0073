// Functions, getters and values of the caller's that throw, or that come back into the package while it is at work.
import assert from "node:assert/strict";
import { test } from "node:test";
import { backoff, decorrelatedJitter, exponential } from "retry-primitives-wasm/backoff";
import * as plain from "retry-primitives-wasm/breaker";
import * as extended from "retry-primitives-wasm/breaker/extended";
import { adaptiveThrottle, retryBudget, tokenBucket } from "retry-primitives-wasm/budget";
import { Hints, httpOutcome, isAbortError, isNetworkError, parseRetryAfter } from "retry-primitives-wasm/classify";

// A program has 4,096 bytes of stack in memory: if a throw kept any of it, it would be gone long before.
const THROWS = 1_000;
const mine = new Error("mine");
const throwing = () => {
  throw mine;
};
/** What a function may give back that is no number, and cannot be made one. */
const unnumbered = [
  () => 1n,
  () => Symbol("s"),
  () => ({ valueOf: throwing }),
  () => ({ [Symbol.toPrimitive]: throwing }),
];
const often = (call) => {
  for (let round = 0; round < THROWS; round++) assert.throws(call);
};

test("a program outlives a thousand sources of randomness that throw, or give what is no number", () => {
  const openGrowth = { curve: "decorrelatedJitter", maxOpenMs: 9_000 };
  for (const random of [throwing, ...unnumbered]) {
    for (const more of [{ openJitter: 0.5 }, { openGrowth }]) {
      const breaker = extended.consecutiveBreaker({ failureThreshold: 1, openMs: 1_000, ...more, random });
      const state = breaker.init(0);
      often(() => breaker.fail(state, 1));
      const rolling = extended.rollingBreaker({
        windowMs: 1_000,
        minimumThroughput: 1,
        openMs: 1_000,
        ...more,
        random,
      });
      often(() => rolling.fail(rolling.init(0), 1));
    }
    for (const policy of [
      exponential({ baseMs: 100, maxAttempts: 9, random }),
      decorrelatedJitter({ baseMs: 100, maxAttempts: 9, random }),
      backoff(random, { maxAttempts: 9 }),
    ]) {
      often(() => policy.next(policy.init(0), 0));
    }
  }
  const breaker = extended.consecutiveBreaker({
    failureThreshold: 1,
    openMs: 1_000,
    openJitter: 0.5,
    random: () => 0.5,
  });
  assert.equal(breaker.peek(breaker.fail(breaker.init(0), 1), 1).retryAfterMs, 1_250);
  assert.equal(breaker.merge(breaker.init(0), breaker.fail(breaker.init(0), 1)).status, "open");
  const policy = exponential({ baseMs: 100, maxAttempts: 9, random: () => 0.5 });
  assert.equal(policy.peek(policy.init(0), 0).delayMs, 50);
});

test("a forced opening draws nothing, whichever breaker was used last", () => {
  const options = { failureThreshold: 1, openMs: 1_000, openJitter: 1 };
  const breaker = extended.consecutiveBreaker({ ...options, random: () => assert.fail("drew") });
  const state = breaker.succeed(breaker.init(0), 1);
  assert.deepEqual(extended.forceOpen(state, 5), { ...state, status: "open", changedAt: 5 });
});

test("a program outlives a thousand responses and errors that throw", () => {
  const date = "Sun, 06 Nov 1994 08:50:37 GMT";
  const responses = [
    { status: 503, headers: { "retry-after": "7" } },
    { status: 503, headers: { get: throwing } },
    {
      status: 503,
      get headers() {
        return throwing();
      },
    },
    {
      get status() {
        return throwing();
      },
    },
  ];
  for (const response of responses) often(() => httpOutcome(response, 0, { hints: Hints.all }));
  for (const now of [1n, Symbol("s"), { valueOf: throwing }]) {
    often(() => parseRetryAfter(date, now));
    often(() => httpOutcome({ status: 503, headers: new Headers({ "retry-after": date }) }, now));
  }
  const hostile = new Proxy({}, { get: throwing, getPrototypeOf: throwing, has: throwing });
  for (let round = 0; round < THROWS; round++) assert.equal(isNetworkError({ cause: hostile }), false);
  const later = new Response(null, { status: 503, headers: { "retry-after": date } });
  assert.deepEqual(httpOutcome(later, Date.UTC(1994, 10, 6, 8, 49, 37)), { retryable: true, retryAfterMs: 60_000 });
  assert.equal(isNetworkError(Object.assign(new Error("x"), { code: "ECONNRESET" })), true);
});

test("a program outlives a thousand budgets that throw", () => {
  const throttle = adaptiveThrottle({ multiplier: 1, random: throwing });
  let state = throttle.init(0);
  for (let call = 0; call < 9; call++) state = throttle.fail(throttle.request(throttle.init(0), 0).state, 0);
  const refused = { ...state, requests: state.requests.map(() => 50) };
  for (let round = 0; round < THROWS; round++) assert.throws(() => throttle.request(refused, 0), { message: "mine" });
  often(() => retryBudget().request(retryBudget().init(0), 1n));
  assert.equal(tokenBucket().retry(tokenBucket().init(0), 0).allowed, true);
});

test("a program outlives calls for which the engine's own stack has no room left", () => {
  const date = "Sun, 06 Nov 1994 08:50:37 GMT";
  const policy = exponential({ baseMs: 100, maxAttempts: 9, jitter: "none" });
  const other = exponential({ baseMs: 7, maxAttempts: 9, jitter: "none" });
  const budget = retryBudget();
  const throttle = adaptiveThrottle();
  const breaker = extended.rollingBreaker({ windowMs: 1_000, openMs: 1_000, openJitter: 1 });
  const states = [policy.init(0), budget.init(0), throttle.init(0), breaker.init(0)];
  const refused = Object.assign(new Error("x"), { code: "ECONNREFUSED" });
  const calls = [
    () => other.peek(states[0], 0).delayMs + policy.peek(states[0], 0).delayMs,
    () => budget.retry(states[1], 5).allowed,
    () => throttle.request(states[2], 5).allowed,
    () => breaker.merge(states[3], breaker.fail(states[3], 5)).currFail,
    () => parseRetryAfter(date, Date.UTC(1994, 10, 6, 8, 50, 36)),
    () => isNetworkError(refused),
  ];
  const answers = [107, true, true, 1, 1_000, true];
  // Tries the call at each of the deepest places, on the way back from one that is too deep.
  let places = 0;
  let wrong = 0;
  const dive = (call, right) => {
    try {
      dive(call, right);
    } catch {
      // Too deep here, or still in the frame below.
    }
    if (places-- > 0 && call() !== right) wrong++;
  };
  for (const [index, call] of calls.entries()) {
    // Compiled as well as it will be, it needs the same room each time.
    for (let warm = 0; warm < 5_000; warm++) call();
    for (let round = 0; round < 12; round++) {
      places = 300;
      dive(call, answers[index]);
      assert.ok(places <= 0);
    }
    assert.deepEqual([call(), wrong], [answers[index], 0]);
  }
});

test("a getter of an outcome or a state may ask another policy", () => {
  const inner = exponential({ baseMs: 7, maxAttempts: 2, jitter: "none" });
  const ask = (value) => {
    assert.equal(inner.peek(inner.init(0), 0).delayMs, 7);
    return value;
  };
  for (const policy of [
    backoff(() => 100, { maxAttempts: 5, jitter: "none" }),
    exponential({ baseMs: 100, maxAttempts: 5, random: () => 1 }),
  ]) {
    const asked = [
      [
        policy.init(0),
        0,
        {
          get retryable() {
            return ask(true);
          },
        },
      ],
      [
        policy.init(0),
        0,
        {
          get retryAfterMs() {
            return ask(undefined);
          },
        },
      ],
      [
        {
          get attempts() {
            return ask(0);
          },
          get startedAt() {
            return ask(0);
          },
          get prevDelayMs() {
            return ask(0);
          },
        },
        0,
      ],
      [policy.init(0), { valueOf: () => ask(0) }],
    ];
    for (const [state, now, outcome] of asked) {
      const expected = { retry: true, delayMs: 100, attempts: 1, remainingMs: Infinity };
      assert.deepEqual(policy.peek(state, now, outcome), expected);
    }
  }
});

test("a getter of a state or a call may use another breaker", () => {
  for (const { consecutiveBreaker, rollingBreaker, forceOpen } of [plain, extended]) {
    const inner = rollingBreaker({ windowMs: 50, openMs: 50, minimumThroughput: 1 });
    const use = (value) => {
      assert.equal(inner.fail(inner.init(3), 4).status, "open");
      return value;
    };
    const using = (state) => {
      const fields = Object.entries(state).map(([key, value]) => [key, { enumerable: true, get: () => use(value) }]);
      return Object.defineProperties({}, Object.fromEntries(fields));
    };
    const breaker = consecutiveBreaker({ failureThreshold: 2, openMs: 1_000 });
    const state = breaker.init(0);
    const failed = { ...state, failures: 1 };
    assert.deepEqual(breaker.fail(using(state), 1), failed);
    assert.deepEqual(breaker.fail(state, { valueOf: () => use(1) }), failed);
    assert.deepEqual(
      breaker.fail(state, 1, {
        get epoch() {
          return use(0);
        },
      }),
      failed,
    );
    assert.deepEqual(
      breaker.fail(state, 1, {
        get durationMs() {
          return use(0);
        },
      }),
      failed,
    );
    assert.deepEqual(forceOpen(using(failed), 5), { ...failed, status: "open", changedAt: 5 });
    if (breaker.merge) assert.deepEqual(breaker.merge(using(state), using(failed)), failed);
  }
});

test("a getter of a state may use another budget", () => {
  const inner = retryBudget();
  const bucket = tokenBucket({ retryCost: 2 });
  const budget = retryBudget({ windowMs: 1_000 });
  const use = (value) => {
    assert.deepEqual(inner.stats(inner.request(inner.init(77), 77).state, 77), { requests: 1, retries: 0 });
    return value;
  };
  assert.deepEqual(
    bucket.retry(
      {
        get tokens() {
          return use(5);
        },
      },
      0,
    ).state,
    { tokens: 3 },
  );
  const { start, requests, retries } = budget.request(budget.init(5), 5).state;
  const using = {
    get start() {
      return use(start);
    },
    requests,
    get retries() {
      return use(retries);
    },
  };
  assert.deepEqual(budget.stats(using, { valueOf: () => use(5) }), { requests: 1, retries: 0 });
});

test("headers and getters may classify other responses and errors", () => {
  const other = new Response(null, { status: 503, headers: { "retry-after": "9" } });
  const inner = () => {
    assert.deepEqual(httpOutcome(other, 0, { hints: Hints.all }), { retryable: true, retryAfterMs: 9_000 });
    assert.equal(isNetworkError(Object.assign(new Error("x"), { code: "CERT_HAS_EXPIRED" })), false);
  };
  const values = { "retry-after": "7" };
  const headers = { get: (name) => (inner(), values[name] ?? null) };
  const outcome = { retryable: true, retryAfterMs: 7_000 };
  assert.deepEqual(httpOutcome({ status: 503, headers }, 0, { hints: Hints.all }), outcome);
  const response = {
    headers,
    get status() {
      return (inner(), 503);
    },
  };
  assert.deepEqual(httpOutcome(response, { valueOf: () => (inner(), 0) }), outcome);
  assert.equal(parseRetryAfter("7", { valueOf: () => (inner(), 0) }), 7_000);

  for (const [facts, isNetwork, isAbort] of [
    [{ name: "Error", code: "ECONNRESET", message: "read ECONNRESET" }, true, false],
    [{ name: "AbortError", code: 20, message: "aborted" }, false, true],
    [{ name: "Error", code: undefined, message: "x", cause: { code: "ECONNREFUSED" } }, true, false],
  ]) {
    const getters = Object.entries(facts).map(([key, value]) => [key, { get: () => (inner(), value) }]);
    const error = Object.defineProperties({}, Object.fromEntries(getters));
    assert.equal(isNetworkError(error), isNetwork);
    assert.equal(isAbortError(new Error("outer", { cause: error })), isAbort);
  }
});
