// Pipelines and the runtime's own fetch against a real server on loopback. A runner whose runtime can't start one puts the
// URL of tests/npm/support/flaky-server.mjs into globalThis.SERVER_URL. "Page" as in pipeline-retry.test.mjs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { parseRetryAfter } from "retry-primitives-wasm/classify";
import { NonRetryableError, PredicateBuilder, ResiliencePipelineBuilder, retry } from "retry-primitives-wasm/pipeline";
import { HttpError } from "./support/pipeline.mjs";
import { until } from "./support/until.mjs";

let server;
before(async () => {
  if (globalThis.SERVER_URL) return;
  const { startFlakyServer } = await import("./support/flaky-server.mjs");
  server = await startFlakyServer();
});
after(() => server?.close());

const base = () => globalThis.SERVER_URL ?? server.url;
let keys = 0;
/** An address of its own for each test, and what the server saw there. */
function place(query = {}) {
  const key = `pipeline-${Date.now()}-${++keys}`;
  const url = `${base()}/?${new URLSearchParams({ key, ...query })}`;
  const seen = async () => (await fetch(`${base()}/seen?key=${key}`)).json();
  return { url, seen };
}
/** As a caller writes it: an answer that is no success is an error, and carries its Retry-After. */
const get =
  (url, init) =>
  async ({ signal }) => {
    const response = await fetch(url, { ...init, signal });
    if (response.ok) return response.text();
    await response.body?.cancel();
    const retryAfter = parseRetryAfter(response.headers.get("retry-after"), Date.now());
    throw new HttpError(response.status, { retryAfter });
  };
const quick = { delay: 5 };

test("Page, Introduction: a 503 is retried until it succeeds", async () => {
  const { url, seen } = place({ fail: 2, how: 503 });
  assert.equal(await retry(get(url), quick), "answer 3");
  assert.equal((await seen()).length, 3);
});

test("Page, Introduction: a dropped connection is retried", async () => {
  const { url, seen } = place({ fail: 2, how: "reset" });
  assert.equal(await retry(get(url), quick), "answer 3");
  assert.equal((await seen()).length, 3);
});

test("Page, Introduction: a timeout is retried, and its request is cut off", async () => {
  const { url, seen } = place({ fail: 1, how: "hang" });
  const pipeline = new ResiliencePipelineBuilder().addRetry(quick).addTimeout("300ms").build();
  assert.equal(await pipeline.execute(get(url)), "answer 2");
  await until(async () => (await seen())[0].hungUp, "the request was not cut off");
});

test("Page, Introduction: of 4xx only 408 and 429 are retried", async () => {
  for (const [how, calls] of [
    [400, 1],
    [404, 1],
    [422, 1],
    [408, 2],
    [429, 2],
    [500, 2],
    [503, 2],
  ]) {
    const { url, seen } = place({ fail: 1, how });
    await retry(get(url), quick).catch((error) => assert.equal(error.status, how));
    assert.equal((await seen()).length, calls, `${how}`);
  }
});

test("Page, Retry-After: an error's retryAfter is waited for, capped by maxDelay", async () => {
  for (const [maxDelay, low, high] of [
    ["1m", 950, 5_000],
    [60, 50, 900],
  ]) {
    const { url, seen } = place({ fail: 1, how: 503, "retry-after": "1" });
    assert.equal(await retry(get(url), { ...quick, maxDelay }), "answer 2");
    const [first, second] = await seen();
    assert.ok(second.at - first.at >= low && second.at - first.at < high, `${second.at - first.at} ms`);
  }
});

test("Page, Retry-After: for responses, the header is read in a delayGenerator", async () => {
  const { url, seen } = place({ fail: 1, how: 429, "retry-after": "1" });
  const response = await retry(({ signal }) => fetch(url, { signal }), {
    ...quick,
    shouldHandle: new PredicateBuilder().handleResult((result) => result.status === 429),
    delayGenerator: ({ outcome }) =>
      outcome.ok ? parseRetryAfter(outcome.value.headers.get("retry-after"), Date.now()) : undefined,
  });
  assert.deepEqual([response.status, await response.text()], [200, "answer 2"]);
  const [first, second] = await seen();
  assert.ok(second.at - first.at >= 950);
});

test("Page, NonRetryableError: one request, and the original error", async () => {
  const { url, seen } = place({ fail: 9, how: 503 });
  const declined = new Error("card declined");
  const pay = async (context) => {
    await get(url)(context).catch(() => {});
    throw new NonRetryableError(declined);
  };
  await assert.rejects(retry(pay, quick), (error) => error === declined);
  assert.equal((await seen()).length, 1);
});

test("Page, Idempotency: a request that may have arrived is sent once", async () => {
  for (const how of ["503", "reset"]) {
    const { url, seen } = place({ fail: 9, how });
    const pipeline = new ResiliencePipelineBuilder().addRetry(quick).build();
    await assert.rejects(pipeline.execute(get(url, { method: "POST", body: "pay" }), { idempotent: false }));
    const requests = await seen();
    assert.deepEqual([requests.length, requests[0].body], [1, "pay"]);
  }
});

test("Page, Circuit breaker: inside the retry, no request leaves once it is open", async () => {
  const { url, seen } = place({ fail: 99, how: 503 });
  const pipeline = new ResiliencePipelineBuilder()
    .addRetry({ ...quick, maxRetryAttempts: 9 })
    .addCircuitBreaker({ consecutiveFailures: 3, breakDuration: "1m" })
    .build();
  await assert.rejects(pipeline.execute(get(url)), { code: "CIRCUIT_OPEN" });
  await assert.rejects(pipeline.execute(get(url)), { code: "CIRCUIT_OPEN" });
  assert.equal((await seen()).length, 3);
});

test("Page, Strategy order: a timeout outside holds for all attempts together", async () => {
  const { url, seen } = place({ fail: 99, how: "hang" });
  const pipeline = new ResiliencePipelineBuilder().addTimeout("300ms").addRetry(quick).build();
  const outcome = await pipeline.settle(get(url));
  assert.equal(outcome.match({ success: () => "", TIMEOUT: (error) => error.code, failure: String }), "TIMEOUT");
  await until(async () => (await seen())[0].hungUp, "the request was not cut off");
  assert.equal((await seen()).length, 1);
});

test("an abort by the caller cuts the request off, and nothing else is sent", async () => {
  const { url, seen } = place({ fail: 9, how: "hang" });
  const controller = new AbortController();
  const reason = new Error("enough");
  const pipeline = new ResiliencePipelineBuilder().addRetry(quick).addTimeout("1m").build();
  const result = pipeline.execute(get(url), { signal: controller.signal });
  result.catch(() => {});
  await until(async () => (await seen()).length === 1, "no request came");
  controller.abort(reason);
  // What fetch throws: the reason, which workerd copies, or an AbortError.
  await assert.rejects(result, (error) => error.message === reason.message || error.name === "AbortError");
  await until(async () => (await seen())[0].hungUp, "the request was not cut off");
  assert.equal((await seen()).length, 1);
});

test("hedging: the slower request is cut off", async () => {
  const { url, seen } = place({ fail: 1, how: "hang" });
  const pipeline = new ResiliencePipelineBuilder().addHedging({ delay: 100 }).build();
  assert.equal(await pipeline.execute(get(url)), "answer 2");
  await until(async () => (await seen())[0].hungUp, "the request was not cut off");
});

test("Case 20: a request whose body was read is not sent again with another body, and the error says why", async () => {
  const { url, seen } = place({ fail: 1, how: 503 });
  const request = new Request(url, { method: "POST", body: "the whole body" });
  const failures = [];
  const error = await retry(get(request), {
    ...quick,
    onFailedAttempt: ({ outcome }) => void failures.push(outcome.error.status),
  }).catch((thrown) => thrown);
  assert.ok(error instanceof TypeError, String(error));
  assert.match(error.message, /body|used|disturbed|read/i);
  assert.equal(failures[0], 503);
  assert.deepEqual(
    (await seen()).map(({ body }) => body),
    ["the whole body"],
  );
});

test("executeStream: a request that fails before its first piece came is sent again", async () => {
  const { url, seen } = place({ fail: 1, how: 503 });
  const pipeline = new ResiliencePipelineBuilder().addRetry(quick).addTimeout("1m").build();
  const open = async ({ signal }) => {
    const response = await fetch(url, { signal });
    if (!response.ok) throw new HttpError(response.status);
    return response.body.pipeThrough(new TextDecoderStream());
  };
  let text = "";
  for await (const piece of pipeline.executeStream(open)) text += piece;
  assert.equal(text, "answer 2");
  assert.equal((await seen()).length, 2);
});
