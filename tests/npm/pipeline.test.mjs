// The builder, execute, settle and executeStream, and the fake clock. "Page" as in pipeline-retry.test.mjs.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  FakeTimeProvider,
  Outcome,
  PipelineBuilder,
  ResiliencePipelineBuilder,
  retryStrategy,
  timeoutStrategy,
} from "retry-primitives-wasm/pipeline";
import { countingSignal, failing, finish } from "./support/pipeline.mjs";

const logging = (log, name) => () => async (next, context) => {
  log.push(`> ${name}`);
  const result = await next(context);
  log.push(`< ${name}`);
  return result;
};

test("Page, Builder: the first strategy added is the outermost", async () => {
  const log = [];
  const pipeline = new PipelineBuilder().add(logging(log, "first")).add(logging(log, "second")).build();
  assert.equal(await pipeline.execute(() => log.push("callback")), 3);
  assert.deepEqual(log, ["> first", "> second", "callback", "< second", "< first"]);
});

test("Page, Builder: options are validated and state is created on build()", async () => {
  let states = 0;
  const builder = new ResiliencePipelineBuilder().addRetry({ delay: -1 }).add(() => {
    states++;
    return (next, context) => next(context);
  });
  assert.throws(() => builder.build(), RangeError);
  const fine = new ResiliencePipelineBuilder().add(() => {
    states++;
    return (next, context) => next(context);
  });
  assert.equal(states, 0);
  fine.build();
  fine.build();
  assert.equal(states, 2);
});

test("Page, Builder: PipelineBuilder with strategy functions and ResiliencePipelineBuilder are interchangeable", async () => {
  const retry = { maxRetryAttempts: 2, delay: 10 };
  const make = [
    (time) => new ResiliencePipelineBuilder({ timeProvider: time }).addTimeout("1s").addRetry(retry),
    (time) => new PipelineBuilder({ timeProvider: time }).add(timeoutStrategy("1s")).add(retryStrategy(retry)),
    (time) => new ResiliencePipelineBuilder({ timeProvider: time }).add(timeoutStrategy("1s")).addRetry(retry),
  ];
  for (const builder of make) {
    const time = new FakeTimeProvider();
    const call = failing(time, 2);
    assert.equal((await finish(time, builder(time).build().execute(call))).value, "done");
    assert.deepEqual(call.at(), [0, 10, 20]);
  }
});

test("a pipeline without strategies just calls", async () => {
  const pipeline = new PipelineBuilder().build();
  assert.equal(await pipeline.execute(({ attemptNumber }) => attemptNumber), 0);
  await assert.rejects(
    pipeline.execute(() => {
      throw new Error("mine");
    }),
    /mine/,
  );
});

test("what is no callback is refused, not retried", async () => {
  const pipeline = new PipelineBuilder({ timeProvider: new FakeTimeProvider() }).add(retryStrategy()).build();
  const isNamed = (error) => error instanceof TypeError && error.message.startsWith("callback must be a function");
  for (const callback of [undefined, null, 5, {}]) {
    await assert.rejects(pipeline.execute(callback), isNamed);
    assert.ok(isNamed((await pipeline.settle(callback)).error));
    await assert.rejects(pipeline.executeStream(callback).next(), isNamed);
  }
});

test("Page, Idempotency: the callback has a signal, also when the caller has none", async () => {
  const pipeline = new PipelineBuilder().build();
  await pipeline.execute(({ signal, idempotent }) => {
    assert.ok(signal instanceof AbortSignal);
    assert.equal(signal.aborted, false);
    assert.equal(idempotent, true);
  });
  const { signal } = new AbortController();
  await pipeline.execute((context) => assert.equal(context.signal, signal), { signal });
  await pipeline.execute((context) => assert.equal(context.idempotent, false), { idempotent: false });
});

test("a signal that is aborted before: nothing is called, and no strategy is asked", async () => {
  const asked = [];
  const pipeline = new PipelineBuilder()
    .add(timeoutStrategy("1s"))
    .add(() => (next, context) => next(context, asked.push("strategy")))
    .build();
  const reason = new Error("before");
  const { error } = await pipeline.settle(() => asked.push("callback"), { signal: AbortSignal.abort(reason) });
  assert.equal(error, reason);
  assert.deepEqual(asked, []);
});

test("executions of one pipeline at the same time do not meet", async () => {
  const time = new FakeTimeProvider();
  const pipeline = new PipelineBuilder({ timeProvider: time })
    .add(timeoutStrategy("1m"))
    .add(retryStrategy({ delay: 10 }))
    .build();
  const calls = [0, 1, 2, 3].map((failures) => failing(time, failures, new Error("down"), failures));
  const { value } = await finish(time, Promise.all(calls.map((call) => pipeline.execute(call))));
  assert.deepEqual(value, [0, 1, 2, 3]);
  assert.deepEqual(
    calls.map((call) => call.calls.map(({ attemptNumber }) => attemptNumber)),
    [[0], [0, 1], [0, 1, 2], [0, 1, 2, 3]],
  );
});

test("settle: an outcome as a value, never a rejection", async () => {
  const time = new FakeTimeProvider();
  const pipeline = new ResiliencePipelineBuilder({ timeProvider: time }).addTimeout("1s").build();
  const handlers = {
    success: (value) => `success ${value}`,
    TIMEOUT: (error) => `timeout ${error.timeout}`,
    failure: (error) => `failure ${error?.message}`,
  };
  const { value: good } = await finish(
    time,
    pipeline.settle(async () => 5),
  );
  assert.deepEqual([good.ok, good.value, good.match(handlers)], [true, 5, "success 5"]);
  assert.equal(Outcome.match(good, handlers), "success 5");
  const { value: late } = await finish(
    time,
    pipeline.settle(() => new Promise(() => {})),
  );
  assert.deepEqual([late.ok, late.error.name, late.match(handlers)], [false, "TimeoutRejectedError", "timeout 1000"]);
  assert.equal(late.match({ success: () => 1, failure: () => 2 }), 2, "a code without a function of its own");
  const mine = async () => {
    throw new Error("mine");
  };
  const { value: failed } = await finish(time, pipeline.settle(mine));
  assert.equal(failed.match(handlers), "failure mine");
  const odd = async () => {
    throw { code: "toString" };
  };
  assert.equal((await pipeline.settle(odd)).match(handlers), "failure undefined");
  const nothing = async () => {
    throw undefined;
  };
  const outcome = await pipeline.settle(nothing);
  assert.deepEqual([outcome.ok, outcome.match(handlers)], [false, "failure undefined"]);
});

const stream = (log, items, failAt = Infinity) =>
  async function* (context) {
    const attempt = context.attemptNumber;
    log.push(`open ${attempt}`);
    try {
      for (const [index, item] of items.entries()) {
        if (index === failAt) throw new Error(`at ${index}`);
        yield item;
      }
    } finally {
      log.push(`close ${attempt}`);
    }
  };
const collect = async (iterable, log = []) => {
  for await (const item of iterable) log.push(item);
  return log;
};

test("executeStream: all items, in order", async () => {
  const pipeline = new PipelineBuilder().add(retryStrategy()).build();
  const log = [];
  assert.deepEqual(await collect(pipeline.executeStream(stream(log, [1, 2, 3]))), [1, 2, 3]);
  assert.deepEqual(await collect(pipeline.executeStream(async (context) => stream(log, [])(context))), []);
  assert.deepEqual(log, ["open 0", "close 0", "open 0", "close 0"]);
});

test("executeStream: a stream that fails before its first item is opened again", async () => {
  const time = new FakeTimeProvider();
  const pipeline = new PipelineBuilder({ timeProvider: time }).add(retryStrategy({ delay: 10 })).build();
  const log = [];
  const open = (context) => stream(log, [1, 2], context.attemptNumber < 2 ? 0 : Infinity)(context);
  assert.deepEqual((await finish(time, collect(pipeline.executeStream(open)))).value, [1, 2]);
  assert.deepEqual(log, ["open 0", "close 0", "open 1", "close 1", "open 2", "close 2"]);
});

test("executeStream: what fails after the first item was handed out is not repeated", async () => {
  const time = new FakeTimeProvider();
  const pipeline = new PipelineBuilder({ timeProvider: time }).add(retryStrategy({ delay: 10 })).build();
  const [log, items] = [[], []];
  const { error } = await finish(time, collect(pipeline.executeStream(stream(log, [1, 2, 3], 2)), items));
  assert.equal(error.message, "at 2");
  assert.deepEqual(items, [1, 2]);
  assert.deepEqual(log, ["open 0", "close 0"]);
});

test("Page, Steps: with executeStream, a successful stream that shouldHandle retries is closed first", async () => {
  const time = new FakeTimeProvider();
  const log = [];
  const pipeline = new PipelineBuilder({ timeProvider: time })
    .add(
      retryStrategy({
        delay: 10,
        shouldHandle: ({ outcome }) => outcome.ok && outcome.value.first.value === "busy",
        onRetry: () => log.push("retry"),
      }),
    )
    .build();
  const open = (context) => stream(log, context.attemptNumber ? ["fine", "more"] : ["busy", "never"])(context);
  assert.deepEqual((await finish(time, collect(pipeline.executeStream(open)))).value, ["fine", "more"]);
  assert.deepEqual(log, ["open 0", "close 0", "retry", "open 1", "close 1"]);
});

test("executeStream: who stops reading closes the stream", async () => {
  const pipeline = new PipelineBuilder().add(timeoutStrategy("1h")).build();
  const log = [];
  for await (const item of pipeline.executeStream(stream(log, [1, 2, 3]))) {
    if (item === 2) break;
  }
  assert.deepEqual(log, ["open 0", "close 0"]);
});

test("executeStream: the timeout holds for the first item; the caller's abort reaches the stream to its end", async () => {
  const time = new FakeTimeProvider();
  const pipeline = new PipelineBuilder({ timeProvider: time }).add(timeoutStrategy("1s")).build();
  const { controller, signal, listeners } = countingSignal();
  async function* slow(context) {
    const wait = (ms) =>
      new Promise((resolve, reject) => {
        time.setTimeout(resolve, ms);
        context.signal.addEventListener("abort", () => reject(context.signal.reason));
      });
    yield 1;
    await wait(60_000);
    yield 2;
    await wait(60_000);
    yield 3;
  }
  const reason = new Error("enough");
  time.setTimeout(() => controller.abort(reason), 90_000);
  const items = [];
  const { error, at } = await finish(time, collect(pipeline.executeStream(slow, { signal }), items));
  assert.deepEqual(items, [1, 2]);
  assert.deepEqual([error, at], [reason, 90_000]);
  assert.equal(listeners.size, 0);

  const silent = async function* () {
    await new Promise(() => {});
    yield 1;
  };
  const late = await finish(time, collect(pipeline.executeStream(silent)));
  assert.deepEqual([late.error.code, late.at], ["TIMEOUT", 1_000]);
});

test("executeStream: at its end, or left early, a stream leaves no listener", async () => {
  const pipeline = new PipelineBuilder().add(timeoutStrategy("1h")).build();
  const { signal, listeners } = countingSignal();
  async function* numbers(context) {
    context.signal.throwIfAborted();
    yield 1;
    yield 2;
  }
  assert.deepEqual(await collect(pipeline.executeStream(numbers, { signal })), [1, 2]);
  assert.equal(listeners.size, 0);
  for await (const item of pipeline.executeStream(numbers, { signal })) if (item === 1) break;
  assert.equal(listeners.size, 0);
});

test("executeStream: an execution that never gave a stream leaves no listener", async () => {
  const time = new FakeTimeProvider();
  const pipeline = new PipelineBuilder({ timeProvider: time })
    .add(retryStrategy({ maxRetryAttempts: 1, shouldHandle: ({ outcome }) => outcome.ok }))
    .add(timeoutStrategy("1h"))
    .build();
  const { signal, listeners } = countingSignal();
  async function* open(context) {
    context.signal.throwIfAborted();
    if (context.attemptNumber) throw new Error("down");
    yield "busy";
  }
  assert.equal((await finish(time, collect(pipeline.executeStream(open, { signal })))).error.message, "down");
  assert.equal(listeners.size, 0);
});

test("executeStream: a stream that comes after its timeout is closed", async () => {
  const time = new FakeTimeProvider();
  const pipeline = new PipelineBuilder({ timeProvider: time }).add(timeoutStrategy("1s")).build();
  const log = [];
  const open = async (context) => {
    await new Promise((resolve) => time.setTimeout(resolve, 2_000));
    return stream(log, [1, 2])(context);
  };
  assert.equal((await finish(time, collect(pipeline.executeStream(open)))).error.code, "TIMEOUT");
  assert.deepEqual(log, ["open 0", "close 0"]);
});

test("executeStream: a ReadableStream too", async () => {
  const pipeline = new PipelineBuilder().add(retryStrategy()).build();
  const text = await collect(
    pipeline.executeStream(async () => new Response("hello").body.pipeThrough(new TextDecoderStream())),
  );
  assert.equal(text.join(""), "hello");
});

test("executeStream: a ReadableStream that cannot be iterated is read, and cancelled when left early", async () => {
  const pipeline = new PipelineBuilder().add(retryStrategy()).build();
  let cancelled = 0;
  const open = () => {
    const stream = new ReadableStream({
      start(controller) {
        for (const item of [1, 2, 3]) controller.enqueue(item);
        controller.close();
      },
      cancel: () => void cancelled++,
    });
    return { getReader: () => stream.getReader() };
  };
  assert.deepEqual(await collect(pipeline.executeStream(open)), [1, 2, 3]);
  assert.equal(cancelled, 0);
  const endless = () => {
    const stream = new ReadableStream({ pull: (controller) => controller.enqueue(1), cancel: () => void cancelled++ });
    return { getReader: () => stream.getReader() };
  };
  for await (const item of pipeline.executeStream(endless)) if (item) break;
  assert.equal(cancelled, 1);
});

test("executeStream: what is no stream is refused, not retried", async () => {
  const pipeline = new PipelineBuilder().add(retryStrategy()).build();
  for (const source of [undefined, null, 5, {}, [1]]) {
    let calls = 0;
    const open = async () => {
      calls++;
      return source;
    };
    await assert.rejects(collect(pipeline.executeStream(open)), TypeError);
    assert.equal(calls, 1);
  }
});

test("Page, Pitfalls: FakeTimeProvider instead of real delays", async () => {
  const time = new FakeTimeProvider(1_000);
  const log = [];
  const timer = (name, ms) => time.setTimeout(() => log.push([name, time.now()]), ms);
  timer("b", 20);
  timer("a", 10);
  timer("c", 20);
  const cleared = timer("never", 15);
  time.clearTimeout(cleared);
  time.setTimeout(() => timer("chained", 5), 12);
  assert.equal(time.pending, 4);
  await time.advance(19);
  assert.deepEqual(log, [
    ["a", 1_010],
    ["chained", 1_017],
  ]);
  assert.equal(time.now(), 1_019);
  await time.advance("1s");
  assert.deepEqual(log.slice(2), [
    ["b", 1_020],
    ["c", 1_020],
  ]);
  assert.equal(time.now(), 2_019);
  assert.equal(time.pending, 0);
  await assert.rejects(time.advance(-1), RangeError);
});
