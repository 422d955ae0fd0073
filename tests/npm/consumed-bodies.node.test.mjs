// Case 20 in Node.js, whose fetch takes any async iterable for a body: what was read once would go out empty the second time.
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { after, before, test } from "node:test";
import { retry } from "retry-primitives-wasm/async";
import { constant } from "retry-primitives-wasm/backoff";
import { errorOutcome } from "retry-primitives-wasm/classify";
import { fetchRetry } from "retry-primitives-wasm/ladder";
import { thrown } from "./support/failures.mjs";
import { place, startServer, stopServer } from "./support/place.mjs";

before(startServer);
after(stopServer);

const bodies = {
  "a stream": () => new Blob(["mine"]).stream(),
  "a stream of Node.js": () => Readable.from(["mine"]),
  "a generator": async function* () {
    yield new TextEncoder().encode("mine");
  },
};

for (const [name, make] of Object.entries(bodies)) {
  test(`fetchRetry: ${name} is sent once, and then refused`, async () => {
    const { url, seen } = place({ fail: 1, how: 503 });
    const error = await thrown(fetchRetry(url, { method: "PUT", body: make(), duplex: "half", baseMs: 0 }));
    assert.ok(error instanceof TypeError);
    assert.match(error.message, /stream that was read/);
    assert.equal(error.cause.status, 503);
    assert.deepEqual(
      (await seen()).map(({ body }) => body),
      ["mine"],
    );
  });
}

test("/async: Node.js' own refusal of a stream that was sent is no network error, so it ends the retry", async () => {
  const { url, seen } = place({ fail: 1, how: "reset" });
  const body = new Blob(["mine"]).stream();
  let attempts = 0;
  const send = ({ attempt }) => {
    attempts = attempt;
    return fetch(url, { method: "PUT", body, duplex: "half" });
  };
  const policy = constant({ delayMs: 0, maxAttempts: 5 });
  const error = await thrown(retry(send, { policy, classify: errorOutcome }));
  assert.ok(error instanceof TypeError);
  assert.equal(attempts, 2);
  assert.equal((await seen()).length, 1);
});
