// Rate limiter, bulkhead, retry budget, fallback and waitFor. "Page" as in pipeline-retry.test.mjs.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  backoff,
  BulkheadRejectedError,
  bulkheadStrategy,
  fallbackStrategy,
  FakeTimeProvider,
  isBulkheadError,
  isRateLimitError,
  isRejection,
  isTimeoutError,
  PipelineBuilder,
  RateLimiterRejectedError,
  rateLimiterStrategy,
  ResiliencePipelineBuilder,
  RetryBudget,
  retryStrategy,
  waitFor,
} from "retry-primitives-wasm/pipeline";
import { countingSignal, failing, finish } from "./support/pipeline.mjs";

const build = (...strategies) => {
  const time = new FakeTimeProvider();
  const builder = new PipelineBuilder({ timeProvider: time });
  for (const strategy of strategies) builder.add(strategy);
  return { time, pipeline: builder.build() };
};

test("rate limiter: so many at once, and as many in each window", async () => {
  const rejected = [];
  const { time, pipeline } = build(
    rateLimiterStrategy({
      permitLimit: 3,
      window: "3s",
      onRejected: async ({ retryAfter }) => void rejected.push(retryAfter),
    }),
  );
  const one = () =>
    finish(
      time,
      pipeline.execute(async () => 1),
      0,
    );
  for (const ok of [true, true, true, false]) assert.equal((await one()).ok, ok);
  const { error } = await one();
  assert.ok(error instanceof RateLimiterRejectedError && isRateLimitError(error) && isRejection(error));
  assert.deepEqual([error.code, error.retryAfter], ["RATE_LIMITED", 1_000]);
  assert.deepEqual(rejected, [1_000, 1_000]);
  await time.advance(999);
  assert.equal((await one()).error.retryAfter, 1);
  await time.advance(1);
  for (const ok of [true, false]) assert.equal((await one()).ok, ok);
  await time.advance("1h");
  for (const ok of [true, true, true, false]) assert.equal((await one()).ok, ok);
});

test("Page, Retry-After: RateLimiterRejectedError carries a retryAfter, which retry waits for", async () => {
  const time = new FakeTimeProvider();
  const pipeline = new ResiliencePipelineBuilder({ timeProvider: time })
    .addRetry({ delay: 10, shouldHandle: ({ outcome }) => isRateLimitError(outcome.error) })
    .addRateLimiter({ permitLimit: 1, window: "1m" })
    .build();
  const call = failing(time, 0);
  await finish(time, Promise.all([pipeline.execute(call), pipeline.execute(call)]));
  assert.deepEqual(call.at(), [0, 60_000]);
});

test("bulkhead: so many at a time, so many wait in a row, the others are refused", async () => {
  const rejected = [];
  const { time, pipeline } = build(
    bulkheadStrategy({
      permitLimit: 2,
      queueLimit: 1,
      onRejected: async ({ context }) => void rejected.push(context.attemptNumber),
    }),
  );
  const log = [];
  const call = (name, ms) =>
    pipeline.execute(async () => {
      log.push(`${time.now()} ${name}`);
      await new Promise((resolve) => time.setTimeout(resolve, ms));
      return name;
    });
  const all = Promise.allSettled([call("a", 100), call("b", 200), call("c", 50), call("d", 50)]);
  const { value } = await finish(time, all);
  assert.deepEqual(
    value.map(({ status }) => status),
    ["fulfilled", "fulfilled", "fulfilled", "rejected"],
  );
  const { reason } = value[3];
  assert.ok(reason instanceof BulkheadRejectedError && isBulkheadError(reason) && isRejection(reason));
  assert.equal(reason.code, "BULKHEAD_FULL");
  assert.deepEqual(rejected, [0]);
  assert.deepEqual(log, ["0 a", "0 b", "100 c"]);
  assert.equal((await finish(time, call("e", 1))).value, "e");
});

test("bulkhead: a permit is given back by failures and by throws, and who is called off in the queue takes none", async () => {
  const { time, pipeline } = build(bulkheadStrategy({ permitLimit: 1, queueLimit: 5 }));
  const { controller, signal, listeners } = countingSignal();
  const reason = new Error("enough");
  const wait = () => new Promise((resolve) => time.setTimeout(resolve, 100));
  const first = pipeline.execute(wait);
  const called = [];
  const off = finish(
    time,
    pipeline.execute(() => called.push("off"), { signal }),
    0,
  );
  const second = pipeline.execute(() => {
    called.push("second");
    throw new Error("at once");
  });
  const third = pipeline.execute(async () => called.push("third"));
  controller.abort(reason);
  assert.equal((await off).error, reason);
  await finish(time, Promise.allSettled([first, second, third]));
  assert.deepEqual(called, ["second", "third"]);
  assert.equal(listeners.size, 0);
  assert.equal(
    (
      await finish(
        time,
        pipeline.execute(async () => 1),
      )
    ).value,
    1,
  );
});

test("fallback: a value or a function in place of an error, but not of an abort", async () => {
  const log = [];
  const onFallback = async ({ outcome }) => void log.push(outcome.error.message);
  const error = new Error("down");
  for (const fallback of ["cached", () => "cached", async ({ outcome }) => (outcome.error === error ? "cached" : "")]) {
    const { time, pipeline } = build(fallbackStrategy({ fallback, onFallback }));
    assert.equal((await finish(time, pipeline.execute(failing(time, 9, error)))).value, "cached");
    assert.equal((await finish(time, pipeline.execute(failing(time, 0)))).value, "done");
    const abort = new DOMException("off", "AbortError");
    assert.equal((await finish(time, pipeline.execute(failing(time, 9, abort)))).error, abort);
    const controller = new AbortController();
    const aborting = async () => {
      controller.abort();
      throw error;
    };
    const { signal } = controller;
    assert.equal((await finish(time, pipeline.execute(aborting, { signal }))).error, error);
  }
  assert.deepEqual(log, ["down", "down", "down"]);
});

test("fallback: shouldHandle may replace results; undefined is a fallback, and none is refused", async () => {
  const { time, pipeline } = build(
    fallbackStrategy({ fallback: undefined, shouldHandle: ({ outcome }) => outcome.value === "bad" }),
  );
  assert.equal(
    (
      await finish(
        time,
        pipeline.execute(() => "bad"),
      )
    ).value,
    undefined,
  );
  assert.equal(
    (
      await finish(
        time,
        pipeline.execute(() => "good"),
      )
    ).value,
    "good",
  );
  assert.equal((await finish(time, pipeline.execute(failing(time, 9)))).error.message, "down");
  assert.throws(() => build(fallbackStrategy({})), TypeError);
});

test("Strategy order: a fallback outside replaces what all retries together failed with, inside each attempt", async () => {
  for (const [strategies, calls] of [
    [[fallbackStrategy({ fallback: 1 }), retryStrategy({ maxRetryAttempts: 2 })], 3],
    [[retryStrategy({ maxRetryAttempts: 2 }), fallbackStrategy({ fallback: 1 })], 1],
  ]) {
    const { time, pipeline } = build(...strategies);
    const call = failing(time, 9);
    assert.equal((await finish(time, pipeline.execute(call))).value, 1);
    assert.equal(call.calls.length, calls);
  }
});

test("fallback: another stream in place of one", async () => {
  const { pipeline } = build(
    fallbackStrategy({
      fallback: async function* () {
        yield "cached";
      },
    }),
  );
  const items = [];
  const open = () => {
    throw new Error("down");
  };
  for await (const item of pipeline.executeStream(open)) items.push(item);
  assert.deepEqual(items, ["cached"]);
});

test("Page, Budget: with the defaults 100 + 20 % of requests per 10 s", async () => {
  const time = new FakeTimeProvider();
  const budget = new RetryBudget({ timeProvider: time });
  const take = () => {
    let taken = 0;
    while (budget.retry()) taken++;
    return taken;
  };
  assert.equal(take(), 100);
  for (let request = 0; request < 50; request++) budget.request();
  assert.equal(take(), 10);
  assert.deepEqual(budget.stats(), { requests: 50, retries: 110 });
  await time.advance("10s");
  assert.deepEqual(budget.stats(), { requests: 0, retries: 0 });
  assert.equal(take(), 100);
});

test("Page, Budget: a retry is allowed while retries < min * window + ratio * requests", () => {
  for (const [options, requests, allowed] of [
    [{ ratio: 0.5, minRetriesPerSecond: 0, window: "1m" }, 10, 5],
    [{ ratio: 0.5, minRetriesPerSecond: 1, window: "1m" }, 10, 65],
    [{ ratio: 0, minRetriesPerSecond: 2, window: "5s" }, 10, 10],
    [{ ratio: 0.25, minRetriesPerSecond: 0 }, 3, 1],
    [{ ratio: 0, minRetriesPerSecond: 0 }, 3, 0],
  ]) {
    const budget = new RetryBudget({ ...options, timeProvider: new FakeTimeProvider() });
    for (let request = 0; request < requests; request++) budget.request();
    let taken = 0;
    while (budget.retry()) taken++;
    assert.equal(taken, allowed, JSON.stringify(options));
  }
});

test("Page, Budget: shared across pipelines; each execution counts as one request, each retry as one retry", async () => {
  const time = new FakeTimeProvider();
  const budget = new RetryBudget({ ratio: 0.5, minRetriesPerSecond: 0, window: "1h", timeProvider: time });
  const refused = [];
  const pipelines = [1, 2].map((number) =>
    new PipelineBuilder({ timeProvider: time })
      .add(retryStrategy({ budget, delay: 10, onBudgetExhausted: () => refused.push(number) }))
      .build(),
  );
  const calls = [failing(time, 99), failing(time, 99)];
  await finish(time, Promise.allSettled(pipelines.map((pipeline, index) => pipeline.execute(calls[index]))), "1m");
  // Two requests allow one retry; who comes second, or again, is refused.
  assert.equal(calls[0].calls.length + calls[1].calls.length, 3);
  assert.deepEqual(refused.sort(), [1, 2]);
  assert.deepEqual(budget.stats(), { requests: 2, retries: 1 });
});

test("RetryBudget: bad options are refused", () => {
  for (const options of [{ ratio: -1 }, { minRetriesPerSecond: -1 }, { window: 0 }, { window: "soon" }]) {
    assert.throws(() => new RetryBudget(options), RangeError);
  }
  assert.deepEqual(new RetryBudget().stats(), { requests: 0, retries: 0 });
});

test("Page, Backoff helpers: waitFor asks at each interval until the answer is truthy", async () => {
  const time = new FakeTimeProvider();
  for (const [interval, at] of [
    [undefined, [0, 1_000, 2_000]],
    ["5s", [0, 5_000, 10_000]],
    [backoff.sequence(["100ms", "1s", "5s"]), [0, 100, 1_100]],
    [backoff.exponential({ delay: 100 }), [0, 100, 300]],
  ]) {
    const asked = [];
    const start = time.now();
    const condition = async ({ attemptNumber }) => {
      asked.push(time.now() - start);
      return attemptNumber === 2 && "ready";
    };
    const options = { timeProvider: time, ...(interval && { interval }) };
    assert.equal((await finish(time, waitFor(condition, options))).value, "ready");
    assert.deepEqual(asked, at);
  }
});

test("waitFor: no wait passes the timeout, an abort ends it, an error too", async () => {
  const time = new FakeTimeProvider();
  const never = () => false;
  const late = await finish(time, waitFor(never, { interval: "2s", timeout: "5s", timeProvider: time }));
  assert.ok(isTimeoutError(late.error));
  assert.deepEqual([late.at, late.error.timeout], [4_000, 5_000]);
  const { controller, signal, listeners } = countingSignal();
  const reason = new Error("enough");
  time.setTimeout(() => controller.abort(reason), 1_500);
  const aborted = await finish(time, waitFor(never, { signal, timeProvider: time }));
  assert.deepEqual([aborted.error, aborted.at, listeners.size], [reason, 1_500, 0]);
  const mine = new Error("mine");
  const throwing = () => {
    throw mine;
  };
  assert.equal((await finish(time, waitFor(throwing, { timeProvider: time }))).error, mine);
  await assert.rejects(waitFor(5), TypeError);
  await assert.rejects(waitFor(never, { interval: -1 }), RangeError);
  await assert.rejects(waitFor(never, { timeout: 0 }), RangeError);
});

test("bad options are refused when the pipeline is built", () => {
  for (const strategy of [
    rateLimiterStrategy({ permitLimit: 0 }),
    rateLimiterStrategy({ permitLimit: 1.5 }),
    rateLimiterStrategy({ permitLimit: 1, window: 0 }),
    bulkheadStrategy({ permitLimit: 0 }),
    bulkheadStrategy({ permitLimit: 1, queueLimit: -1 }),
  ]) {
    assert.throws(() => build(strategy), RangeError);
  }
  for (const strategy of [
    rateLimiterStrategy(),
    rateLimiterStrategy({ permitLimit: 1, onRejected: 5 }),
    bulkheadStrategy(),
    bulkheadStrategy({ permitLimit: 1, onRejected: 5 }),
    fallbackStrategy(),
    fallbackStrategy({ fallback: 1, onFallback: 5 }),
  ]) {
    assert.throws(() => build(strategy), TypeError);
  }
});
