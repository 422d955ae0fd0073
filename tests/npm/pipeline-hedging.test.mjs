// The hedging strategy. "Page" as in pipeline-retry.test.mjs.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  FakeTimeProvider,
  hedgingStrategy,
  NonRetryableError,
  PipelineBuilder,
  RateLimiterRejectedError,
  ResiliencePipelineBuilder,
} from "retry-primitives-wasm/pipeline";
import { countingSignal, finish, HttpError } from "./support/pipeline.mjs";

const setup = (options, more = (builder) => builder) => {
  const time = new FakeTimeProvider();
  const builder = new PipelineBuilder({ timeProvider: time }).add(hedgingStrategy(options));
  return { time, pipeline: more(builder).build() };
};
/** Attempts that take so long each and then give their number, or throw what is in `errors`; and what became of them. */
const attempts = (time, durations, errors = []) => {
  const log = [];
  const call = (context) =>
    new Promise((resolve, reject) => {
      const { attemptNumber: number } = context;
      log.push(`${time.now()}: begin ${number}`);
      const timer = time.setTimeout(
        () => (errors[number] ? reject(errors[number]) : resolve(number)),
        durations[number],
      );
      context.signal.addEventListener("abort", () => {
        log.push(`${time.now()}: abort ${number}`);
        time.clearTimeout(timer);
        reject(context.signal.reason);
      });
    });
  return Object.assign(call, { log });
};

test("an answer in time is the only call", async () => {
  const { time, pipeline } = setup();
  const call = attempts(time, [1_999]);
  assert.deepEqual(await finish(time, pipeline.execute(call), 1_999), { ok: true, value: 0, at: 1_999 });
  assert.deepEqual(call.log, ["0: begin 0"]);
  assert.equal(time.pending, 0);
});

test("a call that takes long is made once more; the first answer wins, and the other is aborted", async () => {
  const { time, pipeline } = setup({ delay: "1s" });
  const call = attempts(time, [9_000, 500]);
  assert.deepEqual(await finish(time, pipeline.execute(call)), { ok: true, value: 1, at: 1_500 });
  assert.deepEqual(call.log, ["0: begin 0", "1000: begin 1", "1500: abort 0"]);
  const late = attempts(time, [1_200, 9_000]);
  assert.equal((await finish(time, pipeline.execute(late))).value, 0);
});

test("a failure begins the next attempt at once; the last one's error is the caller's", async () => {
  const { time, pipeline } = setup({ delay: "1s", maxHedgedAttempts: 2 });
  const errors = [new Error("zero"), new Error("one"), new Error("two")];
  const call = attempts(time, [100, 100, 100], errors);
  const { error, at } = await finish(time, pipeline.execute(call));
  assert.equal(error, errors[2]);
  assert.equal(at, 300);
  assert.deepEqual(call.log, ["0: begin 0", "100: begin 1", "200: begin 2"]);
});

test("delay 0 begins all at once, Infinity only after a failure", async () => {
  const zero = setup({ delay: 0, maxHedgedAttempts: 2 });
  const all = attempts(zero.time, [300, 200, 100]);
  assert.deepEqual(await finish(zero.time, zero.pipeline.execute(all)), { ok: true, value: 2, at: 100 });
  assert.equal(all.log.filter((line) => line.startsWith("0: begin")).length, 3);
  const infinite = setup({ delay: Infinity, maxHedgedAttempts: 2 });
  const one = attempts(infinite.time, [3_600_000, 100], [new Error("down")]);
  assert.deepEqual(await finish(infinite.time, infinite.pipeline.execute(one)), { ok: true, value: 1, at: 3_600_100 });
});

test("an error that is not handled ends it at once, and what runs is aborted", async () => {
  for (const error of [new HttpError(404), new NonRetryableError("no use")]) {
    const { time, pipeline } = setup({ delay: 100 });
    const call = attempts(time, [500, 200], [, error]);
    const { ok, at } = await finish(time, pipeline.execute(call));
    assert.deepEqual([ok, at], [false, 300]);
    assert.deepEqual(call.log, ["0: begin 0", "100: begin 1", "300: abort 0"]);
  }
});

test("shouldHandle may handle results", async () => {
  const { time, pipeline } = setup({ delay: "1s", shouldHandle: async ({ outcome }) => outcome.value === 0 });
  assert.deepEqual(await finish(time, pipeline.execute(attempts(time, [10, 10]))), { ok: true, value: 1, at: 20 });
});

test("Page, Steps: one counter per execution, shared with hedging, so numbers never repeat", async () => {
  const time = new FakeTimeProvider();
  const pipeline = new ResiliencePipelineBuilder({ timeProvider: time })
    .addRetry({ delay: 10, maxRetryAttempts: 1 })
    .addHedging({ delay: 10, maxHedgedAttempts: 2 })
    .build();
  const down = new Error("down");
  const call = attempts(time, Array(6).fill(5), Array(6).fill(down));
  await finish(time, pipeline.execute(call));
  assert.deepEqual(
    call.log.map((line) => line.replace(/.*: /, "")),
    [0, 1, 2, 3, 4, 5].map((number) => `begin ${number}`),
  );
});

test("Page, Idempotency: with idempotent false a started call is not hedged", async () => {
  const { time, pipeline } = setup({ delay: 10, maxHedgedAttempts: 3, shouldHandle: ({ outcome }) => !outcome.ok });
  const slow = attempts(time, [5_000]);
  assert.equal((await finish(time, pipeline.execute(slow, { idempotent: false }))).at, 5_000);
  const failing = attempts(time, [50], [new Error("down")]);
  assert.equal((await finish(time, pipeline.execute(failing, { idempotent: false }))).error.message, "down");
  assert.deepEqual([slow.log.length, failing.log.length], [1, 1]);
  // Nor one that says so itself: who knows what it did before.
  const saying = attempts(time, [50], [new RateLimiterRejectedError(5)]);
  await finish(time, pipeline.execute(saying, { idempotent: false }));
  assert.equal(saying.log.length, 1);
  // One that never started may be.
  let full = true;
  const limited = setup({ shouldHandle: ({ outcome }) => !outcome.ok }, (builder) =>
    builder.add(() => (next, context) => {
      if (!full) return next(context);
      full = false;
      throw new RateLimiterRejectedError(5);
    }),
  );
  const call = attempts(limited.time, [0, 5]);
  assert.equal((await finish(limited.time, limited.pipeline.execute(call, { idempotent: false }))).value, 1);
});

test("delayGenerator and onHedging, in their order", async () => {
  const log = [];
  const { time, pipeline } = setup({
    maxHedgedAttempts: 2,
    delayGenerator: async ({ attempts: made }) => {
      log.push(`delay ${made}`);
      return made * 100;
    },
    onHedging: async ({ attempts: made, context }) => void log.push(`hedge ${made} ${context.attemptNumber}`),
  });
  const call = attempts(time, [1_000, 1_000, 1_000]);
  assert.equal((await finish(time, pipeline.execute(call))).at, 1_000);
  assert.deepEqual(log, ["delay 1", "hedge 1 0", "delay 2", "hedge 2 0"]);
  assert.deepEqual(call.log.slice(0, 3), ["0: begin 0", "100: begin 1", "300: begin 2"]);
});

test("a hook that throws ends it with its error, and what runs is aborted", async () => {
  const mine = new Error("mine");
  const throwing = () => {
    throw mine;
  };
  for (const name of ["onHedging", "delayGenerator", "shouldHandle"]) {
    const { time, pipeline } = setup({ delay: 100, [name]: throwing });
    const call = attempts(time, [500, 500], [new Error("down")]);
    const { error } = await finish(time, pipeline.execute(call));
    assert.equal(error, mine, name);
    assert.equal(time.pending, 0, name);
  }
});

test("an abort by the caller reaches every attempt, begins no other, and leaves no listener", async () => {
  const { time, pipeline } = setup({ delay: 100, maxHedgedAttempts: 5 });
  const { controller, signal, listeners } = countingSignal();
  const reason = new Error("enough");
  time.setTimeout(() => controller.abort(reason), 150);
  const call = attempts(time, Array(9).fill(5_000));
  const { error, at } = await finish(time, pipeline.execute(call, { signal }));
  assert.deepEqual([error, at], [reason, 150]);
  assert.deepEqual(call.log, ["0: begin 0", "100: begin 1", "150: abort 0", "150: abort 1"]);
  assert.deepEqual([listeners.size, time.pending], [0, 0]);
});

test("after an abort no predicate is asked, and no attempt begins beside one that does not listen", async () => {
  const asked = [];
  const { time, pipeline } = setup({ delay: 100, shouldHandle: () => asked.push("shouldHandle") });
  const controller = new AbortController();
  time.setTimeout(() => controller.abort(), 50);
  let calls = 0;
  const deaf = () =>
    new Promise((_, reject) => {
      calls++;
      time.setTimeout(() => reject(new Error("down")), 500);
    });
  const { error, at } = await finish(time, pipeline.execute(deaf, { signal: controller.signal }));
  assert.deepEqual([error.message, at, calls, asked], ["down", 500, 1, []]);
});

test("a delay that is generated while an attempt fails is no longer wanted", async () => {
  const { time, pipeline } = setup({
    maxHedgedAttempts: 2,
    delayGenerator: () => new Promise((resolve) => time.setTimeout(() => resolve(100), 50)),
  });
  const call = attempts(time, [10, 900, 900], [new Error("down")]);
  await finish(time, pipeline.execute(call));
  assert.deepEqual(call.log.slice(0, 3), ["0: begin 0", "10: begin 1", "160: begin 2"]);
});

test("an abort while a hook decides ends it too", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const { time, pipeline } = setup({
    shouldHandle: async () => {
      controller.abort(reason);
      return true;
    },
  });
  const call = async () => {
    throw new Error("down");
  };
  assert.equal((await finish(time, pipeline.execute(call, { signal: controller.signal }))).error.message, "down");
});

test("executeStream: the first stream with an item wins, and the other is closed", async () => {
  const { time, pipeline } = setup({ delay: 100 });
  const closed = [];
  async function* open({ attemptNumber }) {
    try {
      await new Promise((resolve) => time.setTimeout(resolve, attemptNumber ? 50 : 1_000));
      yield `${attemptNumber} a`;
      await new Promise((resolve) => time.setTimeout(resolve, 5_000));
      yield `${attemptNumber} b`;
    } finally {
      closed.push(attemptNumber);
    }
  }
  const collect = async () => {
    const items = [];
    for await (const item of pipeline.executeStream(open)) items.push(item);
    return items;
  };
  assert.deepEqual((await finish(time, collect())).value, ["1 a", "1 b"]);
  assert.deepEqual(closed, [0, 1]);
});

test("Case 13: a delay longer than a timer can be does not begin the next attempt at once", async () => {
  const { time, pipeline } = setup({ delay: "4w" });
  const set = time.setTimeout;
  time.setTimeout = (callback, ms) => {
    assert.ok(ms < 2 ** 31);
    return set.call(time, callback, ms);
  };
  const call = () => new Promise((resolve) => call.calls++ && resolve(call.calls));
  call.calls = 0;
  assert.deepEqual(await finish(time, pipeline.execute(call), "5w"), { ok: true, value: 2, at: 4 * 604_800_000 });
});

test("bad options are refused when the pipeline is built", () => {
  for (const options of [{ maxHedgedAttempts: 0 }, { maxHedgedAttempts: 1.5 }, { delay: -1 }, { delay: "soon" }]) {
    assert.throws(() => setup(options), RangeError);
  }
  for (const options of [{ delayGenerator: 5 }, { onHedging: 5 }, { shouldHandle: 5 }]) {
    assert.throws(() => setup(options), TypeError);
  }
});
