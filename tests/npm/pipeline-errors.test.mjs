// What strategies make of errors, of another package's too, and of the options and predicates that speak of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  FakeTimeProvider,
  isNonRetryableError,
  NonRetryableError,
  Outcome,
  PipelineBuilder,
  PredicateBuilder,
  ResiliencePipelineBuilder,
  RetryBudget,
  retry,
  timeoutStrategy,
  waitFor,
} from "retry-primitives-wasm/pipeline";
import { CircuitOpenError } from "retry-primitives-wasm/async";
import { failing, finish, HttpError, runRetry, waits } from "./support/pipeline.mjs";

test("another package's NonRetryableError wraps nothing: it is an error like any other, and the caller's", async () => {
  class NonRetryableError extends Error {
    name = "NonRetryableError";
  }
  const foreign = new NonRetryableError("foreign");
  assert.equal(isNonRetryableError(foreign), false);
  const time = new FakeTimeProvider();
  const pipeline = new ResiliencePipelineBuilder({ timeProvider: time })
    .addRetry({ delay: 0 })
    .addTimeout("1s")
    .build();
  assert.equal((await finish(time, pipeline.execute(failing(time, 9, foreign)))).error, foreign);
  const bare = new ResiliencePipelineBuilder({ timeProvider: time }).addTimeout("1s").build();
  assert.equal((await finish(time, bare.execute(failing(time, 9, foreign)))).error, foreign);
});

test("strategies further in see the error in a NonRetryableError, and retry stops all the same", async () => {
  const missing = new HttpError(404);
  const wrapped = new NonRetryableError(missing);
  const time = new FakeTimeProvider();
  const seen = [];
  const breaking = new ResiliencePipelineBuilder({ timeProvider: time })
    .addRetry({ shouldHandle: () => true })
    .addCircuitBreaker({ consecutiveFailures: 1, onOpened: () => seen.push("opened") })
    .build();
  const call = failing(time, 9, wrapped);
  assert.equal((await finish(time, breaking.execute(call))).error, missing);
  assert.equal((await finish(time, breaking.execute(call))).error, missing, "a 404 opens nothing");
  assert.deepEqual([call.calls.length, seen], [2, []]);

  const falling = new ResiliencePipelineBuilder({ timeProvider: time })
    .addFallback({
      fallback: ({ outcome }) => outcome.error.status,
      shouldHandle: new PredicateBuilder().handle(HttpError),
    })
    .build();
  assert.equal(await falling.execute(failing(time, 9, wrapped)), 404);

  const hedged = new ResiliencePipelineBuilder({ timeProvider: time })
    .addRetry({ shouldHandle: () => true })
    .addHedging({ shouldHandle: () => true })
    .build();
  const once = failing(time, 9, wrapped);
  assert.equal((await finish(time, hedged.execute(once))).error, missing);
  assert.equal(once.calls.length, 1);
});

test("an open circuit of /async stops retry and hedging too, and is no failure of the dependency", async () => {
  const open = new CircuitOpenError({ ok: false, status: "open", retryAfterMs: 5_000 });
  const { error, call } = await runRetry({ shouldHandle: () => true }, (time) => failing(time, 9, open));
  assert.deepEqual([error, call.calls.length], [open, 1]);
  const time = new FakeTimeProvider();
  const pipeline = new ResiliencePipelineBuilder({ timeProvider: time })
    .addCircuitBreaker({ consecutiveFailures: 1 })
    .addHedging({ shouldHandle: () => true })
    .build();
  for (let run = 0; run < 2; run++) {
    const once = failing(time, 9, open);
    assert.equal((await finish(time, pipeline.execute(once))).error, open);
    assert.equal(once.calls.length, 1);
  }
});

test("an abort in another error's causes is an abort", async () => {
  const wrapped = new Error("cut", { cause: new Error("why", { cause: new DOMException("off", "AbortError") }) });
  const { error, call } = await runRetry({ delay: 0 }, (time) => failing(time, 9, wrapped));
  assert.deepEqual([error, call.calls.length], [wrapped, 1]);
});

test("PredicateBuilder: any class, and functions that answer later", async () => {
  class Refusal {
    constructor(code) {
      this.code = code;
    }
  }
  const told = (error) => ({ outcome: { ok: false, error } });
  const refusals = new PredicateBuilder().handle(Refusal, ({ code }) => code === 7).build();
  assert.deepEqual(
    [refusals(told(new Refusal(7))), refusals(told(new Refusal(8))), refusals(told(5))],
    [true, false, false],
  );
  const domain = new PredicateBuilder().handle(DOMException).build();
  assert.deepEqual([domain(told(new DOMException("x"))), domain(told(new Error("x")))], [true, false]);

  const outer = new Error("outer", { cause: new HttpError(503) });
  for (const answer of [true, false]) {
    const later = async () => answer;
    assert.equal(await new PredicateBuilder().handle(Error, later).build()(told(outer)), answer);
    assert.equal(await new PredicateBuilder().handle(later).build()(told(outer)), answer);
    assert.equal(await new PredicateBuilder().handleInner(HttpError, later).build()(told(outer)), answer);
    assert.equal(await new PredicateBuilder().handleResult(later).build()({ outcome: { ok: true, value: 5 } }), answer);
  }
  const second = new PredicateBuilder().handle(async () => false).handle(HttpError, async () => true);
  const { call } = await runRetry({ delay: 5, shouldHandle: second }, (time) => failing(time, 1, new HttpError(404)));
  assert.deepEqual(waits(call), [5]);
});

test("a delayGenerator's junk is an error, as hedging's is", async () => {
  for (const junk of ["100", NaN]) {
    const { error } = await runRetry({ delayGenerator: () => junk }, 9);
    assert.ok(error instanceof RangeError && error.message.startsWith("delay must be"), String(junk));
  }
});

test("match: an error that calls itself success is none", async () => {
  const outcome = await new PipelineBuilder().build().settle(() => {
    throw Object.assign(new Error("odd"), { code: "success" });
  });
  const handlers = { success: () => "success", failure: ({ message }) => message };
  assert.deepEqual([outcome.match(handlers), Outcome.match(outcome, handlers)], ["odd", "odd"]);
});

test("options may be an instance of a class with getters", async () => {
  class Options {
    get maxRetryAttempts() {
      return 1;
    }
    get timeout() {
      return "1s";
    }
  }
  const { call } = await runRetry(new Options(), 9);
  assert.equal(call.calls.length, 2);
  const time = new FakeTimeProvider();
  const pipeline = new PipelineBuilder({ timeProvider: time }).add(timeoutStrategy(new Options())).build();
  assert.equal(
    (
      await finish(
        time,
        pipeline.execute(() => new Promise(() => {})),
      )
    ).at,
    1_000,
  );
});

test("what would be passed over is refused", async () => {
  await assert.rejects(
    retry(() => 1, { respectRetryAfter: "no" }),
    TypeError,
  );
  for (const timeProvider of [null, 5, {}, { now: () => 0, setTimeout: () => 0 }]) {
    assert.throws(() => new PipelineBuilder({ timeProvider }).build(), /timeProvider\.\w+ must be a function/);
    await assert.rejects(
      retry(() => 1, { timeProvider }),
      TypeError,
    );
    await assert.rejects(
      waitFor(() => 1, { timeProvider }),
      TypeError,
    );
    assert.throws(() => new RetryBudget({ timeProvider }), TypeError);
  }
  for (const options of [{ timeoutGenerator: 0 }, { onTimeout: 0 }]) {
    assert.throws(() => new PipelineBuilder().add(timeoutStrategy(options)).build(), TypeError);
  }
});
