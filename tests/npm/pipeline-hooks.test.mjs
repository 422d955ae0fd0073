// Hooks that throw, take long or never settle, and what an abort still ends.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  circuitBreakerStrategy,
  CircuitBreakerStateProvider,
  FakeTimeProvider,
  PipelineBuilder,
  ResiliencePipelineBuilder,
  RetryBudget,
  retryStrategy,
  timeoutStrategy,
  waitFor,
} from "retry-primitives-wasm/pipeline";
import { failing, finish } from "./support/pipeline.mjs";

const never = () => new Promise(() => {});
const mine = new Error("mine");
const raise = () => {
  throw mine;
};

test("what onTelemetry throws or rejects with concerns nobody", async () => {
  for (const onTelemetry of [raise, async () => raise()]) {
    const time = new FakeTimeProvider();
    const budget = new RetryBudget({ ratio: 0, minRetriesPerSecond: 0, timeProvider: time });
    const pipeline = new PipelineBuilder({ timeProvider: time, onTelemetry }).add(retryStrategy({ budget })).build();
    assert.equal((await finish(time, pipeline.execute(failing(time, 9)))).error.message, "down");
  }
  assert.throws(() => new PipelineBuilder({ onTelemetry: 5 }).build(), TypeError);
});

const breaking = (hooks) => {
  const time = new FakeTimeProvider();
  const told = [];
  const stateProvider = new CircuitBreakerStateProvider();
  const options = { consecutiveFailures: 1, breakDuration: "5s", stateProvider, ...hooks };
  const pipeline = new PipelineBuilder({
    timeProvider: time,
    onTelemetry: ({ name, error }) => told.push([name, error]),
  })
    .add(circuitBreakerStrategy(options))
    .build();
  return { time, told, stateProvider, pipeline };
};

test("when onOpened or onClosed throw, the outcome of the call stands, and onTelemetry is told", async () => {
  for (const hook of [raise, async () => raise()]) {
    const { time, told, stateProvider, pipeline } = breaking({ onOpened: hook, onClosed: hook });
    assert.equal((await finish(time, pipeline.execute(failing(time, 1)), 0)).error.message, "down");
    assert.equal(stateProvider.circuitState, "open");
    await time.advance("5s");
    assert.equal(
      (
        await finish(
          time,
          pipeline.execute(() => "up"),
          0,
        )
      ).value,
      "up",
    );
    assert.equal(stateProvider.circuitState, "closed");
    assert.deepEqual(told, [
      ["OnHookFailed", mine],
      ["OnHookFailed", mine],
    ]);
  }
});

test("an abort ends the wait for a breaker's hook, and frees the trial", async () => {
  let hanging = true;
  const onHalfOpened = () => (hanging ? never() : undefined);
  const { time, pipeline } = breaking({ onHalfOpened });
  await finish(time, pipeline.execute(failing(time, 1)), 0);
  await time.advance("5s");
  const controller = new AbortController();
  const trial = finish(
    time,
    pipeline.execute(() => "up", { signal: controller.signal }),
    0,
  );
  controller.abort(mine);
  assert.equal((await trial).error, mine);
  hanging = false;
  assert.equal(await pipeline.execute(() => "up"), "up");

  const opening = breaking({ onOpened: never });
  const other = new AbortController();
  const failed = finish(opening.time, opening.pipeline.execute(failing(opening.time, 1), { signal: other.signal }), 0);
  await opening.time.advance(0);
  other.abort(mine);
  assert.equal((await failed.then(() => opening.time.advance(0)), opening.stateProvider.circuitState), "open");
  const judged = breaking({ shouldHandle: never });
  const third = new AbortController();
  const judging = judged.pipeline.execute(failing(judged.time, 1), { signal: third.signal });
  await judged.time.advance(0);
  third.abort(mine);
  await assert.rejects(judging, (error) => error === mine);
});

test("maxRetryTime holds although hooks take their time", async () => {
  const time = new FakeTimeProvider();
  const slowly = (ms) => () => new Promise((resolve) => void time.setTimeout(resolve, ms));
  for (const hook of ["onRetry", "onFailedAttempt", "shouldConsumeRetry"]) {
    const call = failing(time, 99);
    const exhausted = [];
    const options = {
      delay: 50,
      maxRetryTime: 100,
      [hook]: slowly(300),
      onRetryExhausted: ({ attemptNumber }) => exhausted.push(attemptNumber),
    };
    const pipeline = new PipelineBuilder({ timeProvider: time }).add(retryStrategy(options)).build();
    const { error } = await finish(time, pipeline.execute(call));
    assert.deepEqual([error.message, call.calls.length, exhausted], ["down", 1, [0]], hook);
  }
});

test("an abort, and a timeout further out, end a hook of retry that never settles", async () => {
  for (const hook of ["shouldHandle", "onFailedAttempt", "delayGenerator", "onRetry"]) {
    const time = new FakeTimeProvider();
    const strategy = retryStrategy({ [hook]: never });
    const builder = new PipelineBuilder({ timeProvider: time });
    const limited = builder.add(timeoutStrategy("1s")).add(strategy).build();
    const { error, at } = await finish(time, limited.execute(failing(time, 9)));
    assert.deepEqual([error.code, at], ["TIMEOUT", 1_000], hook);
    const controller = new AbortController();
    time.setTimeout(() => controller.abort(mine), 500);
    const plain = new PipelineBuilder({ timeProvider: time }).add(strategy).build();
    const aborted = await finish(time, plain.execute(failing(time, 9), { signal: controller.signal }));
    assert.deepEqual([aborted.error, aborted.at], [mine, 500], hook);
  }
});

test("waitFor: timeout and signal end a condition that never answers", async () => {
  const time = new FakeTimeProvider();
  const late = await finish(time, waitFor(never, { timeout: "1s", timeProvider: time }));
  assert.deepEqual([late.error.code, late.at, time.pending], ["TIMEOUT", 1_000, 0]);
  const controller = new AbortController();
  time.setTimeout(() => controller.abort(mine), 300);
  const options = { timeout: "1s", signal: controller.signal, timeProvider: time };
  const aborted = await finish(time, waitFor(never, options));
  assert.deepEqual([aborted.error, aborted.at, time.pending], [mine, 300, 0]);
  const answered = await finish(
    time,
    waitFor(({ attemptNumber }) => attemptNumber === 2, { ...options, signal: undefined, interval: 500 }),
  );
  assert.deepEqual([answered.value, answered.at, time.pending], [true, 1_000, 0]);
});

test("a call that is called off while its permit is handed over does not start", async () => {
  // The abort comes so many turns of the microtask queue after the first call ends: before, at and after the hand-over.
  for (let turns = 0; turns < 12; turns++) {
    const pipeline = new ResiliencePipelineBuilder().addBulkhead({ permitLimit: 1, queueLimit: 1 }).build();
    const controller = new AbortController();
    let end;
    const first = pipeline.execute(() => new Promise((resolve) => (end = resolve)));
    const startedAborted = [];
    const second = pipeline
      .execute(({ signal }) => startedAborted.push(signal.aborted), { signal: controller.signal })
      .catch(() => {});
    end("one");
    for (let turn = 0; turn < turns; turn++) await undefined;
    controller.abort(mine);
    await Promise.all([first, second]);
    assert.ok(!startedAborted.includes(true), `after ${turns} turns`);
    assert.equal(await pipeline.execute(() => "three"), "three", "the permit is not lost");
  }
});

test("an abort ends every other hook that never settles", async () => {
  const down = { shouldHandle: ({ outcome }) => !outcome.ok };
  const full = (builder) => builder.addRateLimiter({ permitLimit: 1, window: "1d", onRejected: never });
  const builders = {
    timeoutGenerator: (builder) => builder.addTimeout({ timeoutGenerator: never }),
    onFallback: (builder) => builder.addFallback({ fallback: 1, onFallback: never }),
    fallback: (builder) => builder.addFallback({ fallback: never }),
    "fallback's shouldHandle": (builder) => builder.addFallback({ fallback: 1, shouldHandle: never }),
    onHedging: (builder) => builder.addHedging({ ...down, onHedging: never }),
    "hedging's shouldHandle": (builder) => builder.addHedging({ delay: Infinity, shouldHandle: never }),
    "hedging's delayGenerator": (builder) => builder.addHedging({ shouldHandle: never, delayGenerator: never }),
    "onRejected of the rate limiter": full,
    "onRejected of the bulkhead": (builder) => builder.addBulkhead({ permitLimit: 1, onRejected: never }),
  };
  for (const [name, add] of Object.entries(builders)) {
    const time = new FakeTimeProvider();
    const pipeline = add(new ResiliencePipelineBuilder({ timeProvider: time })).build();
    // What is limited is full.
    if (name.startsWith("onRejected")) pipeline.execute(never);
    const controller = new AbortController();
    time.setTimeout(() => controller.abort(mine), 500);
    const { error, at } = await finish(time, pipeline.execute(failing(time, 9), { signal: controller.signal }));
    assert.deepEqual([error, at], [mine, 500], name);
  }
});
