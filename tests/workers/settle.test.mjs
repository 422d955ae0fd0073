import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startIntegrationWorker } from "./support/integration-worker.mjs";

const workerd = await startIntegrationWorker();
after(() => workerd.dispose());

const day = 86_400_000;
const usual = { delayMs: 1_500, maxAttempts: 5, deadlineMs: 30 * day, attempts: 1, ageMs: 0 };

/** Settles a message that the worker makes up, and resolves to what became of it and to the calls it received. */
async function settle(difference) {
  const body = JSON.stringify({ ...usual, ...difference });
  return (await workerd.fetch("/settle", { method: "POST", body })).json();
}

const failure = { retryable: true };
const retry = (delaySeconds) => ({ calls: [{ delaySeconds }] });

for (const [name, difference, expected] of [
  ["success is acknowledged", {}, { settled: "acknowledged", calls: ["ack"] }],
  ["a delay is rounded up", { outcome: failure }, { settled: "retrying in 2 s after 1", ...retry(2) }],
  [
    "attempts are the platform's count",
    { outcome: failure, attempts: 4 },
    { settled: "retrying in 2 s after 4", ...retry(2) },
  ],
  [
    "the last attempt leaves the message unsettled",
    { outcome: failure, attempts: 5 },
    { settled: "gave up: maxAttempts after 5", calls: [] },
  ],
  [
    "what can't be repeated leaves the message unsettled",
    { outcome: { retryable: false } },
    { settled: "gave up: nonRetryable after 1", calls: [] },
  ],
  [
    "a floor of two days is clamped to what a queue holds",
    { outcome: { retryable: true, retryAfterMs: 2 * day } },
    { settled: "retrying in 86400 s after 1", ...retry(86_400) },
  ],
  [
    "so is a delay of two days",
    { outcome: failure, delayMs: 2 * day },
    { settled: "retrying in 86400 s after 1", ...retry(86_400) },
  ],
  [
    "the deadline counts from the moment of sending",
    { outcome: failure, deadlineMs: 60_000, ageMs: 59_000 },
    { settled: "gave up: deadline after 1", calls: [] },
  ],
  [
    "inside the deadline",
    { outcome: failure, deadlineMs: 60_000, ageMs: 50_000 },
    { settled: "retrying in 2 s after 1", ...retry(2) },
  ],
]) {
  test(name, async () => assert.deepEqual(await settle(difference), expected));
}
