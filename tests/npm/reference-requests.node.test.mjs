// The reference's examples that make requests, in our words, against a server on loopback.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import test from "node:test";
import { retry } from "retry-primitives-wasm/async";
import { exponential } from "retry-primitives-wasm/backoff";
import { httpOutcome, isNetworkError } from "retry-primitives-wasm/classify";

/** A server that gives one answer after the other, `drop` being none; its URL, and how often it was asked. */
async function serve(t, ...answers) {
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request.method);
    const answer = answers.shift();
    if (answer === "drop") return response.destroy();
    const { status = 200, headers = {}, body = "{}" } = answer;
    response.writeHead(status, { ...headers, connection: "close" }).end(body);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${server.address().port}/`, asked };
}

// Every wait is the low end of its jitter.
const random = () => 0;

test("Start with exponential: JSON after two failures", async (t) => {
  const { url, asked } = await serve(t, { status: 503 }, "drop", { body: '{"ready":true}' });
  const fetchJson = async (address, options) => {
    const response = await fetch(address, options);
    if (!response.ok) throw new Error(`answered ${response.status}`);
    return response.json();
  };
  const { signal: outer } = new AbortController();
  const data = await retry(
    ({ signal }) => {
      assert.equal(signal, outer);
      return fetchJson(url, { signal });
    },
    { policy: exponential({ baseMs: 200, maxAttempts: 5, deadlineMs: 20_000, random }), signal: outer },
  );
  assert.deepEqual(data, { ready: true });
  assert.equal(asked.length, 3);
});

class Refused extends Error {
  constructor(response) {
    super(`answered ${response.status}`);
    this.response = response;
  }
}

/** A payment: a response that is no success becomes an error, and that an outcome. */
const pay = (url, seen = {}) =>
  retry(
    async ({ signal }) => {
      const response = await fetch(url, { method: "POST", body: "amount=5", signal });
      if (!response.ok) throw new Refused(response);
      return response.json();
    },
    {
      policy: exponential({ baseMs: 500, maxAttempts: 4, deadlineMs: 30_000, random }),
      classify: (error, { now }) =>
        error instanceof Refused ? httpOutcome(error.response, now, { method: "POST" }) : isNetworkError(error),
      onRetry: ({ decision }) => (seen.waits ??= []).push(decision.delayMs),
      onGiveUp: ({ decision }) => (seen.reason = decision.reason),
    },
  );

test("Deciding what a failure means: what says that nothing was done is repeated, and Retry-After is waited out", async (t) => {
  const { url, asked } = await serve(
    t,
    { status: 429, headers: { "retry-after": "1" } },
    "drop",
    { status: 503 },
    { body: '{"id":1}' },
  );
  const seen = {};
  const startedAt = performance.now();
  assert.deepEqual(await pay(url, seen), { id: 1 });
  assert.deepEqual(seen.waits, [1_000, 0, 0]);
  assert.ok(performance.now() - startedAt > 990);
  assert.deepEqual(asked, Array(4).fill("POST"));
});

test("Deciding what a failure means: a 500 may have charged the card, so there is no second request", async (t) => {
  const { url, asked } = await serve(t, { status: 500 });
  const seen = {};
  await assert.rejects(pay(url, seen), (error) => error instanceof Refused && error.response.status === 500);
  assert.deepEqual([asked.length, seen.reason], [1, "nonRetryable"]);
});

test("Deciding what a failure means: an error of the caller's own code is not repeated", async (t) => {
  const { url, asked } = await serve(t, { body: "not JSON" });
  const seen = {};
  await assert.rejects(pay(url, seen), SyntaxError);
  assert.deepEqual([asked.length, seen.reason], [1, "nonRetryable"]);
});
