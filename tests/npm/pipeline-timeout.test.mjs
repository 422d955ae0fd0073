// The timeout strategy. "Page" as in pipeline-retry.test.mjs.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  FakeTimeProvider,
  isTimeoutError,
  PipelineBuilder,
  ResiliencePipelineBuilder,
  retryStrategy,
  TimeoutRejectedError,
  timeoutStrategy,
} from "retry-primitives-wasm/pipeline";
import { countingSignal, failing, finish } from "./support/pipeline.mjs";

const setup = (options) => {
  const time = new FakeTimeProvider();
  const pipeline = new PipelineBuilder({ timeProvider: time }).add(timeoutStrategy(options)).build();
  return { time, pipeline };
};
const never = () => new Promise(() => {});

test("raises an error when time is up, and aborts the signal with it", async () => {
  const { time, pipeline } = setup("2s");
  let signal;
  const { error, at } = await finish(
    time,
    pipeline.execute((context) => {
      ({ signal } = context);
      return never();
    }),
  );
  assert.equal(at, 2_000);
  assert.ok(error instanceof TimeoutRejectedError && isTimeoutError(error));
  assert.deepEqual([error.name, error.code, error.timeout], ["TimeoutRejectedError", "TIMEOUT", 2_000]);
  assert.equal(signal.aborted, true);
  assert.equal(signal.reason, error);
});

test("a result or an error in time is handed on, and no timer is left", async () => {
  const { time, pipeline } = setup({ timeout: "2s" });
  const wait = (context, ms) => new Promise((resolve) => time.setTimeout(() => resolve("in time"), ms));
  assert.deepEqual(
    await finish(
      time,
      pipeline.execute((context) => wait(context, 1_999)),
    ),
    {
      ok: true,
      value: "in time",
      at: 1_999,
    },
  );
  const error = new Error("mine");
  assert.equal((await finish(time, pipeline.execute(failing(time, 1, error)))).error, error);
  const atOnce = () => {
    throw error;
  };
  assert.equal((await finish(time, pipeline.execute(atOnce))).error, error);
  assert.equal(await pipeline.execute(() => 5), 5);
  assert.equal(time.pending, 0);
});

test("what comes after the timeout is nobody's: no unhandled rejection", async () => {
  const { time, pipeline } = setup(10);
  const late = (context) =>
    new Promise((_, reject) => context.signal.addEventListener("abort", () => reject(new Error("late"))));
  assert.ok(isTimeoutError((await finish(time, pipeline.execute(late))).error));
});

test("Page, Strategy order: retry outside gives each attempt 2 s, timeout outside gives all together 2 s", async () => {
  const each = { attempts: 0, time: new FakeTimeProvider() };
  const retries = { maxRetryAttempts: 3, delay: 500 };
  const eachTwo = new ResiliencePipelineBuilder({ timeProvider: each.time }).addRetry(retries).addTimeout("2s").build();
  const hanging = (counter) => () => {
    counter.attempts++;
    return never();
  };
  const outside = await finish(each.time, eachTwo.execute(hanging(each)));
  assert.equal(each.attempts, 4);
  assert.equal(outside.at, 4 * 2_000 + 3 * 500);
  assert.ok(isTimeoutError(outside.error));

  const all = { attempts: 0, time: new FakeTimeProvider() };
  const together = new ResiliencePipelineBuilder({ timeProvider: all.time }).addTimeout("2s").addRetry(retries).build();
  const failed = await finish(
    all.time,
    together.execute(async () => {
      all.attempts++;
      throw new Error("down");
    }),
  );
  // At 0, 500, 1,000 and 1,500; it is over before the time is.
  assert.deepEqual([all.attempts, failed.at, failed.error.message], [4, 1_500, "down"]);
  const slow = { attempts: 0 };
  const bound = await finish(all.time, together.execute(hanging(slow)));
  assert.deepEqual([slow.attempts, bound.at], [1, 2_000]);
});

test("a timeout outside ends the wait of a retry at once", async () => {
  const time = new FakeTimeProvider();
  const pipeline = new PipelineBuilder({ timeProvider: time })
    .add(timeoutStrategy("2s"))
    .add(retryStrategy({ delay: "1h" }))
    .build();
  const call = failing(time, 9);
  const { error, at } = await finish(time, pipeline.execute(call));
  assert.equal(at, 2_000);
  assert.ok(isTimeoutError(error));
  assert.deepEqual([call.calls.length, time.pending], [1, 0]);
});

test("an abort by the caller reaches the callback through timeouts, with its reason, and leaves no listener", async () => {
  const time = new FakeTimeProvider();
  const pipeline = new PipelineBuilder({ timeProvider: time })
    .add(timeoutStrategy("9s"))
    .add(timeoutStrategy("8s"))
    .build();
  const { controller, signal, listeners } = countingSignal();
  const reason = new Error("enough");
  const work = (context) =>
    new Promise((_, reject) => context.signal.addEventListener("abort", () => reject(context.signal.reason)));
  time.setTimeout(() => controller.abort(reason), 1_000);
  const { error, at } = await finish(time, pipeline.execute(work, { signal }));
  assert.equal(error, reason);
  assert.equal(at, 1_000);
  assert.equal(listeners.size, 0);
  assert.equal(time.pending, 0);
});

test("onTimeout is told, and holds nothing back; what it throws is told to onTelemetry", async () => {
  const log = [];
  const { time, pipeline } = setup({
    timeout: 100,
    onTimeout: ({ context, timeout }) => {
      log.push([timeout, context.signal.aborted, context.attemptNumber]);
      return new Promise(() => {});
    },
  });
  const { at, error } = await finish(time, pipeline.execute(never));
  assert.deepEqual(log, [[100, true, 0]]);
  assert.deepEqual([at, error.code], [100, "TIMEOUT"]);

  const mine = new Error("hook");
  const sync = () => {
    throw mine;
  };
  for (const onTimeout of [sync, async () => sync()]) {
    const told = [];
    const timeProvider = new FakeTimeProvider();
    const throwing = new PipelineBuilder({ timeProvider, onTelemetry: (event) => told.push(event) })
      .add(timeoutStrategy({ timeout: 100, onTimeout }))
      .build();
    assert.equal((await finish(timeProvider, throwing.execute(never))).error.code, "TIMEOUT");
    assert.deepEqual(
      told.map(({ name, error }) => [name, error]),
      [["OnHookFailed", mine]],
    );
  }
});

test("timeoutGenerator gives each execution its own", async () => {
  let ms = 100;
  const { time, pipeline } = setup({
    timeoutGenerator: async ({ context }) => (context.attemptNumber === 0 ? ms : assert.fail()),
  });
  assert.equal((await finish(time, pipeline.execute(never))).at, 100);
  ms = "3s";
  assert.equal((await finish(time, pipeline.execute(never))).at, 3_000);
  ms = -1;
  assert.ok((await finish(time, pipeline.execute(never))).error instanceof RangeError);
});

test("Case 13: a timeout longer than a timer can be does not fire at once", async () => {
  const { time, pipeline } = setup("4w");
  const set = time.setTimeout;
  time.setTimeout = (callback, ms) => {
    assert.ok(ms < 2 ** 31);
    return set.call(time, callback, ms);
  };
  assert.equal((await finish(time, pipeline.execute(never), "5w")).at, 4 * 604_800_000);
});

test("30 s by default; above 0, or a RangeError when the pipeline is built", async () => {
  const { time, pipeline } = setup();
  assert.equal((await finish(time, pipeline.execute(never))).at, 30_000);
  for (const options of [0, -1, "soon", NaN, { timeout: "0s" }]) assert.throws(() => setup(options), RangeError);
  for (const options of [{ timeout: {} }, { timeoutGenerator: 5 }, { onTimeout: 5 }, null]) {
    assert.throws(() => setup(options), TypeError, String(options));
  }
});
