import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startReceiver } from "../e2e/support/receiver.mjs";
import { startIntegrationWorker } from "./support/integration-worker.mjs";

const wantedKills = 100;
const timeForKillsMs = 30_000;

const receiver = await startReceiver();
const workerd = await startIntegrationWorker();
after(async () => {
  await workerd.dispose();
  await receiver.close();
});

/** Fails when the armed alarm is not the one that the stored phase asks for: one was written without the other. */
function assertAgreement({ operation, alarm }) {
  const seen = JSON.stringify({ operation, alarm });
  const { status, due, until } = operation.phase;
  if (status === "waiting") {
    // A moment that has passed is armed for just after now.
    assert.ok(alarm !== null && alarm >= due && alarm < due + 1_000, seen);
  } else {
    assert.equal(alarm, status === "running" ? until : null, seen);
  }
}

// Rule 2 of the integration: state and alarm are written together.
test("state and alarm agree after a kill at any moment, and nothing that was accepted is lost", async () => {
  // These change as fast as they can. Waits of seconds keep a torn write apart from clocks that are a little off.
  const busy = await Promise.all(
    Array.from({ length: 6 }, async (_, index) => {
      const probe = workerd.probe(`busy ${index}`);
      await probe.plan({ baseMs: 1, maxDelayMs: 2, maxAttempts: 1e9, attempts: ["fail"] });
      await probe.start("");
      return probe;
    }),
  );
  const accepted = [];
  const seen = { waiting: 0, running: 0 };
  const startedAt = Date.now();
  let kills = 0;
  let absent = 0;
  for (; kills < wantedKills && Date.now() - startedAt < timeForKillsMs; kills += 1) {
    const fresh = workerd.probe(`fresh ${kills}`);
    const url = `${receiver.url}/fresh/${kills}`;
    const starting = fresh
      .plan({ timeoutMs: 100, baseMs: 1, attempts: ["fail", "fetch"] })
      .then(() => fresh.start(url));
    const answered = starting.then(
      () => accepted.push(fresh),
      () => {},
    );
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 30));
    await workerd.restart();
    await answered;
    for (const probe of [...busy, fresh]) {
      const look = await probe.look();
      if (look.operation === null) {
        assert.equal(probe, fresh);
        assert.equal(look.alarm, null);
        absent += 1;
        continue;
      }
      assert.equal(look.operation.recovered, undefined);
      assertAgreement(look);
      if (look.operation.phase.status in seen) seen[look.operation.phase.status] += 1;
    }
  }
  const tally = `${kills} kills, ${accepted.length} accepted, ${absent} absent, ${JSON.stringify(seen)}`;
  console.log(tally);
  assert.ok(kills >= 30, tally);
  for (const probe of accepted) await probe.until("delivered");
  for (const probe of busy) assert.ok((await probe.until("waiting", { attempts: 10 })).history.length <= 32);
});
