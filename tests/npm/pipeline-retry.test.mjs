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
import { failing, finish, HttpError, runRetry, waits } from "./support/pipeline.mjs";

test("Page, Introduction: calls again what fails with a transient error, and waits between attempts", async () => {
  const { call, value } = await runRetry({ delay: "250ms" }, 2);
  assert.equal(value, "done");
  assert.deepEqual(call.at(), [0, 250, 500]);
});

test("Polly's defaults: three retries, two seconds apart", async () => {
  const { call, ok, at } = await runRetry(undefined, 9);
  assert.equal(ok, false);
  assert.deepEqual(call.at(), [0, 2_000, 4_000, 6_000]);
  assert.equal(at, 6_000);
});

test("Page, Steps: attemptNumber is 0 for the original call, then 1, 2, ...", async () => {
  const { call } = await runRetry({ maxRetryAttempts: 3 }, 3);
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
    (await runRetry({ maxRetryAttempts: 1 }, (time) => failing(time, 9, error))).call.calls.length;
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
  const success = await runRetry({}, (time) => failing(time, 0, undefined, new Response("", { status: 503 })));
  assert.equal(success.call.calls.length, 1);
});

test("Page, Steps: an outcome that shouldHandle does not handle is returned at once", async () => {
  const hooks = [];
  const error = new Error("mine");
  const { call, error: thrown } = await runRetry(
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
  const { call, ok, value } = await runRetry(
    { maxRetryAttempts: 2, shouldHandle: ({ outcome }) => outcome.ok && outcome.value.status === 429 },
    (time) => failing(time, 0, undefined, { status: 429 }),
  );
  assert.equal(call.calls.length, 3);
  assert.deepEqual([ok, value], [true, { status: 429 }]);
});

test("Page, Circuit breaker: a BrokenCircuitError stops retry, whatever shouldHandle says", async () => {
  for (const code of ["CIRCUIT_OPEN", "CIRCUIT_ISOLATED"]) {
    const error = new BrokenCircuitError(code, 5);
    const { call, error: thrown } = await runRetry({ shouldHandle: () => true }, (time) => failing(time, 9, error));
    assert.equal(call.calls.length, 1);
    assert.equal(thrown, error);
    assert.equal(thrown.code, code);
  }
});

test("Page, NonRetryableError: retry stops, and the caller receives the original error, not the wrapper", async () => {
  const declined = new Error("card declined");
  const { call, error } = await runRetry({ shouldHandle: () => true }, (time) =>
    failing(time, 9, new NonRetryableError(declined)),
  );
  assert.equal(call.calls.length, 1);
  assert.equal(error, declined);
  const text = await runRetry({}, (time) => failing(time, 9, new NonRetryableError("invalid card")));
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
  const { call, error: thrown } = await runRetry(
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
    const { call } = await runRetry({ shouldHandle: () => true }, (time) => failing(time, 9, error), {
      idempotent: false,
    });
    assert.equal(call.calls.length, 1);
  }
  // A rejection that the callback itself throws says nothing about whether it had started.
  const { call } = await runRetry(
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
  const { error } = await runRetry({ maxRetryAttempts: 2 }, () => async () => {
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
    const { error, call } = await runRetry(options, 9);
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

test("Case 15: an abort during initialDelay rejects at once, with no call", async () => {
  const time = new FakeTimeProvider();
  const controller = new AbortController();
  const reason = new Error("enough");
  time.setTimeout(() => controller.abort(reason), 1_000);
  const call = failing(time, 0);
  const options = { initialDelay: "1h", timeProvider: time, signal: controller.signal };
  const { error, at } = await finish(time, retry(call, options));
  assert.deepEqual([error, at, call.calls.length, time.pending], [reason, 1_000, 0, 0]);
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
    const { call, error: thrown } = await runRetry({ maxRetryAttempts: 1 }, (time) => failing(time, 9, error));
    assert.equal(call.calls.length, 2);
    assert.equal(thrown, error);
    const inner = { maxRetryAttempts: 1, shouldHandle: new PredicateBuilder().handleInner(RangeError) };
    if (error !== hostile)
      assert.equal((await runRetry(inner, (time) => failing(time, 9, error))).call.calls.length, 1);
  }
});
