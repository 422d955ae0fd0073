// The options of the retry strategy: waits, limits, validation. "Page" as in pipeline-retry.test.mjs.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  FakeTimeProvider,
  PipelineBuilder,
  PredicateBuilder,
  retry,
  retryStrategy,
} from "retry-primitives-wasm/pipeline";
import { failing, finish, HttpError, retrying, runRetry, waits } from "./support/pipeline.mjs";

test("Page, Budget: initialDelay comes before the original call, and before its request is counted", async () => {
  const time = new FakeTimeProvider();
  let requestAt;
  const budget = { request: () => (requestAt = time.now()), retry: () => true };
  const call = failing(time, 1);
  await finish(time, retry(call, { initialDelay: "3s", delay: "1s", timeProvider: time, budget }));
  assert.deepEqual(call.at(), [3_000, 4_000]);
  assert.equal(requestAt, 3_000);
});

test("Page, Steps: retry gives up if waiting would pass maxRetryTime, at once (case 6)", async () => {
  for (const [maxRetryTime, at] of [
    ["5s", 4_000],
    ["6s", 6_000],
    ["5999ms", 4_000],
    ["1ms", 0],
  ]) {
    const exhausted = [];
    const options = {
      maxRetryTime,
      maxRetryAttempts: Infinity,
      onRetryExhausted: ({ attemptNumber }) => exhausted.push(attemptNumber),
    };
    const { at: ended, call, error } = await runRetry(options, 99);
    assert.equal(ended, at, maxRetryTime);
    assert.deepEqual(exhausted, [call.calls.length - 1]);
    assert.equal(error.message, "down");
  }
});

test("Case 7: a Retry-After past maxRetryTime ends it at once, and the caller sees the server's figure", async () => {
  const { call, error, at } = await runRetry({ maxRetryTime: "15m" }, (time) =>
    failing(time, 9, new HttpError(503, { retryAfter: 1_800_000 })),
  );
  assert.equal(call.calls.length, 1);
  assert.equal(at, 0);
  assert.equal(error.retryAfter, 1_800_000);
});

test("Page, Pitfalls: a failure that does not consume a retry is free, and its wait does not grow", async () => {
  const options = {
    delay: 100,
    backoffType: "exponential",
    maxRetryAttempts: 1,
    shouldConsumeRetry: ({ outcome }) => outcome.error.status !== 401,
  };
  const errors = [new HttpError(401), new HttpError(401), new HttpError(503), new HttpError(401), new HttpError(503)];
  const { call, error } = await runRetry({ ...options, shouldHandle: () => true }, (time) => {
    const at = [];
    const work = async () => {
      at.push(time.now());
      throw errors[at.length - 1];
    };
    return Object.assign(work, { at: () => at });
  });
  assert.deepEqual(waits(call), [100, 100, 100, 200]);
  assert.equal(error, errors[4]);
});

test("Page, Pitfalls: without a limit such a failure is retried forever; maxRetryTime ends it", async () => {
  const never = () => false;
  const free = await runRetry({ maxRetryAttempts: 0, shouldConsumeRetry: never, delay: 1 }, 5_000);
  assert.equal(free.ok, true);
  const bound = await runRetry({ shouldConsumeRetry: never, delay: "1s", maxRetryTime: "10s" }, 5_000);
  assert.equal(bound.at, 10_000);
});

test("Page, Retry-After: waits at least what the error's retryAfter says, still capped by maxDelay", async () => {
  const after = async (retryAfter, options) =>
    waits(
      (
        await runRetry({ maxRetryAttempts: 1, delay: "1s", ...options }, (time) =>
          failing(time, 9, new HttpError(503, { retryAfter })),
        )
      ).call,
    )[0];
  assert.equal(await after(7_000), 7_000);
  assert.equal(await after(500), 1_000);
  assert.equal(await after(7_000, { maxDelay: "5s" }), 5_000);
  assert.equal(await after(7_000, { respectRetryAfter: false }), 1_000);
  assert.equal(await after(0), 1_000);
  for (const nothing of [undefined, null, NaN, -5, "7000", {}])
    assert.equal(await after(nothing), 1_000, String(nothing));
  assert.equal(await after(7_000, { delayGenerator: () => 20 }), 7_000);
  assert.equal(await after(7_000, { delayGenerator: () => "20s", maxDelay: "5s" }), 20_000);
  assert.equal(await after(7_000, { delayGenerator: () => 20, maxDelay: "5s" }), 5_000);
});

test("Case 8: a Retry-After beyond all bounds saturates, and maxRetryTime decides", async () => {
  const { at } = await runRetry({ maxRetryTime: "1h" }, (time) =>
    failing(time, 9, new HttpError(503, { retryAfter: 1e300 })),
  );
  assert.equal(at, 0);
  const capped = await runRetry({ maxDelay: "5s", maxRetryAttempts: 1 }, (time) =>
    failing(time, 9, new HttpError(503, { retryAfter: Infinity })),
  );
  assert.equal(capped.at, 5_000);
});

test("Page, delayGenerator: overrides the formula; undefined or a negative number fall back; maxDelay does not cap it", async () => {
  const generated = [undefined, -1, "20s", 5, 0, -0.5];
  const { call } = await runRetry(
    {
      delay: "1s",
      backoffType: "linear",
      maxDelay: "3s",
      maxRetryAttempts: 6,
      delayGenerator: async ({ attemptNumber }) => generated[attemptNumber],
    },
    9,
  );
  assert.deepEqual(waits(call), [1_000, 2_000, 20_000, 5, 0, 3_000]);
});

test("Page, Durations: milliseconds or a string", async () => {
  for (const [delay, ms] of [
    ["250ms", 250],
    ["30s", 30_000],
    ["5m", 300_000],
    ["1h", 3_600_000],
    ["1d", 86_400_000],
    ["2w", 1_209_600_000],
    ["1.5s", 1_500],
    [42, 42],
  ]) {
    const time = new FakeTimeProvider();
    const call = failing(time, 1);
    await finish(time, retry(call, { delay, timeProvider: time }), "3w");
    assert.deepEqual(waits(call), [ms]);
  }
});

test("Page, Validation: a RangeError when the pipeline is built, which names the option and the value", () => {
  for (const [options, message] of [
    [{ maxRetryAttempts: -1 }, /^maxRetryAttempts must be a whole number from 0 to Infinity, got -1$/],
    [{ maxRetryAttempts: 1.5 }, /maxRetryAttempts/],
    [{ maxRetryAttempts: NaN }, /maxRetryAttempts/],
    [{ delay: -1 }, /^delay must be milliseconds or a string such as '30s', from 0, got -1$/],
    [{ delay: "soon" }, /^delay must be .* got "soon"$/],
    [{ delay: "-5s" }, /delay/],
    [{ delay: "5" }, /delay/],
    [{ delay: " 5s" }, /delay/],
    [{ maxDelay: -1 }, /maxDelay/],
    [{ initialDelay: -1 }, /initialDelay/],
    [{ factor: 0.9 }, /^factor must be/],
    [{ factor: Infinity }, /factor/],
    [{ maxRetryTime: 0 }, /^maxRetryTime must be milliseconds or a string such as '30s', above 0, got 0$/],
    [{ maxRetryTime: -1 }, /maxRetryTime/],
    [{ backoffType: "fibonacci" }, /^backoffType must be constant or linear or exponential, got "fibonacci"$/],
    [{ useJitter: "half" }, /^useJitter must be false or full or equal or true, got "half"$/],
  ]) {
    const builder = new PipelineBuilder().add(retryStrategy(options));
    assert.throws(
      () => builder.build(),
      (error) => error instanceof RangeError && message.test(error.message),
    );
  }
  for (const options of [
    { maxRetryAttempts: "3" },
    { delay: {} },
    { useJitter: 1 },
    { shouldHandle: 5 },
    { shouldHandle: {} },
    { onRetry: "log" },
    { delayGenerator: 5 },
    { randomizer: 5 },
    { budget: {} },
    { budget: null },
    "fast",
    null,
    5,
  ]) {
    const name = Object(options) === options ? Object.keys(options)[0] : "options";
    const builder = new PipelineBuilder().add(retryStrategy(options));
    const isNamed = (error) => error instanceof TypeError && error.message.startsWith(name);
    assert.throws(() => builder.build(), isNamed, JSON.stringify(options));
  }
});

test("options are read once, when the pipeline is built", async () => {
  const options = { maxRetryAttempts: 1, delay: 10 };
  const { time, pipeline: built } = retrying(options);
  options.maxRetryAttempts = 7;
  options.onRetry = () => assert.fail("added later");
  const call = failing(time, 9);
  await finish(time, built.execute(call));
  assert.equal(call.calls.length, 2);
});

test("Case 13: a wait longer than a timer can be is waited in full", async () => {
  const time = new FakeTimeProvider();
  const set = time.setTimeout;
  const pieces = [];
  time.setTimeout = (callback, ms) => {
    pieces.push(ms);
    return set.call(time, callback, ms);
  };
  const call = failing(time, 1);
  await finish(time, retry(call, { delay: "10w", timeProvider: time }), "10w");
  assert.deepEqual(waits(call), [10 * 604_800_000]);
  assert.ok(pieces.length > 1 && pieces.every((ms) => ms < 2 ** 31));
});

test("Case 21: a clock that jumps back an hour, or forward a year, neither hangs nor breaks a retry", async () => {
  for (const jump of [-3_600_000, 31_536_000_000]) {
    const time = new FakeTimeProvider();
    let shift = 0;
    const now = time.now.bind(time);
    time.now = () => now() + shift;
    const call = failing(time, 9);
    const options = {
      maxRetryAttempts: 2,
      maxRetryTime: "1m",
      timeProvider: time,
      onFailedAttempt: () => (shift = jump),
    };
    const { ok, error } = await finish({ now, advance: (by) => time.advance(by) }, retry(call, options));
    assert.equal(ok, false);
    assert.equal(error.message, "down");
    // Back: no time has passed. Forward: all of it has.
    assert.equal(call.calls.length, jump < 0 ? 3 : 1);
  }
});

test("Page, PredicateBuilder: errors of a class, with a condition, and results", async () => {
  const shouldHandle = new PredicateBuilder()
    .handle(HttpError, (error) => error.status >= 500)
    .handleResult((result) => result.status === 429);
  const attempts = async (error, value) =>
    (await runRetry({ shouldHandle, maxRetryAttempts: 1 }, (time) => failing(time, error ? 9 : 0, error, value))).call
      .calls.length;
  assert.equal(await attempts(new HttpError(500)), 2);
  assert.equal(await attempts(new HttpError(404)), 1);
  assert.equal(await attempts(new Error("other")), 1);
  assert.equal(await attempts(undefined, { status: 429 }), 2);
  assert.equal(await attempts(undefined, { status: 200 }), 1);
  const value = new PredicateBuilder().handleResult("busy").build();
  assert.equal(value({ outcome: { ok: true, value: "busy" } }), true);
  assert.equal(value({ outcome: { ok: true, value: "done" } }), false);
  const inner = new PredicateBuilder().handleInner(HttpError, (error) => error.status === 503).build();
  const wrapped = new Error("outer", { cause: new Error("middle", { cause: new HttpError(503) }) });
  assert.equal(inner({ outcome: { ok: false, error: wrapped } }), true);
  assert.equal(inner({ outcome: { ok: false, error: new HttpError(500) } }), false);
  assert.throws(() => new PredicateBuilder().handle(5), TypeError);
});
