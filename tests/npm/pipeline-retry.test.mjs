// The retry strategy, sentence by sentence. "Page" is the documentation of retry in the npm package @nodelibraries/resilience;
// the word behind it is a part of that page.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  BrokenCircuitError,
  BulkheadRejectedError,
  FakeTimeProvider,
  isRateLimitError,
  NonRetryableError,
  PipelineBuilder,
  PredicateBuilder,
  RateLimiterRejectedError,
  retry,
  retryStrategy,
  TimeoutRejectedError,
} from "retry-primitives-wasm/pipeline";
import { failing, finish, HttpError, waits } from "./support/pipeline.mjs";

const pipeline = (options, timeProvider = new FakeTimeProvider()) => ({
  time: timeProvider,
  pipeline: new PipelineBuilder({ timeProvider }).add(retryStrategy(options)).build(),
});
const run = async (options, work, executeOptions) => {
  const { time, pipeline: built } = pipeline(options);
  const call = typeof work === "function" ? work(time) : failing(time, work);
  return { call, ...(await finish(time, built.execute(call, executeOptions))) };
};

test("Page, Introduction: calls again what fails with a transient error, and waits between attempts", async () => {
  const { call, value } = await run({ delay: "250ms" }, 2);
  assert.equal(value, "done");
  assert.deepEqual(call.at(), [0, 250, 500]);
});

test("Polly's defaults: three retries, two seconds apart", async () => {
  const { call, ok, at } = await run(undefined, 9);
  assert.equal(ok, false);
  assert.deepEqual(call.at(), [0, 2_000, 4_000, 6_000]);
  assert.equal(at, 6_000);
});

test("Page, Steps: attemptNumber is 0 for the original call, then 1, 2, ...", async () => {
  const { call } = await run({ maxRetryAttempts: 3 }, 3);
  assert.deepEqual(
    call.calls.map(({ attemptNumber }) => attemptNumber),
    [0, 1, 2, 3],
  );
});

test("Page, Steps: one counter per execution, so the numbers of nested retries never repeat", async () => {
  const time = new FakeTimeProvider();
  const inner = { maxRetryAttempts: 1 };
  const built = new PipelineBuilder({ timeProvider: time }).add(retryStrategy(inner)).add(retryStrategy(inner)).build();
  const call = failing(time, 9);
  await finish(time, built.execute(call));
  assert.deepEqual(
    call.calls.map(({ attemptNumber }) => attemptNumber),
    [0, 1, 2, 3],
  );
  const again = failing(time, 0);
  await finish(time, built.execute(again));
  assert.equal(again.calls[0].attemptNumber, 0);
});

test("Page, Steps: by default successes, 4xx but for 408 and 429, aborts and rejections are not handled", async () => {
  const abort = new DOMException("off", "AbortError");
  const attempts = async (error) =>
    (await run({ maxRetryAttempts: 1 }, (time) => failing(time, 9, error))).call.calls.length;
  const rejections = [
    new RateLimiterRejectedError(5),
    new BulkheadRejectedError(),
    new BrokenCircuitError("CIRCUIT_OPEN"),
  ];
  for (const status of [400, 401, 403, 404, 409, 422, 425, 499]) {
    assert.equal(await attempts(new HttpError(status)), 1, `${status}`);
    assert.equal(await attempts(Object.assign(new Error("axios"), { response: { status } })), 1, `${status}`);
    assert.equal(await attempts({ statusCode: status }), 1, `${status}`);
  }
  for (const error of [abort, ...rejections]) assert.equal(await attempts(error), 1, String(error));
  for (const error of [
    new HttpError(408),
    new HttpError(429),
    new HttpError(500),
    new HttpError(503),
    new HttpError(399),
    new TypeError("fetch failed"),
    new TimeoutRejectedError(5),
    new DOMException("late", "TimeoutError"),
    undefined,
    null,
    "text",
    { status: "404" },
  ]) {
    assert.equal(await attempts(error), 2, String(error));
  }
  const success = await run({}, (time) => failing(time, 0, undefined, new Response("", { status: 503 })));
  assert.equal(success.call.calls.length, 1);
});

test("Page, Steps: an outcome that shouldHandle does not handle is returned at once", async () => {
  const hooks = [];
  const error = new Error("mine");
  const { call, error: thrown } = await run(
    {
      shouldHandle: async () => false,
      onFailedAttempt: () => hooks.push("failed"),
      onRetryExhausted: () => hooks.push("exhausted"),
    },
    (time) => failing(time, 9, error),
  );
  assert.equal(call.calls.length, 1);
  assert.equal(thrown, error);
  assert.deepEqual(hooks, []);
});

test("Page, Steps: shouldHandle may handle results; the last one is returned", async () => {
  const { call, ok, value } = await run(
    { maxRetryAttempts: 2, shouldHandle: ({ outcome }) => outcome.ok && outcome.value.status === 429 },
    (time) => failing(time, 0, undefined, { status: 429 }),
  );
  assert.equal(call.calls.length, 3);
  assert.deepEqual([ok, value], [true, { status: 429 }]);
});

test("Page, Circuit breaker: a BrokenCircuitError stops retry, whatever shouldHandle says", async () => {
  for (const code of ["CIRCUIT_OPEN", "CIRCUIT_ISOLATED"]) {
    const error = new BrokenCircuitError(code, 5);
    const { call, error: thrown } = await run({ shouldHandle: () => true }, (time) => failing(time, 9, error));
    assert.equal(call.calls.length, 1);
    assert.equal(thrown, error);
    assert.equal(thrown.code, code);
  }
});

test("Page, NonRetryableError: retry stops, and the caller receives the original error, not the wrapper", async () => {
  const declined = new Error("card declined");
  const { call, error } = await run({ shouldHandle: () => true }, (time) =>
    failing(time, 9, new NonRetryableError(declined)),
  );
  assert.equal(call.calls.length, 1);
  assert.equal(error, declined);
  const text = await run({}, (time) => failing(time, 9, new NonRetryableError("invalid card")));
  assert.equal(text.error.constructor, Error);
  assert.equal(text.error.message, "invalid card");
});

test("Page, NonRetryableError: a retry further out stops too; without a retry the error is still the original one", async () => {
  const time = new FakeTimeProvider();
  const declined = new Error("card declined");
  const options = { shouldHandle: () => true };
  const built = new PipelineBuilder({ timeProvider: time })
    .add(retryStrategy(options))
    .add(retryStrategy(options))
    .build();
  const call = failing(time, 9, new NonRetryableError(declined));
  assert.equal((await finish(time, built.execute(call))).error, declined);
  assert.equal(call.calls.length, 1);
  const plain = new PipelineBuilder().build();
  assert.equal((await finish(time, plain.execute(call))).error, declined);
});

test("Page, Steps: an aborted execution is not retried, and its outcome is returned", async () => {
  const controller = new AbortController();
  const error = new Error("cut off");
  let asked = 0;
  const { call, error: thrown } = await run(
    { shouldHandle: () => ++asked > 0 },
    (time) => {
      const work = failing(time, 9, error);
      return Object.assign(
        (context) => {
          controller.abort();
          return work(context);
        },
        { calls: work.calls },
      );
    },
    { signal: controller.signal },
  );
  assert.equal(call.calls.length, 1);
  assert.equal(thrown, error);
  assert.equal(asked, 0);
});

test("Page, Idempotency: with idempotent false a call that may have reached the dependency is never repeated", async () => {
  for (const error of [new HttpError(503), new TypeError("fetch failed"), new TimeoutRejectedError(5)]) {
    const { call } = await run({ shouldHandle: () => true }, (time) => failing(time, 9, error), { idempotent: false });
    assert.equal(call.calls.length, 1);
  }
  // A rejection that the callback itself throws says nothing about whether it had started.
  const { call } = await run(
    { shouldHandle: () => true },
    (time) => failing(time, 9, new RateLimiterRejectedError(5)),
    { idempotent: false },
  );
  assert.equal(call.calls.length, 1);
});

test("Page, Idempotency: with idempotent false a rejection further in is repeated, if the predicate handles it", async () => {
  for (const [shouldHandle, calls] of [
    [undefined, 0],
    [({ outcome }) => isRateLimitError(outcome.error), 1],
    [new PredicateBuilder().handle(isRateLimitError), 1],
    [new PredicateBuilder().handle(RateLimiterRejectedError, (error) => error.retryAfter < 500), 1],
  ]) {
    const time = new FakeTimeProvider();
    let full = true;
    const limiter = () => (next, context) => {
      if (full) throw new RateLimiterRejectedError(100);
      return next(context);
    };
    const built = new PipelineBuilder({ timeProvider: time })
      .add(retryStrategy({ delay: 50, onRetry: () => (full = false), ...(shouldHandle && { shouldHandle }) }))
      .add(limiter)
      .build();
    const call = failing(time, 0);
    const { ok, at } = await finish(time, built.execute(call, { idempotent: false }));
    assert.equal(call.calls.length, calls);
    assert.equal(ok, calls === 1);
    if (ok) assert.equal(at, 100);
  }
});

test("Page, Steps: the hooks, in their order, each awaited, with outcome, context and attemptNumber", async () => {
  const log = [];
  const time = new FakeTimeProvider();
  const hook =
    (name, result) =>
    async ({ outcome, context, attemptNumber, delay }) => {
      await Promise.resolve();
      log.push([name, attemptNumber, ...(delay === undefined ? [] : [delay])]);
      assert.equal(outcome.ok, false);
      assert.equal(outcome.error.message, "down");
      assert.equal(context.attemptNumber, attemptNumber);
      assert.ok(context.signal instanceof AbortSignal);
      return result;
    };
  const built = new PipelineBuilder({ timeProvider: time })
    .add(
      retryStrategy({
        maxRetryAttempts: 1,
        delay: 40,
        shouldHandle: hook("shouldHandle", true),
        onFailedAttempt: hook("onFailedAttempt", 7),
        shouldConsumeRetry: hook("shouldConsumeRetry", true),
        delayGenerator: hook("delayGenerator", 30),
        onRetry: hook("onRetry", 7),
        onRetryExhausted: hook("onRetryExhausted", 7),
        budget: { request: () => log.push("request"), retry: () => log.push("budget") > 0 },
      }),
    )
    .build();
  const work = failing(time, 9);
  const { at, error } = await finish(
    time,
    built.execute((context) => {
      log.push("callback");
      return work(context);
    }),
  );
  assert.deepEqual(log, [
    "request",
    "callback",
    ["shouldHandle", 0],
    ["onFailedAttempt", 0],
    ["shouldConsumeRetry", 0],
    ["delayGenerator", 0],
    "budget",
    ["onRetry", 0, 30],
    "callback",
    ["shouldHandle", 1],
    ["onFailedAttempt", 1],
    ["shouldConsumeRetry", 1],
    ["onRetryExhausted", 1],
  ]);
  assert.equal(at, 30);
  assert.equal(error.message, "down");
});

test("Page, Steps: when all retries fail, the caller gets the last attempt's error, not a wrapper", async () => {
  const errors = [new Error("first"), new Error("second"), new Error("third")];
  let made = 0;
  const { error } = await run({ maxRetryAttempts: 2 }, () => async () => {
    throw errors[made++];
  });
  assert.equal(error, errors[2]);
});

test("a hook that throws ends the execution with its error", async () => {
  for (const name of ["shouldHandle", "onFailedAttempt", "shouldConsumeRetry", "delayGenerator", "onRetry"]) {
    const mine = new Error(name);
    const options = {
      [name]: () => {
        throw mine;
      },
    };
    const { error, call } = await run(options, 9);
    assert.equal(error, mine);
    assert.equal(call.calls.length, 1);
  }
});

test("Page, Steps: onRetry runs, the delay elapses, and an abort cancels the wait (case 15)", async () => {
  const time = new FakeTimeProvider();
  const controller = new AbortController();
  const reason = new Error("enough");
  const call = failing(time, 9);
  const options = {
    delay: "1h",
    timeProvider: time,
    signal: controller.signal,
    onRetry: () => time.setTimeout(() => controller.abort(reason), 1_000),
  };
  const { error, at } = await finish(time, retry(call, options));
  assert.equal(error, reason);
  assert.equal(at, 1_000);
  assert.equal(call.calls.length, 1);
  assert.equal(time.pending, 0);
});

test("a signal that is aborted before: no call at all", async () => {
  const time = new FakeTimeProvider();
  const call = failing(time, 0);
  const reason = new Error("before");
  for (const initialDelay of [0, 50]) {
    const options = { initialDelay, timeProvider: time, signal: AbortSignal.abort(reason) };
    assert.equal((await finish(time, retry(call, options))).error, reason);
  }
  assert.equal(call.calls.length, 0);
});

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
    const { at: ended, call, error } = await run(options, 99);
    assert.equal(ended, at, maxRetryTime);
    assert.deepEqual(exhausted, [call.calls.length - 1]);
    assert.equal(error.message, "down");
  }
});

test("Case 7: a Retry-After past maxRetryTime ends it at once, and the caller sees the server's figure", async () => {
  const { call, error, at } = await run({ maxRetryTime: "15m" }, (time) =>
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
  const { call, error } = await run({ ...options, shouldHandle: () => true }, (time) => {
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
  const free = await run({ maxRetryAttempts: 0, shouldConsumeRetry: never, delay: 1 }, 5_000);
  assert.equal(free.ok, true);
  const bound = await run({ shouldConsumeRetry: never, delay: "1s", maxRetryTime: "10s" }, 5_000);
  assert.equal(bound.at, 10_000);
});

test("Page, Budget: when it refuses, the last outcome is returned; onBudgetExhausted is called, onRetryExhausted is not", async () => {
  const time = new FakeTimeProvider();
  const log = [];
  const built = new PipelineBuilder({
    timeProvider: time,
    onTelemetry: ({ name, context }) => log.push([name, context.attemptNumber]),
  })
    .add(
      retryStrategy({
        budget: { request: () => {}, retry: () => log.length > 5 },
        onBudgetExhausted: ({ attemptNumber }) => log.push(["hook", attemptNumber]),
        onRetryExhausted: () => log.push("exhausted"),
        onRetry: () => log.push("retry"),
      }),
    )
    .build();
  const error = new Error("last");
  const call = failing(time, 9, error);
  assert.equal((await finish(time, built.execute(call))).error, error);
  assert.deepEqual(log, [
    ["OnRetryBudgetExhausted", 0],
    ["hook", 0],
  ]);
});

test("Page, Retry-After: waits at least what the error's retryAfter says, still capped by maxDelay", async () => {
  const after = async (retryAfter, options) =>
    waits(
      (
        await run({ maxRetryAttempts: 1, delay: "1s", ...options }, (time) =>
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
  const { at } = await run({ maxRetryTime: "1h" }, (time) =>
    failing(time, 9, new HttpError(503, { retryAfter: 1e300 })),
  );
  assert.equal(at, 0);
  const capped = await run({ maxDelay: "5s", maxRetryAttempts: 1 }, (time) =>
    failing(time, 9, new HttpError(503, { retryAfter: Infinity })),
  );
  assert.equal(capped.at, 5_000);
});

test("Page, delayGenerator: overrides the formula; undefined or a negative number fall back; maxDelay does not cap it", async () => {
  const generated = [undefined, -1, "20s", 5, 0, NaN];
  const { call } = await run(
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
  const { time, pipeline: built } = pipeline(options);
  options.maxRetryAttempts = 7;
  options.onRetry = () => assert.fail("added later");
  const call = failing(time, 9);
  await finish(time, built.execute(call));
  assert.equal(call.calls.length, 2);
});

test("Page, retry(): a one-strategy pipeline, with signal and timeProvider beside the options", async () => {
  const time = new FakeTimeProvider();
  const call = failing(time, 5);
  const options = { maxRetryAttempts: 5, backoffType: "exponential", delay: 100, timeProvider: time };
  assert.equal((await finish(time, retry(call, options))).value, "done");
  assert.deepEqual(waits(call), [100, 200, 400, 800, 1_600]);
  await assert.rejects(retry(call, { delay: -1 }), RangeError);
  assert.equal(await retry(() => 5), 5, "a callback that gives no promise");
  await assert.rejects(
    retry(
      () => {
        throw new HttpError(404);
      },
      { timeProvider: time },
    ),
    /404/,
  );
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

test("Case 19: an error whose cause is itself, or whose properties throw, ends as every other", async () => {
  const own = new Error("own");
  own.cause = own;
  let long = new Error("end");
  for (let depth = 0; depth < 10_000; depth++) long = new Error("link", { cause: long });
  const hostile = new Proxy(new Error("hostile"), {
    get() {
      throw new Error("getter");
    },
  });
  for (const error of [own, long, hostile]) {
    const { call, error: thrown } = await run({ maxRetryAttempts: 1 }, (time) => failing(time, 9, error));
    assert.equal(call.calls.length, 2);
    assert.equal(thrown, error);
    const inner = { maxRetryAttempts: 1, shouldHandle: new PredicateBuilder().handleInner(RangeError) };
    if (error !== hostile) assert.equal((await run(inner, (time) => failing(time, 9, error))).call.calls.length, 1);
  }
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
    (await run({ shouldHandle, maxRetryAttempts: 1 }, (time) => failing(time, error ? 9 : 0, error, value))).call.calls
      .length;
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
