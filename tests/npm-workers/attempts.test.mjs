// What an attempt in TypeScript can do that one in Rust can't, on workerd: none of it escapes `alarm()`.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startReceiver } from "../e2e/support/receiver.mjs";
import { startIntegrationWorker } from "../workers/support/integration-worker.mjs";

const receiver = await startReceiver();
const workerd = await startIntegrationWorker({ language: "npm" });
after(async () => {
  await workerd.dispose();
  await receiver.close();
});

for (const behaviour of ["throw", "throwAfterFetch", "noReport"]) {
  // Case 23; the platform would drop an alarm after six that threw.
  test(`eight alarm runs that fail with ${behaviour}: the ninth is armed, and delivers`, async () => {
    const probe = workerd.probe(behaviour);
    await probe.plan({
      baseMs: 20,
      maxDelayMs: 20,
      maxAttempts: 9,
      attempts: [...Array(8).fill(behaviour), "fetch"],
    });
    await probe.start(`${receiver.url}/${behaviour}`);
    const { history, phase } = await probe.until("delivered");
    assert.equal(phase.attempts, 9);
    for (const { error, delayMs } of history.slice(0, 8)) {
      assert.equal(error, behaviour === "noReport" ? "the attempt gave no report" : "Error: as planned, of ...");
      assert.equal(delayMs, 20);
    }
    assert.equal((await probe.look()).alarm, null);
    assert.equal(receiver.to(`/${behaviour}`).length, behaviour === "throwAfterFetch" ? 9 : 1);
  });
}

test("attempts that hang forever, twice over, keep no object from its next alarm", async () => {
  const probe = workerd.probe("hanging");
  await probe.plan({ baseMs: 10, timeoutMs: 100, maxAttempts: 3, attempts: ["hang"] });
  await probe.start("");
  const { history, phase } = await probe.until("gaveUp");
  assert.deepEqual([phase.reason, phase.attempts], ["maxAttempts", 3]);
  assert.ok(history.every(({ error }) => error === "no answer within 100 ms"));
});
