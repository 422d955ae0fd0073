// The circuit breaker strategy. "Page" as in pipeline-retry.test.mjs.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  BrokenCircuitError,
  BulkheadRejectedError,
  CircuitBreakerManualControl,
  CircuitBreakerStateProvider,
  circuitBreakerStrategy,
  FakeTimeProvider,
  isBrokenCircuitError,
  PipelineBuilder,
  ResiliencePipelineBuilder,
} from "retry-primitives-wasm/pipeline";
import { failing, finish, HttpError } from "./support/pipeline.mjs";

const setup = (options) => {
  const time = new FakeTimeProvider(5_000);
  const stateProvider = new CircuitBreakerStateProvider();
  const log = [];
  const hook = (name) => async (told) => void log.push({ name, ...told });
  const hooks = { onOpened: hook("opened"), onClosed: hook("closed"), onHalfOpened: hook("halfOpened") };
  const strategy = circuitBreakerStrategy({ stateProvider, ...hooks, ...options });
  const pipeline = new PipelineBuilder({ timeProvider: time }).add(strategy).build();
  const call = (work) => finish(time, pipeline.execute(work), 0);
  const fail = (error = new Error("down")) =>
    call(async () => {
      throw error;
    });
  return { time, pipeline, stateProvider, log, call, fail, succeed: () => call(async () => "up") };
};
const two = { consecutiveFailures: 2, breakDuration: "5s" };

test("closed, open, half-open, closed", async () => {
  const { time, fail, succeed, stateProvider, log } = setup(two);
  assert.equal(stateProvider.circuitState, "closed");
  assert.equal((await fail()).error.message, "down");
  assert.equal((await fail()).error.message, "down", "the call that opens it gets its own error");
  assert.equal(stateProvider.circuitState, "open");
  const { error } = await succeed();
  assert.ok(error instanceof BrokenCircuitError && isBrokenCircuitError(error));
  assert.deepEqual([error.code, error.retryAfter, error.isRejection], ["CIRCUIT_OPEN", 5_000, true]);
  await time.advance(4_999);
  assert.equal((await succeed()).error.retryAfter, 1);
  await time.advance(1);
  assert.equal((await succeed()).value, "up");
  assert.equal(stateProvider.circuitState, "closed");
  assert.deepEqual(
    log.map(({ name, isManual }) => [name, isManual]),
    [
      ["opened", false],
      ["halfOpened", false],
      ["closed", false],
    ],
  );
  assert.equal(log[0].breakDuration, 5_000);
  assert.equal(log[0].outcome.error.message, "down");
  assert.equal(log[2].outcome.value, "up");
});

test("half-open: one call on trial at a time, and a failure opens it again", async () => {
  const { time, fail, pipeline, succeed, stateProvider } = setup(two);
  await fail();
  await fail();
  await time.advance("5s");
  let finishTrial;
  const trial = pipeline.execute(() => new Promise((_, reject) => (finishTrial = reject)));
  assert.equal(stateProvider.circuitState, "halfOpen");
  assert.equal((await succeed()).error.code, "CIRCUIT_OPEN");
  finishTrial(new Error("still down"));
  await assert.rejects(trial, /still down/);
  assert.equal(stateProvider.circuitState, "open");
  assert.equal((await succeed()).error.retryAfter, 5_000);
});

test("Case 16: a trial that never reports is made again", async () => {
  const { time, fail, pipeline, succeed } = setup(two);
  await fail();
  await fail();
  await time.advance("5s");
  void pipeline.execute(() => new Promise(() => {}));
  assert.equal((await succeed()).ok, false);
  await time.advance("5s");
  assert.equal((await succeed()).value, "up");
});

test("a success in between resets failures in a row", async () => {
  const { fail, succeed, stateProvider } = setup(two);
  await fail();
  await succeed();
  await fail();
  assert.equal(stateProvider.circuitState, "closed");
});

test("Polly's defaults: a tenth of at least 100 calls in 30 s opens it for 5 s", async () => {
  const { fail, succeed, stateProvider } = setup();
  for (let call = 0; call < 89; call++) await succeed();
  for (let call = 0; call < 10; call++) await fail();
  assert.equal(stateProvider.circuitState, "closed", "99 calls");
  await fail();
  assert.equal(stateProvider.circuitState, "open");
  assert.equal((await succeed()).error.retryAfter, 5_000);
});

test("Case 18: failures of an hour ago do not count", async () => {
  const { time, fail, succeed, stateProvider } = setup({
    failureRatio: 0.5,
    minimumThroughput: 10,
    samplingDuration: "10s",
  });
  for (let call = 0; call < 9; call++) await fail();
  await time.advance("1h");
  for (let call = 0; call < 50; call++) await succeed();
  await fail();
  assert.equal(stateProvider.circuitState, "closed");
});

test("what the dependency answers well, or never saw, is no failure of it", async () => {
  const { fail, stateProvider, time } = setup({ consecutiveFailures: 1, breakDuration: "5s" });
  for (const error of [new HttpError(404), new DOMException("off", "AbortError"), new BulkheadRejectedError()]) {
    await fail(error);
    assert.equal(stateProvider.circuitState, "closed", String(error));
  }
  await fail(new HttpError(503));
  assert.equal(stateProvider.circuitState, "open");
  // An abort on trial is no success either: the next call is a trial again. A 404 is an answer, so it closes.
  await time.advance("5s");
  await fail(new DOMException("off", "AbortError"));
  assert.equal(stateProvider.circuitState, "halfOpen");
  await fail(new HttpError(404));
  assert.equal(stateProvider.circuitState, "closed");
});

test("an abort by the caller is no failure of the dependency, whatever its reason; nor is a timeout outside", async () => {
  const { pipeline, stateProvider } = setup({ consecutiveFailures: 1 });
  const controller = new AbortController();
  const reason = new Error("enough");
  const listening = ({ signal }) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const result = pipeline.execute(listening, { signal: controller.signal });
  controller.abort(reason);
  await assert.rejects(result, (error) => error === reason);
  assert.equal(stateProvider.circuitState, "closed");

  const time = new FakeTimeProvider();
  const slow = new ResiliencePipelineBuilder({ timeProvider: time })
    .addTimeout("1s")
    .addCircuitBreaker({ consecutiveFailures: 1, stateProvider })
    .build();
  assert.equal((await finish(time, slow.execute(listening))).error.code, "TIMEOUT");
  assert.equal(stateProvider.circuitState, "closed");

  // Nor when the callback has an error of its own for it, or the caller's signal is a timeout.
  const own = ({ signal }) =>
    new Promise((_, reject) =>
      signal.addEventListener("abort", () => reject(new Error("cut", { cause: signal.reason }))),
    );
  for (const mine of [reason, new DOMException("late", "TimeoutError")]) {
    const abort = new AbortController();
    const cut = pipeline.execute(own, { signal: abort.signal });
    abort.abort(mine);
    await assert.rejects(cut, { message: "cut" });
  }
  assert.equal((await finish(time, slow.execute(own))).error.code, "TIMEOUT");
  assert.equal(stateProvider.circuitState, "closed");
  assert.equal(await pipeline.execute(() => "up"), "up");
});

test("a timeout further in counts", async () => {
  const time = new FakeTimeProvider();
  const stateProvider = new CircuitBreakerStateProvider();
  const pipeline = new ResiliencePipelineBuilder({ timeProvider: time })
    .addCircuitBreaker({ consecutiveFailures: 1, stateProvider })
    .addTimeout("1s")
    .build();
  assert.equal(
    (
      await finish(
        time,
        pipeline.execute(() => new Promise(() => {})),
      )
    ).error.code,
    "TIMEOUT",
  );
  assert.equal(stateProvider.circuitState, "open");
});

test("a hook that throws before the trial leaves that to the next call", async () => {
  const mine = new Error("mine");
  let throwing = true;
  const onHalfOpened = async () => {
    if (throwing) throw mine;
  };
  const { fail, succeed, time } = setup({ consecutiveFailures: 1, breakDuration: "5s", onHalfOpened });
  await fail();
  await time.advance("5s");
  assert.equal((await succeed()).error, mine);
  throwing = false;
  assert.equal((await succeed()).value, "up");
});

test("shouldHandle decides, of results too", async () => {
  const { call, stateProvider } = setup({
    consecutiveFailures: 1,
    shouldHandle: async ({ outcome }) => outcome.value === 503,
  });
  assert.equal((await call(() => 200)).value, 200);
  assert.equal(stateProvider.circuitState, "closed");
  assert.equal((await call(() => 503)).value, 503);
  assert.equal(stateProvider.circuitState, "open");
});

test("a predicate that throws frees the trial", async () => {
  const mine = new Error("predicate");
  let throwing = false;
  const shouldHandle = ({ outcome }) => {
    if (throwing) throw mine;
    return !outcome.ok;
  };
  const { fail, succeed, time } = setup({ ...two, consecutiveFailures: 1, shouldHandle });
  await fail();
  await time.advance("5s");
  throwing = true;
  assert.equal((await fail()).error, mine);
  throwing = false;
  assert.equal((await succeed()).value, "up");
});

test("Case 17: a call that was admitted before the circuit opened and closed again does not count", async () => {
  const { time, fail, succeed, pipeline, stateProvider } = setup({ consecutiveFailures: 1, breakDuration: "5s" });
  let late;
  const slow = pipeline.execute(() => new Promise((_, reject) => (late = reject)));
  await fail();
  await time.advance("5s");
  await succeed();
  late(new Error("late"));
  await assert.rejects(slow, /late/);
  assert.equal(stateProvider.circuitState, "closed");
});

test("isolated by hand: nothing is let through until it is closed", async () => {
  const manualControl = new CircuitBreakerManualControl();
  const { time, fail, succeed, stateProvider, log } = setup({ ...two, manualControl });
  await manualControl.isolate();
  assert.equal(stateProvider.circuitState, "isolated");
  await time.advance("1d");
  const { error } = await succeed();
  assert.deepEqual([error.name, error.code, error.retryAfter], ["BrokenCircuitError", "CIRCUIT_ISOLATED", undefined]);
  await manualControl.close();
  assert.equal(stateProvider.circuitState, "closed");
  assert.equal((await succeed()).value, "up");
  assert.deepEqual(
    log.map(({ name, isManual, breakDuration }) => [name, isManual, breakDuration]),
    [
      ["opened", true, Infinity],
      ["closed", true, undefined],
    ],
  );
  // An open one can be isolated, and it does not open by itself then.
  await fail();
  await fail();
  await manualControl.isolate();
  const { name, isManual, breakDuration } = log.at(-1);
  assert.deepEqual([name, isManual, breakDuration], ["opened", true, Infinity]);
  await time.advance("1d");
  assert.equal((await succeed()).error.code, "CIRCUIT_ISOLATED");
  await manualControl.close();
  await fail();
  assert.equal(stateProvider.circuitState, "closed", "closed by hand, it begins anew");
});

test("Case 17: a call from before it was closed by hand does not count, not even one of that moment", async () => {
  const manualControl = new CircuitBreakerManualControl();
  const { pipeline, stateProvider } = setup({ consecutiveFailures: 1, manualControl });
  let late;
  const slow = pipeline.execute(() => new Promise((_, reject) => (late = reject)));
  await manualControl.isolate();
  await manualControl.close();
  late(new Error("late"));
  await assert.rejects(slow, /late/);
  assert.equal(stateProvider.circuitState, "closed");
});

test("one control holds every circuit that was built with it; each pipeline has a circuit of its own", async () => {
  const time = new FakeTimeProvider();
  const manualControl = new CircuitBreakerManualControl();
  const builder = new PipelineBuilder({ timeProvider: time }).add(
    circuitBreakerStrategy({ consecutiveFailures: 1, manualControl }),
  );
  const [one, other] = [builder.build(), builder.build()];
  await assert.rejects(one.execute(failing(time, 9)), /down/);
  await assert.rejects(one.execute(failing(time, 0)), BrokenCircuitError);
  assert.equal(await other.execute(failing(time, 0)), "done");
  await manualControl.isolate();
  for (const pipeline of [one, other])
    await assert.rejects(pipeline.execute(failing(time, 0)), { code: "CIRCUIT_ISOLATED" });
});

test("Page, Circuit breaker: inside the retry each attempt goes through it, and an open circuit stops the retry", async () => {
  const time = new FakeTimeProvider();
  const pipeline = new ResiliencePipelineBuilder({ timeProvider: time })
    .addRetry({ maxRetryAttempts: 9, delay: 10, shouldHandle: () => true })
    .addCircuitBreaker({ consecutiveFailures: 3, breakDuration: "1m" })
    .build();
  const call = failing(time, 99);
  const { error } = await finish(time, pipeline.execute(call));
  assert.equal(call.calls.length, 3);
  assert.equal(error.code, "CIRCUIT_OPEN");
});

test("Strategy order: outside the retry, one execution counts once", async () => {
  const time = new FakeTimeProvider();
  const pipeline = new ResiliencePipelineBuilder({ timeProvider: time })
    .addCircuitBreaker({ consecutiveFailures: 2, breakDuration: "1h" })
    .addRetry({ maxRetryAttempts: 3, delay: 10 })
    .build();
  const call = failing(time, 99);
  for (const calls of [4, 8]) {
    assert.equal((await finish(time, pipeline.execute(call), "1s")).error.message, "down");
    assert.equal(call.calls.length, calls);
  }
  assert.equal((await finish(time, pipeline.execute(call), "1s")).error.code, "CIRCUIT_OPEN");
  assert.equal(call.calls.length, 8);
});

test("bad options are refused when the pipeline is built", () => {
  for (const options of [
    { consecutiveFailures: 0 },
    { failureRatio: 0 },
    { failureRatio: 1.1 },
    { minimumThroughput: 0 },
    { samplingDuration: 0 },
    { breakDuration: "0s" },
  ]) {
    assert.throws(() => setup(options), RangeError, JSON.stringify(options));
  }
  for (const options of [{ onOpened: 5 }, { shouldHandle: 5 }, { breakDuration: {} }]) {
    assert.throws(() => setup(options), TypeError);
  }
});
