import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startReceiver } from "../e2e/support/receiver.mjs";
import { startIntegrationWorker } from "./support/integration-worker.mjs";

const receiver = await startReceiver();
const workerd = await startIntegrationWorker();
after(async () => {
  await workerd.dispose();
  await receiver.close();
});

async function retry(path, { answers, delayMs = 50, maxAttempts = 5, patienceMs = 10_000 }) {
  receiver.behave(path, ...answers.map((status) => ({ status })));
  const body = JSON.stringify({ url: `${receiver.url}${path}`, delayMs, maxAttempts, patienceMs });
  const response = await workerd.fetch("/retry", { method: "POST", body });
  assert.equal(response.status, 200);
  return response.json();
}

test("waits on the platform's timer and tries again", async () => {
  const { statuses, succeeded, tookMs } = await retry("/second", { answers: [503, 503] });
  assert.deepEqual(statuses, [503, 503, 200]);
  assert.equal(succeeded, true);
  assert.ok(tookMs >= 100, `${tookMs} ms`);
});

test("waits for a breaker, and gives up when its attempts are spent", async () => {
  const { statuses, succeeded } = await retry("/down", { answers: Array(9).fill(500), maxAttempts: 4 });
  // The third failure opens the breaker for as long as the policy waits, so the fourth attempt is its probe.
  assert.deepEqual(statuses, [500, 500, 500, 500]);
  assert.equal(succeeded, false);
});

test("case 13: a wait longer than setTimeout can count does not end at once", async () => {
  for (const delayMs of [2 ** 31 - 1, 2 ** 31, 2 ** 32 + 1]) {
    const { statuses, succeeded } = await retry(`/long/${delayMs}`, { answers: [503], delayMs, patienceMs: 300 });
    assert.deepEqual({ statuses, succeeded: succeeded ?? "dropped" }, { statuses: [503], succeeded: "dropped" });
  }
});

test("case 15: what was dropped makes no further call", async () => {
  const { statuses } = await retry("/dropped", { answers: [503, 503], delayMs: 400, patienceMs: 100 });
  assert.deepEqual(statuses, [503]);
  await retry("/later", { answers: Array(3).fill(503), delayMs: 300 });
  assert.equal(receiver.to("/dropped").length, 1);
});
