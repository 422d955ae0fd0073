// Ten thousand runs of each executor, in Node.js, which can tell what is left: no unhandled rejection, no timer or socket, no
// listener, no warning.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isCircuitOpenError, protect, retry } from "retry-primitives-wasm/async";
import { constant } from "retry-primitives-wasm/backoff";
import { consecutiveBreaker } from "retry-primitives-wasm/breaker";
import { RetryExhaustedError, fetchRetry, retry as ladder } from "retry-primitives-wasm/ladder";
import { startFlakyServer } from "./support/flaky-server.mjs";
import { coded, script, status, thrown } from "./support/failures.mjs";
import { complaints, soak } from "./support/soak.mjs";
import { until } from "./support/until.mjs";

const endings = [["fine"], [status(503), "fine"], [coded("ECONNRESET")], [status(400)]];

test("/async retry", async () => {
  const policy = constant({ delayMs: 0, maxAttempts: 2 });
  await soak((run, signal) => retry(script(...endings[run % 4]), run % 3 ? { policy, signal } : { policy }));
});

test("/async protect", async () => {
  let now = 0;
  const upstream = protect(consecutiveBreaker({ failureThreshold: 3, openMs: 10 }), { now: () => now++ });
  let refused = 0;
  await soak((run) =>
    upstream.call(script(...endings[run % 4])).catch((error) => (refused += isCircuitOpenError(error))),
  );
  assert.ok(refused > 0);
});

test("/ladder retry, with signal, with deadline, with calls that reject after it", async () => {
  const late = () => new Promise((_, reject) => setTimeout(() => reject(status(503)), 5));
  await soak((run, signal) => {
    const work = run % 50 ? script(...endings[run % 4]) : late;
    const maxElapsedMs = run % 50 ? 60_000 : 1;
    const options = [{}, { signal }, { maxElapsedMs }, { signal, maxElapsedMs }][(run >> 2) % 4];
    return ladder(work, { idempotent: true, retries: 1, baseMs: 0, ...options });
  });
});

test("/ladder fetchRetry, on a fetch that is played", async (t) => {
  const real = globalThis.fetch;
  t.after(() => (globalThis.fetch = real));
  let calls = 0;
  globalThis.fetch = async () => {
    if (++calls % 5 === 0) throw new TypeError("fetch failed");
    return new Response("body", { status: calls % 3 ? 200 : 503 });
  };
  await soak((run, signal) => {
    const options = run % 2 ? { signal } : { maxElapsedMs: 60_000 };
    return fetchRetry("http://localhost/", { retries: 1, baseMs: 0, ...options });
  });
});

test("/ladder fetchRetry against a server that cuts connections, and then against none", async () => {
  const resources = process.getActiveResourcesInfo().length;
  const server = await startFlakyServer();
  for (let run = 0; run < 200; run++) {
    const url = `${server.url}/?key=${run}&fail=1&how=${run % 2 ? "reset" : "drip"}`;
    assert.equal(await (await fetchRetry(url, { baseMs: 0 })).text(), "answer 2");
  }
  await server.close();
  const error = await thrown(fetchRetry(server.url, { baseMs: 0, retries: 2 }));
  assert.ok(error instanceof RetryExhaustedError);
  assert.equal(error.attempts, 3);
  assert.equal(error.cause.cause.code, "ECONNREFUSED");
  await until(() => process.getActiveResourcesInfo().length <= resources, "something is left open");
  assert.deepEqual(complaints, []);
});
