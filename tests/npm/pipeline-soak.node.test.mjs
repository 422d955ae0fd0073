// Ten thousand runs of each strategy, in Node.js, which can tell what is left: no unhandled rejection, no timer, no listener.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import {
  bulkheadStrategy,
  circuitBreakerStrategy,
  fallbackStrategy,
  hedgingStrategy,
  NonRetryableError,
  PipelineBuilder,
  rateLimiterStrategy,
  retry,
  RetryBudget,
  retryStrategy,
  timeoutStrategy,
  waitFor,
} from "retry-primitives-wasm/pipeline";
import { HttpError } from "./support/pipeline.mjs";
import { complaints, soak } from "./support/soak.mjs";
import { until } from "./support/until.mjs";

/** Succeeds, fails once, fails for good with each kind of error, in turn; looks at its signal, or does not. */
const work = (run) => {
  let calls = 0;
  return async (context) => {
    if (run % 2) context.signal.throwIfAborted();
    if (run % 5 === 0) return run;
    if (run % 5 === 1 && calls++) return run;
    if (run % 5 === 2) throw new HttpError(404);
    if (run % 5 === 3) throw new NonRetryableError("no use");
    throw new Error("down");
  };
};
/** Answers or fails a moment after its timeout or its rival. */
const late = (run) => () =>
  new Promise((resolve, reject) => setTimeout(() => (run % 2 ? resolve(run) : reject(new Error("late"))), 3));

const strategies = {
  retry: retryStrategy({ delay: 0, maxRetryAttempts: 1 }),
  "retry with a budget": retryStrategy({ delay: 0, budget: new RetryBudget({ minRetriesPerSecond: 1 }) }),
  timeout: timeoutStrategy("1h"),
  "circuit breaker": circuitBreakerStrategy({ consecutiveFailures: 5, breakDuration: 1 }),
  hedging: hedgingStrategy({ delay: 0 }),
  "rate limiter": rateLimiterStrategy({ permitLimit: 1_000 }),
  bulkhead: bulkheadStrategy({ permitLimit: 4, queueLimit: 2 }),
  fallback: fallbackStrategy({ fallback: () => 1 }),
};
for (const [name, strategy] of Object.entries(strategies)) {
  test(name, async () => {
    const pipeline = new PipelineBuilder().add(strategy).build();
    await soak((run, signal) => pipeline.execute(work(run), run % 3 ? { signal } : {}));
  });
}

test("retry()", () => soak((run, signal) => retry(work(run), { delay: 0, maxRetryAttempts: 1, signal })));

test("waitFor", () =>
  soak((run, signal) => waitFor(({ attemptNumber }) => attemptNumber > run % 2, { interval: 0, signal })));

test("all strategies in a row, settled", async () => {
  const builder = new PipelineBuilder();
  for (const strategy of Object.values(strategies)) builder.add(strategy);
  const pipeline = builder.build();
  await soak(async (run, signal) => {
    const outcome = await pipeline.settle(work(run), { signal, idempotent: run % 7 > 0 });
    // What `work` can give, and what these strategies can raise: a fallback stands for every error but an abort.
    assert.deepEqual([outcome.ok, [1, run].includes(outcome.value)], [true, true]);
  });
});

test("what comes after the timeout, or after the faster attempt", async () => {
  const timeout = new PipelineBuilder().add(timeoutStrategy(1)).build();
  const hedging = new PipelineBuilder().add(hedgingStrategy({ delay: 0, maxHedgedAttempts: 2 })).build();
  const { signal } = new AbortController();
  const resources = process.getActiveResourcesInfo().length;
  for (let batch = 0; batch < 20; batch++) {
    const runs = Array.from({ length: 50 }, (_, run) =>
      (run % 3 ? timeout : hedging).execute(late(run), { signal }).catch(() => {}),
    );
    await Promise.all(runs);
  }
  await until(() => process.getActiveResourcesInfo().length <= resources, "something is left open");
  assert.equal(getEventListeners(signal, "abort").length, 0);
  assert.deepEqual(complaints, []);
});

test("streams, read to their end, left early, and failed", async () => {
  const pipeline = new PipelineBuilder()
    .add(retryStrategy({ delay: 0 }))
    .add(timeoutStrategy("1h"))
    .add(hedgingStrategy({ delay: "1h" }))
    .build();
  let open = 0;
  const stream = (run) =>
    async function* (context) {
      context.signal.throwIfAborted();
      open++;
      try {
        if (run % 3 === 0 && context.attemptNumber === 0) throw new Error("down");
        yield 1;
        if (run % 5 === 0) throw new Error("broken off");
        yield 2;
      } finally {
        open--;
      }
    };
  await soak(async (run, signal) => {
    for await (const item of pipeline.executeStream(stream(run), { signal })) {
      if (run % 2 && item === 1) break;
    }
  });
  assert.equal(open, 0);
});
