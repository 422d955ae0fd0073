// Budgets: the formulas of their sources by hand, and whatever a caller passes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { adaptiveThrottle, grpcThrottle, retryBudget, StateError, tokenBucket } from "retry-primitives-wasm/budget";

const makers = {
  retryBudget: { ratio: 0.2, minRetriesPerSecond: 10, windowMs: 10_000 },
  adaptiveThrottle: { multiplier: 2, windowMs: 120_000, random: () => 0.5 },
  tokenBucket: {
    capacity: 500,
    retryCost: 5,
    timeoutRetryCost: 10,
    throttlingRetryCost: 5,
    noRetryIncrement: 1,
  },
  grpcThrottle: { maxTokens: 10, tokenRatio: 0.1 },
};
const make = { retryBudget, adaptiveThrottle, tokenBucket, grpcThrottle };

/** A hundred calls of up to four attempts each, on a dependency that is down: how many attempts are made. */
const load = (budget) => {
  let state = budget.init(0);
  let attempts = 0;
  const ask = (answer) => {
    ({ state } = answer);
    return answer.allowed;
  };
  for (let call = 0; call < 100; call++) {
    let goesOn = ask(budget.request(state, 0));
    for (let made = 1; goesOn; made++) {
      attempts += 1;
      state = budget.fail(state, 0);
      goesOn = made < 4 && ask(budget.retry(state, 0));
    }
  }
  return attempts;
};

test("what is left of 400 attempts", () => {
  assert.equal(load(retryBudget({ minRetriesPerSecond: 1 })), 100 + 1 * 10 + 0.2 * 100);
  assert.equal(load(tokenBucket()), 100 + 500 / 5);
  assert.equal(load(grpcThrottle()), 100 + 4 - 1); // the fifth failure leaves 5 of 10, which is not more than half
  assert.equal(load(adaptiveThrottle({ random: () => 0.5 })), 2); // then (2 - 0) / (2 + 1) > 0.5
});

test("defaults are those of the sources", () => {
  for (const [name, options] of Object.entries(makers)) {
    const [plain, explicit] = [make[name](), make[name](options)];
    assert.deepEqual(plain.init(0), explicit.init(0), name);
    let states = [plain.init(0), explicit.init(0)];
    for (let step = 0; step < 200; step++) {
      const answers = [plain.retry(states[0], step), explicit.retry(states[1], step)];
      if (name !== "adaptiveThrottle") assert.deepEqual(answers[0], answers[1], name);
      states = answers.map(({ state }) => state);
    }
    const ended = [plain.succeed(states[0], 300), explicit.succeed(states[1], 300)];
    assert.deepEqual(ended[0], ended[1], name);
  }
});

test("states are the JSON that Rust writes", () => {
  const zeros = Array(9).fill(0);
  const retries = retryBudget();
  const { state } = retries.retry(retries.request(retries.init(0), 1_500).state, 1_500);
  assert.deepEqual(state, { start: 1_000, requests: [1, ...zeros], retries: [1, ...zeros] });
  const throttle = adaptiveThrottle();
  assert.deepEqual(throttle.succeed(throttle.init(0.5), 0.5), {
    start: 0.5,
    requests: [0, ...zeros],
    accepts: [1, ...zeros],
  });
  assert.deepEqual(tokenBucket().init(0), { tokens: 500 });
  assert.deepEqual(grpcThrottle().init(0), { milliTokens: 10_000 });
});

test("a retry budget shows its window and what is left", () => {
  const budget = retryBudget();
  let state = budget.init(0);
  for (let request = 0; request < 50; request++) ({ state } = budget.request(state, 100));
  ({ state } = budget.retry(state, 100));
  assert.deepEqual(budget.stats(state, 100), { requests: 50, retries: 1 });
  assert.equal(budget.balance(state, 100), 10 * 10 + 0.2 * 50 - 1);
  assert.deepEqual(budget.stats(state, 10_100), { requests: 0, retries: 0 });
});

test("the adaptive throttle's formula; no draw while nothing is decided by chance", () => {
  const throttle = adaptiveThrottle({ random: () => assert.fail("drew") });
  let state = throttle.init(0);
  for (let request = 0; request < 3; request++) {
    ({ state } = throttle.request(state, 0));
    state = throttle.succeed(state, 0);
  }
  const down = { ...state, accepts: state.accepts.map(() => 0) };
  assert.equal(throttle.rejectionProbability(down, 0), 3 / 4);
  assert.deepEqual(throttle.stats(down, 0), { requests: 3, accepts: 0 });
  assert.equal(throttle.retry(down, 0, "nonRetryable").allowed, false);
  for (const [draw, allowed] of [
    [0.74, false],
    [0.75, true],
  ]) {
    assert.equal(adaptiveThrottle({ random: () => draw }).request(down, 0).allowed, allowed);
  }
});

test("a source of randomness that throws, or asks a budget itself, does no harm", () => {
  const down = { start: 0, requests: [3, ...Array(9).fill(0)], accepts: Array(10).fill(0) };
  const throwing = adaptiveThrottle({
    random: () => {
      throw new Error("none left");
    },
  });
  for (let time = 0; time < 10_000; time++) assert.throws(() => throwing.request(down, 0), /none left/);
  const inner = adaptiveThrottle({ random: () => 0.1 });
  const outer = adaptiveThrottle({ random: () => (inner.request({ ...down, start: 500 }, 500).allowed ? 0.2 : 0.9) });
  const { state, allowed } = outer.request(down, 0);
  assert.equal(allowed, true);
  assert.deepEqual(state, { ...down, requests: [4, ...Array(9).fill(0)] });
});

test("what costs nothing changes nothing, and gives back the very state", () => {
  for (const [name, maker] of Object.entries(make)) {
    const budget = maker();
    const state = Object.freeze(budget.init(0));
    assert.equal(budget.retry(state, 0, "nonRetryable").state, state, name);
    assert.equal(budget.retry(state, 0, "nonRetryable").allowed, false, name);
    assert.ok(Object.isFrozen(budget), name);
  }
});

const junk = [null, "5", "", true, 5n, Symbol("s"), {}, [], [5], Object.create(null), () => 5, NaN, -Infinity, -1];
const named = (option) => (error) => {
  assert.ok(error instanceof RangeError || error instanceof TypeError, String(error));
  assert.match(error.message, new RegExp(`^${option} must be .+, got .+`));
  return true;
};

test("every option, with every kind of junk and its bounds", () => {
  for (const [name, options] of Object.entries(makers)) {
    for (const option of Object.keys(options)) {
      for (const value of junk) {
        if (option === "random" && typeof value === "function") continue;
        assert.throws(() => make[name]({ ...options, [option]: value }), named(option), `${name} ${option}`);
      }
    }
    for (const value of [null, 5, "text", true]) assert.throws(() => make[name](value), named("options"));
  }
  for (const [name, option, value] of [
    ["retryBudget", "ratio", 1_000.1],
    ["retryBudget", "windowMs", 9],
    ["adaptiveThrottle", "multiplier", 0.99],
    ["adaptiveThrottle", "windowMs", 2 ** 53],
    ["tokenBucket", "capacity", 2 ** 32],
    ["tokenBucket", "capacity", 0],
    ["tokenBucket", "retryCost", 501],
    ["tokenBucket", "retryCost", 1.5],
    ["grpcThrottle", "maxTokens", 1_001],
    ["grpcThrottle", "tokenRatio", 0],
  ]) {
    assert.throws(() => make[name]({ [option]: value }), named(option));
  }
  // A default can be out of range too, once the capacity is small.
  assert.throws(() => tokenBucket({ capacity: 8 }), named("timeoutRetryCost"));
});

test("a failure of another kind is refused by name", () => {
  for (const failure of ["Transient", null, 5, {}]) {
    for (const maker of Object.values(make)) {
      const budget = maker();
      assert.throws(() => budget.retry(budget.init(0), 0, failure), named("failure"));
      assert.throws(() => budget.fail(budget.init(0), 0, failure), named("failure"));
      assert.throws(() => budget.succeed(budget.init(0), 0, failure), named("retried"));
    }
  }
});

test("a state with a wrong or missing field is refused by the field's name", () => {
  for (const maker of Object.values(make)) {
    const budget = maker();
    const valid = budget.init(5);
    const calls = [budget.request, budget.retry, budget.succeed, budget.fail, budget.peek];
    if (budget.stats) calls.push(budget.stats);
    for (const call of calls) {
      call(valid, 5);
      const refused = (field) => (error) => {
        assert.ok(error instanceof StateError, String(error));
        assert.equal(error.field, field);
        return true;
      };
      for (const [field, value] of Object.entries(valid)) {
        const wrong = [...junk, Infinity, 2 ** 60].filter((other) => field !== "start" || other !== -1);
        if (Array.isArray(value)) {
          for (const slot of wrong)
            assert.throws(
              () => call({ ...valid, [field]: value.map((count, index) => (index === 9 ? slot : count)) }, 5),
              refused(field),
            );
          wrong.push(Array(9).fill(0), Array(11).fill(0), Array(10));
        }
        for (const other of wrong) assert.throws(() => call({ ...valid, [field]: other }, 5), refused(field));
        const { [field]: _, ...missing } = valid;
        assert.throws(() => call(missing, 5), refused(field));
      }
      for (const state of [undefined, null, 5, "text"]) assert.throws(() => call(state, 5), StateError);
    }
  }
  const budget = retryBudget();
  const state = { ...budget.init(0), retries: [0, 0, 0, -4, 0, 0, 0, 0, 0, 0] };
  assert.throws(() => budget.request(state, 0), /state\.retries cannot be -4/);
});

test("times that are junk do no harm", () => {
  for (const maker of Object.values(make)) {
    const budget = maker();
    for (const now of [NaN, Infinity, -Infinity, 1e300]) {
      const state = budget.succeed(budget.retry(budget.request(budget.init(now), now).state, now).state, now);
      assert.deepEqual(JSON.parse(JSON.stringify(state)), state);
    }
  }
});
