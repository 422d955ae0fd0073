// Waits: the formulas of the backoff types and of jitter, and the backoff helpers. "Page" as in pipeline-retry.test.mjs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { backoff, FakeTimeProvider, retry } from "retry-primitives-wasm/pipeline";
import { failing, finish, waits } from "./support/pipeline.mjs";

const waited = async (options, retries) => {
  const time = new FakeTimeProvider();
  const call = failing(time, Infinity);
  await finish(time, retry(call, { ...options, maxRetryAttempts: retries, timeProvider: time }));
  return waits(call);
};
const every = (helper, count = 6) => Array.from({ length: count }, (_, attempt) => helper(attempt));
const inTurn = (draws) => {
  let drawn = 0;
  return () => draws[drawn++ % draws.length];
};

test("constant, linear and exponential", async () => {
  const delay = "1s";
  assert.deepEqual(await waited({ delay }, 3), [1_000, 1_000, 1_000]);
  assert.deepEqual(await waited({ delay, backoffType: "linear" }, 4), [1_000, 2_000, 3_000, 4_000]);
  assert.deepEqual(await waited({ delay, backoffType: "exponential" }, 4), [1_000, 2_000, 4_000, 8_000]);
  assert.deepEqual(await waited({ delay, backoffType: "exponential", factor: 3 }, 3), [1_000, 3_000, 9_000]);
  assert.deepEqual(
    await waited({ delay, backoffType: "exponential", maxDelay: "3s" }, 4),
    [1_000, 2_000, 3_000, 3_000],
  );
});

test("Page, Jitter: false is d itself, and draws nothing", async () => {
  const randomizer = () => assert.fail("drawn");
  assert.deepEqual(await waited({ delay: 100, useJitter: false, randomizer }, 2), [100, 100]);
});

test("Page, Jitter: 'full' is r * d, after the cap", async () => {
  const options = { delay: 1_000, backoffType: "linear", maxDelay: 2_000, useJitter: "full", randomizer: () => 0.25 };
  assert.deepEqual(await waited(options, 3), [250, 500, 500]);
});

test("Page, Jitter: 'equal' is d/2 + r * d/2", async () => {
  const options = { delay: 1_000, backoffType: "linear", maxDelay: 2_000, useJitter: "equal", randomizer: () => 0.25 };
  assert.deepEqual(await waited(options, 3), [625, 1_250, 1_250]);
});

test("Page, Jitter: true is d +- 25 % for constant and linear, capped at maxDelay", async () => {
  for (const [draw, constant, linear] of [
    [0, [750, 750], [750, 1_500, 1_500]],
    [0.5, [1_000, 1_000], [1_000, 2_000, 2_000]],
    [0.75, [1_125, 1_125], [1_125, 2_000, 2_000]],
  ]) {
    const options = { delay: "1s", useJitter: true, randomizer: () => draw };
    assert.deepEqual(await waited(options, 2), constant);
    assert.deepEqual(await waited({ ...options, backoffType: "linear", maxDelay: "2s" }, 3), linear);
  }
});

test("Page, Jitter: true is Polly's decorrelated jitter V2 for exponential; factor is ignored", async () => {
  // The formula's figures for a base of 1,000, in whole milliseconds.
  const half = [897, 1_093, 2_036, 4_046, 8_084];
  const none = [0, 1_377, 1_460, 2_866];
  const options = { delay: "1s", backoffType: "exponential", useJitter: true };
  assert.deepEqual(await waited({ ...options, randomizer: () => 0.5 }, 5), half);
  assert.deepEqual(await waited({ ...options, randomizer: () => 0.5, factor: 9 }, 5), half);
  assert.deepEqual(await waited({ ...options, randomizer: () => 0 }, 4), none);
  const capped = { ...options, randomizer: () => 0.5, maxDelay: "4s" };
  assert.deepEqual(await waited(capped, 5), [897, 1_093, 2_036, 4_000, 4_000]);
});

test("Page, Jitter: V2 against its formula, with draws that differ", async () => {
  const growth = (t) => 2 ** t * Math.tanh(Math.sqrt(4 * t));
  const draws = [0.31, 0.9, 0.02, 0.77, 0.5, 0.999, 0.13];
  let before = 0;
  const expected = draws.map((draw, attempt) => {
    const reached = growth(attempt + draw);
    const wait = Math.round(((reached - before) * 200) / 1.4);
    before = reached;
    return wait;
  });
  const options = { delay: 200, backoffType: "exponential", useJitter: true, randomizer: inTurn(draws) };
  assert.deepEqual(await waited(options, draws.length), expected);
});

test("two executions of one pipeline keep V2's state apart", async () => {
  const time = new FakeTimeProvider();
  const calls = [failing(time, 9), failing(time, 9)];
  const options = {
    delay: "1s",
    backoffType: "exponential",
    useJitter: true,
    randomizer: () => 0.5,
    maxRetryAttempts: 3,
    timeProvider: time,
  };
  await finish(time, Promise.allSettled(calls.map((call) => retry(call, options))));
  for (const call of calls) assert.deepEqual(waits(call), [897, 1_093, 2_036]);
});

test("Cases 1 and 4: at any attempt the wait is a whole number up to the cap, of every type and jitter", () => {
  for (const name of ["constant", "linear", "exponential"]) {
    for (const useJitter of [false, "full", "equal", true]) {
      const helper = backoff[name]({ delay: "1s", maxDelay: "30s", useJitter, randomizer: () => 0.5 });
      for (const attempt of [0, 63, 1_023, 1_024, 1_025, 1e6, 2 ** 53]) {
        const wait = helper(attempt);
        assert.ok(
          Number.isSafeInteger(wait) && wait >= 0 && wait <= 30_000,
          `${name} ${useJitter} ${attempt}: ${wait}`,
        );
        if (name === "exponential" && useJitter === true && attempt > 60) assert.equal(wait, 30_000);
      }
      const unbound = backoff[name]({ delay: "1s", useJitter })(2 ** 53);
      assert.ok(unbound >= 0 && unbound <= Number.MAX_SAFE_INTEGER);
    }
  }
});

test("Case 2: a maxDelay below delay holds from the first wait on", async () => {
  assert.deepEqual(await waited({ delay: "1s", maxDelay: 10 }, 2), [10, 10]);
});

test("Case 5: draws that differ make waits that differ", () => {
  for (const useJitter of ["full", "equal", true]) {
    for (const name of ["constant", "linear", "exponential"]) {
      const helper = backoff[name]({ delay: "1h", useJitter });
      assert.ok(new Set(every(() => helper(3), 50)).size > 25, `${name} ${useJitter}`);
    }
  }
});

test("Page, Backoff helpers: plain functions of the attempt number", () => {
  assert.deepEqual(every(backoff.constant({ delay: 5 }), 3), [5, 5, 5]);
  assert.deepEqual(every(backoff.linear({ delay: "1s" }), 3), [1_000, 2_000, 3_000]);
  const exponential = backoff.exponential({ delay: "100ms", maxDelay: "1s", factor: 3 });
  assert.deepEqual(every(exponential, 4), [100, 300, 900, 1_000]);
  assert.equal(exponential(2), 900, "the same again, in any order");
  assert.equal(exponential({ attemptNumber: 1 }), 300);
  const full = { delay: "100ms", maxDelay: "10s", useJitter: "full", randomizer: () => 0.5 };
  assert.deepEqual(every(backoff.exponential(full), 8), [50, 100, 200, 400, 800, 1_600, 3_200, 5_000]);
});

test("Page, Backoff helpers: sequence is a fixed list, whose last wait repeats", () => {
  assert.deepEqual(every(backoff.sequence(["100ms", "1s", "5s"]), 5), [100, 1_000, 5_000, 5_000, 5_000]);
  assert.deepEqual(every(backoff.sequence([7]), 2), [7, 7]);
  assert.throws(() => backoff.sequence([]), RangeError);
  assert.throws(() => backoff.sequence([1, "soon"]), /^RangeError: delays\[1\] must be .* got "soon"$/);
});

test("a V2 helper keeps nothing: each wait is spread as V2 spreads it, whatever was asked before", () => {
  // With r = .5 for both draws it is what V2 waits then.
  const helper = backoff.exponential({ delay: "1s", useJitter: true, randomizer: () => 0.5 });
  assert.deepEqual([4, 0, 2].map(helper), [8_084, 897, 2_036]);
  // The mean of a wait is that of V2: the growth of F over one attempt, here by summing it up finely.
  const growth = (t) => 2 ** t * Math.tanh(Math.sqrt(4 * t));
  const mean = (from) =>
    Array.from({ length: 1_000 }, (_, i) => growth(from + (i + 0.5) / 1_000) / 1_000).reduce((a, b) => a + b);
  let seed = 1;
  const randomizer = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const drawn = backoff.exponential({ delay: "1m", useJitter: true, randomizer });
  const average = every(() => drawn(4), 20_000).reduce((a, b) => a + b) / 20_000;
  const expected = ((mean(4) - mean(3)) * 60_000) / 1.4;
  assert.ok(Math.abs(average / expected - 1) < 0.02, `${average} instead of ${expected}`);
});

test("Page, Backoff helpers: as a delayGenerator", async () => {
  assert.deepEqual(await waited({ delayGenerator: backoff.sequence(["100ms", "1s"]) }, 3), [100, 1_000, 1_000]);
  const exponential = backoff.exponential({ delay: "100ms" });
  assert.deepEqual(await waited({ delayGenerator: exponential }, 3), [100, 200, 400]);
});

test("a helper refuses what is no attempt number, and bad options at once", () => {
  for (const attempt of [-1, 0.5, NaN]) assert.throws(() => backoff.constant()(attempt), RangeError);
  for (const attempt of [undefined, null, "1", {}]) assert.throws(() => backoff.constant()(attempt), TypeError);
  assert.throws(() => backoff.exponential({ factor: 0 }), RangeError);
  assert.throws(() => backoff.linear({ delay: -1 }), RangeError);
});

test("a draw out of [0, 1) does no harm", async () => {
  for (const draw of [NaN, -1, 7, Infinity, "x", undefined]) {
    for (const useJitter of ["full", "equal", true]) {
      const options = { delay: "1s", backoffType: "exponential", maxDelay: "5s", useJitter, randomizer: () => draw };
      for (const wait of await waited(options, 4))
        assert.ok(wait >= 0 && wait <= 5_000, `${draw} ${useJitter} ${wait}`);
    }
  }
});
