import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { startReceiver } from "../e2e/support/receiver.mjs";
import { startIntegrationWorker } from "./support/integration-worker.mjs";

const timeoutMs = 1_000;
const graceMs = 5_000;

const receiver = await startReceiver();
// Each of these leaves the promise of `alarm()` pending for ever, and a panic that of every other handler in the isolate.
const behaviours = ["panic", "panicAfterFetch", "throw", "throwAfterFetch"];
const workers = [];
for (const useSQLite of [true, false]) {
  for (const behaviour of behaviours) {
    workers.push({ behaviour, useSQLite, workerd: await startIntegrationWorker({ useSQLite }) });
  }
}
after(() => Promise.all([...workers.map(({ workerd }) => workerd.dispose()), receiver.close()]));

describe("an attempt that takes its instance along is found by the dead-man alarm", { concurrency: true }, () => {
  for (const { behaviour, useSQLite, workerd } of workers) {
    const name = `${behaviour}, ${useSQLite ? "SQLite" : "KV"}-backed`;
    test(name, () => loseAttempt(workerd, behaviour, `/${behaviour}/${useSQLite}`));
  }
});

/** An attempt is lost, and with it perhaps a bystander's in the same isolate: both operations go on. */
async function loseAttempt(workerd, behaviour, path) {
  receiver.behave(`${path}/bystander`, "hang");
  const bystander = workerd.probe("bystander");
  await bystander.plan({ timeoutMs });
  await bystander.start(`${receiver.url}${path}/bystander`);
  await receiver.until(() => receiver.to(`${path}/bystander`).length === 1);

  const probe = workerd.probe("lost");
  await probe.plan({ baseMs: 20, timeoutMs, attempts: [behaviour, "fetch"] });
  // The very request that starts it may be answered by an isolate that has just lost its instance.
  await probe.start(receiver.url + path).catch(() => {});
  for (const { history, phase } of [await probe.until("delivered"), await bystander.until("delivered")]) {
    assert.equal(phase.attempts, history.length);
    assert.match(history[0].error, /^the process ended during the attempt$|^no answer within/);
    assert.ok(history[0].tookMs < timeoutMs + graceMs + 3_000, `${history[0].tookMs} ms`);
    assert.equal(history.at(-1).status, 200);
  }
  assert.equal((await workerd.fetch("/random")).status, 200);
}
