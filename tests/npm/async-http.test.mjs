// /async around the runtime's own fetch, against the server of tests/npm/support/flaky-server.mjs: see ladder-http.test.mjs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { retry } from "retry-primitives-wasm/async";
import { constant } from "retry-primitives-wasm/backoff";
import { errorOutcome, httpOutcome } from "retry-primitives-wasm/classify";
import { thrown } from "./support/failures.mjs";
import { place, startServer, stopServer } from "./support/place.mjs";

before(startServer);
after(stopServer);

class HttpError extends Error {
  constructor(response) {
    super(`HTTP ${response.status}`);
    this.response = response;
  }
}
const classify = (error, { now }) =>
  error instanceof HttpError ? httpOutcome(error.response, now, { method: "PUT" }) : errorOutcome(error);
const policy = constant({ delayMs: 0, maxAttempts: 4 });
const answer = async (response) => {
  const text = await response.text();
  if (!response.ok) throw new HttpError(response);
  return text;
};

test("Deciding what a failure means: a 503 and a cut connection are retried, a 404 is not", async () => {
  for (const [how, calls] of [
    [503, 3],
    ["reset", 3],
    [404, 1],
  ]) {
    const { url, seen } = place({ fail: 2, how });
    const result = retry(async () => answer(await fetch(url, { method: "PUT", body: "mine" })), { policy, classify });
    if (calls === 1) assert.equal((await thrown(result)).message, "HTTP 404");
    else assert.equal(await result, "answer 3");
    assert.deepEqual(
      (await seen()).map(({ body }) => body),
      Array(calls).fill("mine"),
    );
  }
});

test("case 20: a Request whose body was sent is not repeated, but refused by the runtime, and that is final", async () => {
  for (const how of [503, "reset"]) {
    const { url, seen } = place({ fail: 1, how });
    const request = new Request(url, { method: "PUT", body: "mine" });
    let attempts = 0;
    const send = async ({ attempt }) => {
      attempts = attempt;
      return answer(await fetch(request));
    };
    const error = await thrown(retry(send, { policy, classify }));
    assert.ok(error instanceof TypeError, String(error));
    assert.equal(attempts, 2, "the second attempt ends it");
    assert.equal((await seen()).length, 1, "and no second request leaves");
  }
});
