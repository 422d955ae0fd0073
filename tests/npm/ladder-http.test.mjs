// fetchRetry and the runtime's own fetch against a real server on loopback. A runner whose runtime can't start one puts the
// URL of tests/npm/support/flaky-server.mjs into globalThis.SERVER_URL.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { IdempotencyError, RetryTimeoutError, fetchRetry, retry } from "retry-primitives-wasm/ladder";
import { thrown } from "./support/failures.mjs";
import { place, startServer, stopServer } from "./support/place.mjs";
import { until } from "./support/until.mjs";

before(startServer);
after(stopServer);

const quick = { baseMs: 1 };

test("fetchRetry: a 503 is retried until it succeeds", async () => {
  const { url, seen } = place({ fail: 2, how: 503 });
  const response = await fetchRetry(url, quick);
  assert.deepEqual([response.status, await response.text()], [200, "answer 3"]);
  assert.equal((await seen()).length, 3);
});

test("What it does: each retryable status, and none of the other 4xx", async () => {
  for (const [how, calls] of [
    [408, 2],
    [429, 2],
    [500, 2],
    [502, 2],
    [503, 2],
    [504, 2],
    [400, 1],
    [401, 1],
    [403, 1],
    [404, 1],
    [409, 1],
    [422, 1],
    [501, 1],
  ]) {
    const { url, seen } = place({ fail: 1, how });
    const response = await fetchRetry(url, quick);
    await response.text();
    assert.equal(response.status, calls === 2 ? 200 : how);
    // A browser may repeat a 408 by itself, as HTTP allows.
    if (how !== 408) assert.equal((await seen()).length, calls, String(how));
  }
});

test("What it does: a connection that is cut is a network error, and retried", async () => {
  const { url, seen } = place({ fail: 1, how: "reset" });
  assert.equal((await fetchRetry(url, { ...quick, method: "PUT", body: "mine" })).status, 200);
  assert.deepEqual(
    (await seen()).map(({ method, body }) => [method, body]),
    [
      ["PUT", "mine"],
      ["PUT", "mine"],
    ],
  );
});

test("What it does: Retry-After is honoured: a second at least, and not the 30 s of the backoff", async () => {
  const { url, seen } = place({ fail: 1, how: 429, "retry-after": "1" });
  const infos = [];
  const response = await fetchRetry(url, { baseMs: 30_000, random: () => 1, onRetry: (info) => infos.push(info) });
  assert.equal(response.status, 200);
  const [first, second] = await seen();
  assert.ok(second.at - first.at >= 990 && second.at - first.at < 15_000);
  assert.deepEqual([infos[0].delayMs, infos[0].retryAfter, infos[0].attempt], [1_000, true, 1]);
});

test("The idempotency guard: a POST is sent once, unless marked", async () => {
  const guarded = place({ fail: 1, how: 503 });
  assert.ok(
    (await thrown(fetchRetry(guarded.url, { ...quick, method: "POST", body: "charge" }))) instanceof IdempotencyError,
  );
  assert.equal((await guarded.seen()).length, 1);
  const marked = place({ fail: 1, how: 503 });
  const options = { ...quick, method: "POST", body: "charge", idempotent: true };
  assert.equal((await fetchRetry(marked.url, options)).status, 200);
  assert.deepEqual(
    (await marked.seen()).map(({ body }) => body),
    ["charge", "charge"],
  );
});

test("a Request with a body is replayed", async () => {
  const { url, seen } = place({ fail: 2, how: 500 });
  const request = new Request(url, { method: "PUT", body: "mine" });
  assert.equal((await fetchRetry(request, quick)).status, 200);
  assert.deepEqual(
    (await seen()).map(({ body }) => body),
    ["mine", "mine", "mine"],
  );
});

test("bodies of failed attempts are cancelled: the server sees the connection close", async () => {
  const { url, hungUp } = place({ fail: 2, how: "drip" });
  const response = await fetchRetry(url, quick);
  assert.equal(await response.text(), "answer 3");
  await hungUp(2);
});

test("a retryable status that stays comes back as a normal response", async () => {
  const { url } = place({ fail: 9, how: 503 });
  const response = await fetchRetry(url, { ...quick, retries: 2 });
  assert.deepEqual([response.status, await response.text()], [503, "failure 3"]);
});

test("What it does: maxElapsedMs ends a request that hangs, and its connection", async () => {
  const { url, hungUp } = place({ fail: 1, how: "hang" });
  const error = await thrown(fetchRetry(url, { maxElapsedMs: 200 }));
  assert.ok(error instanceof RetryTimeoutError);
  assert.equal(error.attempts, 1);
  assert.ok(error.elapsedMs >= 190);
  await hungUp(1);
});

test("Cancellation: the request in flight ends with an AbortError", async () => {
  const { url, seen, hungUp } = place({ fail: 1, how: "hang" });
  const controller = new AbortController();
  const cancelled = thrown(fetchRetry(url, { signal: controller.signal, retries: 5 }));
  await until(async () => (await seen()).length === 1);
  controller.abort();
  assert.equal((await cancelled).name, "AbortError");
  await hungUp(1);
});

test("Basic usage: retry around fetch, with the status on the error", async () => {
  const { url, seen } = place({ fail: 1, how: 503 });
  const get = async ({ signal }) => {
    const response = await fetch(url, { signal });
    if (!response.ok) throw Object.assign(new Error(`HTTP ${response.status}`), { status: response.status });
    return response.text();
  };
  assert.equal(await retry(get, { ...quick, idempotent: true, maxElapsedMs: 30_000 }), "answer 2");
  assert.equal((await seen()).length, 2);
});
