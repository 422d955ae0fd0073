// The vectors that every runtime runs.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as ours from "retry-primitives-wasm";
import * as extended from "retry-primitives-wasm/breaker/extended";
import { words } from "../node_modules/retry-primitives-wasm/dist/esm/workers/report.js";
import * as budgets from "retry-primitives-wasm/budget";
import * as machine from "retry-primitives-wasm/operation";
import backoffVectors from "./vectors/backoff.json" with { type: "json" };
import breakerVectors from "./vectors/breaker.json" with { type: "json" };
import budgetVectors from "./vectors/budget.json" with { type: "json" };
import operationVectors from "./vectors/operation.json" with { type: "json" };
import retryAfterVectors from "./vectors/retry_after.json" with { type: "json" };
import wordsVectors from "./vectors/words.json" with { type: "json" };

/** JSON has no Infinity, so the vectors spell it. */
const revived = (vectors) =>
  JSON.parse(JSON.stringify(vectors), (_, value) => (value === "Infinity" ? Infinity : value));

const CURVES = {
  squares: (attempt) => 10 * attempt * attempt,
  previous: (_, previous) => 2 * previous + 25,
  drawn: (_attempt, _previous, random) => 400 * random(),
  nan: () => NaN,
  infinity: () => Infinity,
  negative: () => -5,
  minusInfinity: () => -Infinity,
};

test("backoff", () => {
  const vectors = revived(backoffVectors);
  assert.ok(vectors.length > 100);
  for (const { policy: name, options, state, now, outcome, random, expected, ...rest } of vectors) {
    let draws = 0;
    const draw = () => {
      draws += 1;
      return random;
    };
    const { delayFor, ...limits } = options;
    const given = { ...limits, random: draw };
    const policy = name === "backoff" ? ours.backoff(CURVES[delayFor], given) : ours[name](given);
    const before = JSON.stringify(state);
    const { state: next, decision } = policy.next(Object.freeze(state), now, Object.freeze(outcome));
    const where = JSON.stringify({ ...rest, name, options, state, now, outcome, random });
    const { retryAfterMs, ...reference } = decision;
    assert.deepEqual({ state: next, decision: reference, draws }, expected, where);
    assert.equal(retryAfterMs, decision.retry ? undefined : outcome.retryAfterMs, where);
    assert.equal(next === state, !decision.retry, where);
    assert.equal(JSON.stringify(state), before, where);
  }
});

const breakers = ({ consecutiveBreaker, rollingBreaker }, vectors) => {
  assert.ok(vectors.length > 10);
  const makers = { consecutiveBreaker, rollingBreaker };
  for (const { name, breaker: kind, options, start, steps } of vectors) {
    let draw = 0;
    const breaker = makers[kind]({ ...options, random: () => draw });
    let state = breaker.init(start);
    const epochs = [];
    for (const [index, step] of steps.entries()) {
      const { do: what, now, result, admittedBy, tookMs, random, expected } = step;
      draw = random;
      Object.freeze(state);
      const where = `${name}, step ${index}`;
      let next = state;
      if (what === "peek") {
        assert.deepEqual(breaker.peek(state, now), expected.verdict, where);
      } else if (what === "request") {
        const answer = breaker.request(state, now);
        assert.deepEqual(answer.verdict, expected.verdict, where);
        next = answer.state;
        epochs[index] = next.changedAt;
      } else {
        const call = {};
        if (admittedBy !== undefined) call.epoch = epochs[admittedBy];
        if (tookMs !== undefined) call.durationMs = tookMs;
        const answer = breaker.report(state, now, result, call);
        assert.equal(answer.reported, expected.reported, where);
        next = answer.state;
      }
      assert.deepEqual(next, expected.state ?? state, where);
      state = next;
    }
  }
};

test("breaker", () => breakers(extended, revived(breakerVectors)));

test("breaker, without the options of the extended one", () => {
  const more = ["openGrowth", "openJitter", "slowCallMs", "slowRatio"];
  const plain = revived(breakerVectors).filter(({ options }) => !more.some((option) => option in options));
  breakers(ours, plain);
});

test("budget", () => {
  const vectors = revived(budgetVectors);
  assert.ok(vectors.length > 20);
  for (const { name, budget: kind, options, start, init, steps } of vectors) {
    let drawn = 0;
    let draws = 0;
    const random = () => {
      draws += 1;
      return drawn;
    };
    const budget = budgets[kind](kind === "adaptiveThrottle" ? { ...options, random } : options);
    let state = budget.init(start);
    assert.deepEqual(state, init);
    for (const [index, step] of steps.entries()) {
      const { do: what, now, failure, retried, expected } = step;
      [drawn, draws] = [step.random, 0];
      Object.values(Object.freeze(state)).forEach(Object.freeze);
      const where = `${name}, step ${index}`;
      let next = state;
      if (what === "request" || what === "retry") {
        const answer = what === "retry" ? budget.retry(state, now, failure) : budget.request(state, now);
        assert.deepEqual(
          { allowed: answer.allowed, draws },
          { allowed: expected.allowed, draws: expected.draws },
          where,
        );
        if (what === "retry") assert.equal(budget.peek(state, now, failure), answer.allowed, where);
        next = answer.state;
      } else if (what === "look") {
        const { balance, ...stats } = expected.stats;
        assert.deepEqual(budget.stats(state, now), stats, where);
        if (balance !== undefined) assert.equal(budget.balance(state, now), balance, where);
      } else {
        next = what === "succeed" ? budget.succeed(state, now, retried) : budget.fail(state, now, failure);
      }
      assert.deepEqual(next, expected.state ?? state, where);
      assert.equal(next === state, expected.state === undefined, where);
      state = JSON.parse(JSON.stringify(next));
    }
  }
});

test("operation", () => {
  const vectors = revived(operationVectors);
  assert.ok(vectors.length > 50);
  for (const { name, policy: kind, options, deadManMs, start, started, steps } of vectors) {
    const policy = ours[kind]({ ...options, jitter: "none", random: () => assert.fail("drew") });
    let operation = machine.start(policy, start);
    assert.deepEqual(operation, started);
    const tickets = [];
    for (const [index, step] of steps.entries()) {
      const { do: what, now, expected } = step;
      const where = `${name}, step ${index}`;
      const before = JSON.stringify(operation);
      let next;
      if (what === "wake") {
        const woken = machine.wake(operation, policy, now, deadManMs);
        assert.equal(woken.ticket?.attempt ?? null, expected.attempt, where);
        tickets[index] = woken.ticket;
        next = woken.operation;
      } else if (what === "settle") {
        next = machine.settle(operation, policy, tickets[step.ticket], now, step.report);
      } else {
        next =
          what === "cancel" ? machine.cancel(operation, now) : machine.postpone(operation, policy, now, step.until);
      }
      assert.deepEqual(next, expected.operation ?? operation, where);
      assert.equal(JSON.stringify(operation), before, where);
      const { due, until } = next.phase;
      assert.equal(due ?? until ?? null, expected.alarm, where);
      operation = machine.readOperation(JSON.parse(JSON.stringify(next)));
      assert.deepEqual(operation, next, where);
    }
  }
});

test("words of an error", () => {
  for (const { text, expected } of wordsVectors) assert.equal(words(text), expected);
});

test("Retry-After", () => {
  for (const { value, now, expected } of retryAfterVectors) {
    assert.equal(ours.parseRetryAfter(value, now) ?? null, expected, JSON.stringify({ value, now }));
  }
});
