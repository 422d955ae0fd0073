// How long the caller's signal matters, and that nothing stays open or listening.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeTimeProvider, ResiliencePipelineBuilder } from "retry-primitives-wasm/pipeline";
import { countingSignal, finish } from "./support/pipeline.mjs";

const mine = new Error("mine");
const collect = async (items) => {
  const all = [];
  for await (const item of items) all.push(item);
  return all;
};
const pipelines = (time) => ({
  timeout: new ResiliencePipelineBuilder({ timeProvider: time }).addTimeout("1m").build(),
  hedging: new ResiliencePipelineBuilder({ timeProvider: time }).addHedging({ delay: "1m" }).build(),
  both: new ResiliencePipelineBuilder({ timeProvider: time }).addTimeout("1m").addHedging({ delay: "1m" }).build(),
});

test("the caller's abort reaches what a call has given, as the body of a response, and leaves no listener", async () => {
  // Node.js 18 has nothing to combine signals with.
  if (!AbortSignal.any) return;
  const time = new FakeTimeProvider();
  for (const [name, pipeline] of Object.entries(pipelines(time))) {
    const { controller, signal, listeners } = countingSignal();
    const given = (
      await finish(
        time,
        pipeline.execute((context) => context.signal, { signal }),
      )
    ).value;
    assert.deepEqual([given.aborted, listeners.size], [false, 0], name);
    controller.abort(mine);
    assert.deepEqual([given.aborted, given.reason], [true, mine], name);
  }
});

/** A stream that knows whether it was closed. */
const streams = () => {
  const closed = [];
  const open = (number) => ({
    [Symbol.asyncIterator]: () => ({
      next: async () => ({ done: false, value: number }),
      return: async () => ({ done: true, value: closed.push(number) }),
    }),
  });
  return { closed, open };
};

test("executeStream: a retry that ends in an error leaves no listener", async () => {
  const time = new FakeTimeProvider();
  const pipeline = new ResiliencePipelineBuilder({ timeProvider: time })
    .addRetry({ maxRetryAttempts: 1, delay: 0, shouldHandle: () => true })
    .addTimeout("1s")
    .build();
  const { signal, listeners } = countingSignal();
  const { closed, open } = streams();
  const call = ({ attemptNumber, signal: own }) => {
    own.throwIfAborted();
    if (attemptNumber) throw mine;
    return open(0);
  };
  assert.equal((await finish(time, collect(pipeline.executeStream(call, { signal })))).error, mine);
  assert.deepEqual([listeners.size, closed, time.pending], [0, [0], 0]);
});

test("executeStream: a predicate or a hook that throws closes the stream that was there", async () => {
  const raise = () => {
    throw mine;
  };
  const raising = {
    breaker: (builder) => builder.addCircuitBreaker({ shouldHandle: raise }),
    retry: (builder) => builder.addRetry({ shouldHandle: () => true, onFailedAttempt: async () => raise() }),
    fallback: (builder) => builder.addFallback({ fallback: 5, shouldHandle: raise }),
    hedging: (builder) => builder.addHedging({ shouldHandle: raise }),
  };
  for (const [name, add] of Object.entries(raising)) {
    const time = new FakeTimeProvider();
    const pipeline = add(new ResiliencePipelineBuilder({ timeProvider: time }))
      .addTimeout("1h")
      .build();
    const { closed, open } = streams();
    assert.equal((await finish(time, collect(pipeline.executeStream(() => open(name))))).error, mine, name);
    assert.deepEqual(closed, [name]);
  }
});

test("executeStream: a stream that never closes holds nothing back for longer than the caller wants", async () => {
  const time = new FakeTimeProvider();
  const pipeline = new ResiliencePipelineBuilder({ timeProvider: time })
    .addTimeout("1s")
    .addRetry({ shouldHandle: () => true })
    .build();
  const open = () => ({
    [Symbol.asyncIterator]: () => ({
      next: async () => ({ done: false, value: 1 }),
      return: () => new Promise(() => {}),
    }),
  });
  const { error, at } = await finish(time, collect(pipeline.executeStream(open)));
  assert.deepEqual([error.code, at], ["TIMEOUT", 1_000]);
  const plain = new ResiliencePipelineBuilder({ timeProvider: time }).addRetry({ shouldHandle: () => true }).build();
  const controller = new AbortController();
  time.setTimeout(() => controller.abort(mine), 500);
  const aborted = await finish(time, collect(plain.executeStream(open, { signal: controller.signal })));
  assert.deepEqual([aborted.error, aborted.at], [mine, 500]);
});

test("executeStream: what is no stream is no reason to try again", async () => {
  const time = new FakeTimeProvider();
  const pipeline = new ResiliencePipelineBuilder({ timeProvider: time }).addRetry().addTimeout("1s").build();
  let calls = 0;
  const { error } = await finish(time, collect(pipeline.executeStream(() => ++calls)));
  assert.ok(error instanceof TypeError);
  assert.equal(calls, 1);
});
