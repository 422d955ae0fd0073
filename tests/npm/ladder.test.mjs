// Titles name the section of retry-ladder's page that a test is about.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  IdempotencyError,
  RetryExhaustedError,
  RetryTimeoutError,
  backoffWindow,
  jitteredDelay,
  retry,
} from "retry-primitives-wasm/ladder";
import { withClock } from "./support/clock.mjs";
import { coded, script, status, thrown } from "./support/failures.mjs";

const safe = { idempotent: true };
const longest = () => 1; // of each window: full jitter's draw

test("Basic usage: the result, with attempt and signal handed over", async () => {
  await withClock(async () => {
    const work = script(status(503), status(503), "data");
    assert.equal(await retry(work, safe), "data");
    assert.deepEqual(
      work.contexts.map(({ attempt }) => attempt),
      [1, 2, 3],
    );
    for (const { signal } of work.contexts) assert.ok(signal instanceof AbortSignal && !signal.aborted);
  });
});

test("Basic usage: without options, with a synchronous function, and with one that throws at once", async () => {
  assert.equal(await retry(() => 5), 5);
  const bug = new TypeError("a bug");
  const throws = () => {
    throw bug;
  };
  assert.equal(await thrown(retry(throws)), bug);
});

test("What it does: network errors and 408, 429, 500, 502, 503, 504 are retried, and nothing else", async () => {
  const fetchFailed = new TypeError("fetch failed", { cause: coded("ECONNREFUSED") });
  const timeout = new DOMException("The operation was aborted due to timeout", "TimeoutError");
  const again = [408, 429, 500, 502, 503, 504].map((code) => status(code));
  again.push(coded("ECONNRESET"), coded("ETIMEDOUT"), fetchFailed, new TypeError("Failed to fetch"), timeout);
  const final = [400, 401, 403, 404, 405, 409, 410, 422, 425, 501, 505, 511].map((code) => status(code));
  final.push(new Error("a bug"), new TypeError("x is not a function"), coded("CERT_HAS_EXPIRED"), coded("ENOENT"));
  await withClock(async () => {
    for (const error of again) {
      const work = script(error, "fine");
      assert.equal(await retry(work, safe), "fine", error.message);
      assert.equal(work.calls, 2, error.message);
    }
    for (const error of final) {
      const work = script(error, "fine");
      assert.equal(await thrown(retry(work, safe)), error, error.message);
      assert.equal(work.calls, 1, error.message);
    }
  });
});

test("Basic usage: a 404 or 401 is thrown immediately, without waiting, also after retries", async () => {
  await withClock(async (clock) => {
    const error = status(404);
    assert.equal(await thrown(retry(script(error), safe)), error);
    assert.equal(clock.elapsed(), 0);
    const late = status(401);
    assert.equal(await thrown(retry(script(status(503), late), { ...safe, random: longest })), late);
    assert.equal(clock.elapsed(), 200);
  });
});

test("The idempotency guard: a retryable failure of an operation not marked is not retried", async () => {
  for (const idempotent of [undefined, false, "false", 1]) {
    const error = status(503);
    const work = script(error, "charged twice");
    const refusal = await thrown(retry(work, { retries: 3, idempotent }));
    assert.ok(refusal instanceof IdempotencyError && refusal instanceof Error);
    assert.equal(refusal.name, "IdempotencyError");
    assert.equal(refusal.cause, error);
    assert.equal(work.calls, 1);
  }
  const bug = status(400);
  assert.equal(await thrown(retry(script(bug))), bug, "what would not be retried anyway passes through");
});

test("How backoff works: min(maxDelayMs, baseMs * factor ** n), times the draw", async () => {
  const expected = (n, draw) => Math.round(draw * Math.min(30_000, 200 * 2 ** n));
  for (const draw of [0, 0.25, 0.999, 1]) {
    await withClock(async (clock) => {
      const waits = [];
      const onRetry = ({ delayMs }) => waits.push(delayMs);
      const error = await thrown(retry(script(status(503)), { ...safe, retries: 9, random: () => draw, onRetry }));
      const all = Array.from({ length: 9 }, (_, n) => expected(n, draw));
      assert.deepEqual(waits, all);
      assert.equal(
        clock.elapsed(),
        all.reduce((sum, ms) => sum + ms, 0),
      );
      assert.equal(error.elapsedMs, clock.elapsed());
    });
  }
});

test("Options: baseMs, factor and maxDelayMs shape the windows", async () => {
  await withClock(async () => {
    const waits = [];
    const shape = { baseMs: 10, factor: 3, maxDelayMs: 100, random: longest };
    const options = { ...safe, ...shape, retries: 4, onRetry: ({ delayMs }) => waits.push(delayMs) };
    await thrown(retry(script(status(503)), options));
    assert.deepEqual(waits, [10, 30, 90, 100]);
    assert.deepEqual(
      [0, 1, 2, 3].map((n) => backoffWindow(n, shape)),
      waits,
    );
    assert.deepEqual(
      [0, 1, 2, 3].map((n) => jitteredDelay(n, { ...shape, random: () => 0.5 })),
      [5, 15, 45, 50],
    );
  });
});

test("How backoff works: draws differ, and stay in the window", () => {
  const draws = Array.from({ length: 200 }, () => jitteredDelay(6));
  assert.equal(backoffWindow(6), 12_800);
  assert.ok(draws.every((ms) => ms >= 0 && ms <= 12_800));
  assert.ok(new Set(draws).size > 100);
  assert.ok(Math.max(...draws) > 6_400 && Math.min(...draws) < 6_400);
});

test("Options: retries is 3 unless said, so up to 4 calls; 0 is one call", async () => {
  await withClock(async () => {
    for (const [retries, calls] of [
      [undefined, 4],
      [0, 1],
      [1, 2],
      [6, 7],
    ]) {
      const work = script(status(503));
      const error = await thrown(retry(work, { ...safe, retries }));
      assert.equal(work.calls, calls);
      assert.ok(error instanceof RetryExhaustedError);
    }
  });
});

test("Errors: RetryExhaustedError has attempts, elapsedMs and the last failure as cause", async () => {
  await withClock(async (clock) => {
    const last = coded("ECONNRESET");
    const error = await thrown(
      retry(script(status(500), last), { ...safe, retries: 1, random: () => 0.5, baseMs: 1_000 }),
    );
    assert.equal(error.name, "RetryExhaustedError");
    assert.equal(error.cause, last);
    assert.deepEqual([error.attempts, error.elapsedMs], [2, 500]);
    assert.equal(clock.elapsed(), 500);
  });
});

test("Options: onRetry is told attempt, error, delayMs, elapsedMs and retryAfter before each backoff", async () => {
  await withClock(async (clock) => {
    const infos = [];
    const [first, second] = [status(503), status(429)];
    const work = script(first, second, "data");
    const slow = (context) => {
      clock.advance(40);
      return work(context);
    };
    await retry(slow, {
      ...safe,
      random: longest,
      getRetryAfterMs: (failure) => (failure === second ? 7_000 : undefined),
      onRetry: (info) => infos.push([info, work.calls]),
    });
    assert.deepEqual(infos, [
      [{ attempt: 1, error: first, delayMs: 200, elapsedMs: 40, retryAfter: false }, 1],
      [{ attempt: 2, error: second, delayMs: 7_000, elapsedMs: 280, retryAfter: true }, 2],
    ]);
    assert.equal(clock.elapsed(), 40 + 200 + 40 + 7_000 + 40);
  });
});

test("How backoff works: a Retry-After wins over the computed backoff, shorter or longer, cap or not", async () => {
  await withClock(async () => {
    for (const wait of [0, 1, 2_000, 120_000]) {
      const waits = [];
      const options = {
        random: longest,
        baseMs: 500,
        getRetryAfterMs: () => wait,
        onRetry: (info) => waits.push(info),
      };
      await retry(script(status(429), "data"), { ...safe, ...options });
      assert.deepEqual(
        waits.map(({ delayMs, retryAfter }) => [delayMs, retryAfter]),
        [[wait, true]],
      );
    }
  });
});

test("Options: getRetryAfterMs that knows nothing leaves it to the backoff", async () => {
  await withClock(async () => {
    for (const nothing of [undefined, null, NaN, -5]) {
      const waits = [];
      const options = { random: longest, getRetryAfterMs: () => nothing, onRetry: (info) => waits.push(info) };
      await retry(script(status(429), "data"), { ...safe, ...options });
      assert.deepEqual(
        waits.map(({ delayMs, retryAfter }) => [delayMs, retryAfter]),
        [[200, false]],
      );
    }
  });
});

test("What it does: maxElapsedMs stops before a wait that would end past it", async () => {
  await withClock(async (clock) => {
    const last = status(503);
    const work = script(status(500), last);
    const error = await thrown(retry(work, { ...safe, retries: 9, baseMs: 400, maxElapsedMs: 1_000, random: longest }));
    assert.ok(error instanceof RetryTimeoutError);
    assert.equal(error.name, "RetryTimeoutError");
    // 400 ms, and then 800 would end at 1,200.
    assert.deepEqual([error.attempts, error.elapsedMs, error.cause], [2, 400, last]);
    assert.equal(clock.elapsed(), 400);
    assert.equal(clock.pending(), 0);
  });
});

test("What it does: maxElapsedMs ends a call that hangs, whether or not it listens", async () => {
  for (const listens of [true, false]) {
    await withClock(async (clock) => {
      let aborted;
      const hang = ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            aborted = signal.reason;
            if (listens) reject(signal.reason);
          });
        });
      const error = await thrown(retry(hang, { ...safe, maxElapsedMs: 30_000 }));
      assert.ok(error instanceof RetryTimeoutError);
      assert.equal(aborted, error);
      assert.deepEqual([error.attempts, error.elapsedMs, error.cause], [1, 30_000, undefined]);
      assert.equal(clock.elapsed(), 30_000);
    });
  }
});

test("What it does: maxElapsedMs holds for an operation that is not idempotent too, and leaves no timer", async () => {
  await withClock(async (clock) => {
    const error = await thrown(retry(() => new Promise(() => {}), { maxElapsedMs: 5 }));
    assert.ok(error instanceof RetryTimeoutError);
    assert.equal(await retry(() => 1, { maxElapsedMs: 5 }), 1);
    await thrown(retry(script(status(400)), { maxElapsedMs: 5 }));
    assert.equal(clock.pending(), 0);
  });
});

test("Options: shouldRetry decides instead of the classifier, but never about an AbortError", async () => {
  await withClock(async () => {
    const teapot = status(418);
    const work = script(teapot, "tea");
    assert.equal(await retry(work, { ...safe, shouldRetry: (error) => error === teapot }), "tea");
    const unavailable = status(503);
    assert.equal(await thrown(retry(script(unavailable), { ...safe, shouldRetry: async () => false })), unavailable);
    const abort = new DOMException("This operation was aborted", "AbortError");
    assert.equal(await thrown(retry(script(abort, "no"), { ...safe, shouldRetry: () => true })), abort);
    assert.equal(await thrown(retry(script(abort, "no"), safe)), abort);
  });
});

test("Options: getRetryAfterMs may give a header's text, and what is no number is nothing", async () => {
  await withClock(async () => {
    for (const [given, ...expected] of [
      ["5000", 5_000, true],
      ["70.5", 71, true],
      [5_000n, 5_000, true],
      ["soon", 200, false],
      ["", 200, false],
      ["-1", 200, false],
      [{}, 200, false],
      [true, 200, false],
    ]) {
      const waits = [];
      const options = { random: longest, getRetryAfterMs: async () => given, onRetry: (info) => waits.push(info) };
      await retry(script(status(429), "data"), { ...safe, ...options });
      assert.deepEqual(
        waits.map(({ delayMs, retryAfter }) => [delayMs, retryAfter]),
        [expected],
        String(given),
      );
    }
  });
});

test("Options: without retries there is nothing to refuse, so they are used up at once", async () => {
  const failure = status(503);
  const error = await thrown(retry(script(failure), { retries: 0 }));
  assert.deepEqual([error.name, error.cause, error.attempts], ["RetryExhaustedError", failure, 1]);
});

test("Options: shouldRetryResult makes a returned value a failure", async () => {
  await withClock(async () => {
    const work = script({ state: "pending" }, { state: "done" });
    const shouldRetryResult = ({ state }) => state === "pending";
    const infos = [];
    const onRetry = ({ error }) => infos.push(error);
    assert.deepEqual(await retry(work, { ...safe, shouldRetryResult, onRetry }), { state: "done" });
    assert.deepEqual(infos, [{ state: "pending" }]);

    const pending = { state: "pending" };
    const error = await thrown(retry(script(pending), { ...safe, shouldRetryResult: async () => true }));
    assert.ok(error instanceof RetryExhaustedError);
    assert.equal(error.cause, pending);
    assert.ok((await thrown(retry(script(pending), { shouldRetryResult }))) instanceof IdempotencyError);
  });
});

test("Options: retryableStatuses and retryableErrorCodes replace the sets", async () => {
  await withClock(async () => {
    const options = { ...safe, retryableStatuses: new Set([418]), retryableErrorCodes: ["SQLITE_BUSY"] };
    const fetchFailed = new TypeError("fetch failed", { cause: coded("ECONNREFUSED") });
    for (const error of [status(418), coded("SQLITE_BUSY"), new Error("query failed", { cause: coded("SQLITE_BUSY") })])
      assert.equal(await retry(script(error, "fine"), options), "fine", error.message);
    for (const error of [status(503), coded("ECONNRESET"), fetchFailed])
      assert.equal(await thrown(retry(script(error, "fine"), options)), error, error.message);
  });
});

test("what onRetry throws or rejects with ends the operation", async () => {
  await withClock(async () => {
    const stop = new Error("stop");
    for (const onRetry of [() => Promise.reject(stop), () => assert.fail(stop)])
      assert.equal(await thrown(retry(script(status(503)), { ...safe, onRetry })), stop);
  });
});

test("case 21: a clock that jumps back an hour leaves elapsedMs at 0 and the waits as they are", async () => {
  await withClock(async (clock) => {
    const infos = [];
    const work = script(status(503), "data");
    const jump = (context) => {
      clock.advance(-3_600_000);
      return work(context);
    };
    const options = { ...safe, random: longest, maxElapsedMs: 5_000, onRetry: (info) => infos.push(info) };
    assert.equal(await retry(jump, options), "data");
    assert.deepEqual([infos[0].elapsedMs, infos[0].delayMs], [0, 200]);
  });
});
