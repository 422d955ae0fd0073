import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startReceiver } from "../e2e/support/receiver.mjs";
import { startIntegrationWorker } from "./support/integration-worker.mjs";

const wantedKills = 100;
// TIME_FOR_KILLS_MS=75000 is enough for all of them on a machine that is busy with other things.
const timeForKillsMs = Number(process.env.TIME_FOR_KILLS_MS ?? 25_000);
const freshPerKill = 4;

const receiver = await startReceiver();
const workerd = await startIntegrationWorker();
after(async () => {
  await workerd.dispose();
  await receiver.close();
});

/** What an object says of itself. No alarm is armed for the moment between its firing and its handler: then look again. */
async function lookAt(probe) {
  const deadline = Date.now() + 2_000;
  for (;;) {
    const look = await probe.look();
    const isOver = !["waiting", "running"].includes(look.operation?.phase.status);
    if (look.alarm !== null || isOver || Date.now() > deadline) return look;
  }
}

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

// State and alarm are written together.
test("state and alarm agree after a kill at any moment, and nothing that was accepted is lost", async () => {
  // These change all the time; fresh ones are killed in their start, before, in and after their request.
  const busy = await Promise.all(
    Array.from({ length: 3 }, async (_, index) => {
      const probe = workerd.probe(`busy ${index}`);
      await probe.plan({ baseMs: 10, maxDelayMs: 10, maxAttempts: 1e9, attempts: ["fail"] });
      await probe.start("");
      return probe;
    }),
  );
  const accepted = [];
  const seen = { absent: 0, waiting: 0, running: 0, delivered: 0 };
  const startedAt = Date.now();
  let kills = 0;
  for (; kills < wantedKills && Date.now() - startedAt < timeForKillsMs; kills += 1) {
    const fresh = Array.from({ length: freshPerKill }, (_, index) => workerd.probe(`fresh ${kills} ${index}`));
    const starting = fresh.map((probe) =>
      probe.start(`${receiver.url}/${encodeURIComponent(probe.name)}`).then(
        () => accepted.push(probe),
        () => {}, // Killed before it answered.
      ),
    );
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 250));
    await workerd.restart();
    await Promise.all(starting);
    const looks = await Promise.all([...busy, ...fresh].map(lookAt));
    for (const look of looks) {
      assert.equal(look.operation?.recovered, undefined);
      if (look.operation) assertAgreement(look);
      else assert.equal(look.alarm, null);
      seen[look.operation?.phase.status ?? "absent"] += 1;
    }
    assert.ok(looks.slice(0, busy.length).every(({ operation }) => operation !== null));
  }
  const tally = `${kills} kills, ${accepted.length} accepted, found ${JSON.stringify(seen)}`;
  console.log(tally);
  assert.ok(kills >= 10, tally);
  for (const probe of accepted) await probe.until("delivered");
  for (const probe of busy) assert.ok((await probe.until("waiting", { attempts: 10 })).history.length <= 32);
});
