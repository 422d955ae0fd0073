// The vectors that every runtime runs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as ours from "retry-primitives-wasm";
import * as extended from "retry-primitives-wasm/breaker/extended";

const read = (name) => {
  const revive = (_, value) => (value === "Infinity" ? Infinity : value);
  return JSON.parse(readFileSync(new URL(`./vectors/${name}.json`, import.meta.url), "utf8"), revive);
};

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
  const vectors = read("backoff");
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

test("breaker", () => breakers(extended, read("breaker")));

test("breaker, without the options of the extended one", () => {
  const more = ["openGrowth", "openJitter", "slowCallMs", "slowRatio"];
  const plain = read("breaker").filter(({ options }) => !more.some((option) => option in options));
  breakers(ours, plain);
});

test("Retry-After", () => {
  for (const { value, now, expected } of read("retry_after")) {
    assert.equal(ours.parseRetryAfter(value, now) ?? null, expected, JSON.stringify({ value, now }));
  }
});
