import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { startReceiver } from "../e2e/support/receiver.mjs";
import { startIntegrationWorker } from "./support/integration-worker.mjs";

const hour = 3_600_000;

const receiver = await startReceiver();
after(() => receiver.close());

for (const useSQLite of [true, false]) {
  // Case 28: the platform throws where a module draws randomness or sets a timer while it loads.
  const workerd = await startIntegrationWorker({ useSQLite });
  after(() => workerd.dispose());
  const backend = useSQLite ? "SQLite" : "KV";
  const to = (path) => receiver.to(`/${backend}${path}`);
  const urlOf = (path) => `${receiver.url}/${backend}${path}`;

  describe(`${backend}-backed objects`, () => {
    test("an operation is retried until it is delivered, and its history tells how", async () => {
      receiver.behave(`/${backend}/retried`, { status: 503 }, { status: 500 });
      const probe = workerd.probe("retried");
      await probe.plan({ baseMs: 30 });
      await probe.start(urlOf("/retried"));
      const operation = await probe.until("delivered");
      assert.equal(operation.phase.attempts, 3);
      assert.deepEqual(
        operation.history.map(({ attempt, status, delayMs }) => ({ attempt, status, delayMs })),
        [
          { attempt: 1, status: 503, delayMs: 30 },
          { attempt: 2, status: 500, delayMs: 60 },
          { attempt: 3, status: 200, delayMs: undefined },
        ],
      );
      assert.deepEqual(
        to("/retried").map(({ body }) => body.toString()),
        ["1", "2", "3"],
      );
      assert.equal((await probe.look()).alarm, null);
    });

    test("the policy's stop gives up, and disarms the alarm", async () => {
      const probe = workerd.probe("stopped");
      await probe.plan({ baseMs: 1, maxAttempts: 2, attempts: ["fail"] });
      await probe.start("");
      const { phase } = await probe.until("gaveUp");
      assert.equal(phase.reason, "maxAttempts");
      assert.equal(phase.attempts, 2);
      assert.equal((await probe.look()).alarm, null);
    });

    // A moment is never taken for an offset.
    test("the alarm is armed for the very instant of the decision", async () => {
      const armed = await Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          const probe = workerd.probe(`instant ${index}`);
          await probe.plan({ baseMs: Math.ceil(Math.random() * hour) + 60_000, jitter: "equal", attempts: ["fail"] });
          await probe.start("");
          await probe.until("waiting", { attempts: 1 });
          return probe.look();
        }),
      );
      for (const { operation, alarm } of armed) {
        const [{ startedAt, tookMs, delayMs }] = operation.history;
        assert.equal(operation.phase.due, startedAt + tookMs + delayMs);
        assert.equal(alarm, operation.phase.due);
      }
      assert.equal(new Set(armed.map(({ operation }) => operation.history[0].delayMs)).size, armed.length);
    });

    test("a wait past every date is armed for the last one that the platform takes", async () => {
      const probe = workerd.probe("far");
      await probe.plan({ attempts: ["failForEver"] });
      await probe.start("");
      const { phase } = await probe.until("waiting", { attempts: 1 });
      assert.equal(phase.due, 8.64e15);
      assert.equal((await probe.look()).alarm, Date.UTC(2189, 0, 1));
    });

    test("a second start leaves the first; clear makes room", async () => {
      const probe = workerd.probe("twice");
      await probe.plan({ baseMs: hour, attempts: ["fail"] });
      await probe.start(urlOf("/first"));
      const first = await probe.until("waiting", { attempts: 1 });
      const again = await probe.start(urlOf("/second"));
      assert.deepEqual(again.operation, first);
      assert.equal(again.alarm, first.phase.due);

      assert.equal((await probe.clear()).alarm, null);
      assert.equal((await probe.look()).operation, null);
      await probe.plan({});
      await probe.start(urlOf("/second"));
      const second = await probe.until("delivered");
      assert.equal(second.phase.attempts, 1);
      assert.equal(to("/second").length, 1);
      assert.equal(to("/first").length, 0);
    });

    test("a second start arms the alarm of an operation that lost it", async () => {
      const probe = workerd.probe("unarmed");
      await probe.plan({ baseMs: hour, attempts: ["fail"] });
      await probe.start("");
      const { phase } = await probe.until("waiting", { attempts: 1 });
      assert.equal((await probe.armAlarm(null)).alarm, null);
      const again = await probe.start("");
      assert.deepEqual(again.operation.phase, phase);
      assert.equal(again.alarm, phase.due);
    });

    test("cancel holds in every phase", async () => {
      const probe = workerd.probe("cancelled");
      assert.equal((await probe.cancel()).operation, null, "nothing there");

      await probe.plan({ baseMs: hour, attempts: ["fail"] });
      await probe.start("");
      await probe.until("waiting", { attempts: 1 });
      const cancelled = await probe.cancel();
      assert.equal(cancelled.operation.phase.status, "cancelled");
      assert.equal(cancelled.alarm, null);
      assert.deepEqual(await probe.cancel(), cancelled, "cancelled before");

      await probe.clear();
      await probe.plan({});
      await probe.start(urlOf("/cancelled"));
      await probe.until("delivered");
      assert.equal((await probe.cancel()).operation.phase.status, "delivered");

      await probe.clear();
      await probe.plan({ maxAttempts: 1, attempts: ["fail"] });
      await probe.start("");
      await probe.until("gaveUp");
      assert.equal((await probe.cancel()).operation.phase.status, "gaveUp");
    });

    test("what comes of a cancelled attempt no longer counts, nor does it after clear and start", async () => {
      for (const [name, act, expected] of [
        ["cancel", (probe) => probe.cancel(), { status: "cancelled", error: /^cancelled while/ }],
        ["clear", (probe) => probe.clear().then(() => probe.start("")), { status: "gaveUp", error: /./ }],
      ]) {
        let answer;
        const path = `/running/${name}`;
        receiver.behave(`/${backend}${path}`, () => new Promise((resolve) => (answer = resolve)));
        const probe = workerd.probe(`running ${name}`);
        await probe.plan({ timeoutMs: 10_000, maxAttempts: 1 });
        await probe.start(urlOf(path));
        await probe.until("running");
        await receiver.until(() => answer !== undefined);
        await act(probe);
        answer({ status: 200 });
        const operation = await probe.until(expected.status);
        assert.equal(operation.history.length, 1);
        assert.equal(operation.history[0].status, undefined);
        assert.match(operation.history[0].error, expected.error);
        assert.equal((await probe.look()).alarm, null);
      }
    });

    test("an attempt that never resolves ends at its timeout", async () => {
      const probe = workerd.probe("hanging");
      await probe.plan({ baseMs: 10, timeoutMs: 200, attempts: ["hang", "fetch"] });
      await probe.start(urlOf("/hanging"));
      const { alarm, operation } = await probe.look();
      if (operation.phase.status === "running") assert.equal(alarm, operation.phase.since + 200 + 5_000);
      const { history } = await probe.until("delivered");
      assert.equal(history[0].error, "no answer within 200 ms");
      assert.equal(history[1].status, 200);
    });
  });
}

test("draws differ between isolates and after a restart", async () => {
  const draws = async (workerd) => (await workerd.fetch("/random")).json();
  const [one, two] = await Promise.all([startIntegrationWorker(), startIntegrationWorker()]);
  try {
    const drawn = [...(await draws(one)), ...(await draws(one)), ...(await draws(two))];
    await one.restart();
    drawn.push(...(await draws(one)));
    assert.equal(new Set(drawn).size, 32);
    assert.ok(drawn.every((draw) => draw >= 0 && draw < 1));
  } finally {
    await Promise.all([one.dispose(), two.dispose()]);
  }
});
