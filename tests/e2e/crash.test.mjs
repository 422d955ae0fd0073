// workerd is killed at many moments, and no accepted delivery is lost. CRASH_SEED repeats the choices of a run, though
// not its timing.
import assert from "node:assert/strict";
import { watch } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { Crashes } from "./support/crashes.mjs";
import { startReceiver } from "./support/receiver.mjs";
import { seeded } from "./support/seeded.mjs";
import { decidedInstant, startService } from "./support/service.mjs";
import { until } from "./support/until.mjs";

const rounds = 56;
const deliveriesPerRound = 3;
const burst = 12;

const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);
const random = seeded(seed);
const dataFolder = await mkdtemp(join(tmpdir(), "crash-test-"));
const objectsFolder = join(dataFolder, "do", "retry-primitives-example-Delivery");
const receiver = await startReceiver();
const service = await startService({ dataFolder });
const crashes = new Crashes(service.workerd);
after(async () => {
  await service.dispose();
  await receiver.close();
  await rm(dataFolder, { recursive: true, force: true });
});

/** What was accepted: the id by the number in the payload. */
const ids = new Map();
const unanswered = new Set();
/** Ids of deliveries that were not over when they were last looked at. */
const open = new Set();
/** For each webhook-id, how often the receiver said yes. */
const acceptances = new Map();
/** How often a delivery may still fail by chance. */
const troublesLeft = new Map();

receiver.otherwise(({ headers }) => {
  const id = headers["webhook-id"];
  if (crashes.aimsAt("a request received")) {
    crashes.strike("a request received");
    return "hang";
  }
  const troubles = troublesLeft.get(id) ?? 4;
  troublesLeft.set(id, troubles - 1);
  const trouble = troubles > 0 && !crashes.aimsAt("an answer sent") ? random.whole(1, 10) : 10;
  if (trouble <= 2) return { status: 503 };
  if (trouble === 3) return { status: 500, headers: { "retry-after": "1" } };
  if (trouble === 4) return "drop";
  if (trouble === 5) return "hang";

  acceptances.set(id, (acceptances.get(id) ?? 0) + 1);
  if (trouble === 6) return { delayMs: random.whole(1, 150) };
  if (crashes.aimsAt("an answer sent")) {
    const moment = performance.now() + random.between(0, 5);
    setImmediate(() => {
      while (performance.now() < moment); // finer than a timer
      crashes.strike("an answer sent");
    });
  }
  return { status: 200 };
});

let numbers = 0;

/** Posts until a delivery is accepted. What a kill left unanswered may have been accepted or not. */
async function accept() {
  for (;;) {
    const number = (numbers += 1);
    const policy = {
      baseMs: random.whole(20, 400),
      factor: 1,
      jitter: random.pick(["none", "full"]),
      timeoutMs: random.whole(300, 700),
      maxAttempts: 50,
    };
    try {
      const { id } = await service.deliver(`${receiver.url}/crash`, { payload: { number }, policy });
      ids.set(number, id);
      open.add(id);
      return id;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      unanswered.add(number);
      await crashes.ask(() => {});
    }
  }
}

/** What holds of a delivery at any moment. */
function examine(view) {
  const shown = JSON.stringify(view);
  assert.ok(["waiting", "running", "delivered"].includes(view.status), shown);
  assert.equal(view.recovered, undefined, shown);
  if (view.status === "waiting") {
    // The platform may move an alarm on that was armed for the next few milliseconds; any other names the instant.
    const wait = view.history.at(-1)?.delayMs ?? 0;
    if (wait >= 50) {
      assert.equal(view.alarm, decidedInstant(view), shown);
      assert.equal(view.alarm, view.nextAttemptAt, shown);
    } else {
      assert.ok(view.alarm >= view.nextAttemptAt && view.alarm < view.nextAttemptAt + 1_000, shown);
    }
  } else if (view.status === "running") {
    assert.notEqual(view.alarm, null, `not armed: ${shown}`);
  } else {
    assert.equal(view.alarm, null, shown);
  }
  const ended = view.status === "delivered" ? view.attempts : view.history.length;
  assert.equal(view.attempts, ended, shown);
  assert.deepEqual(
    view.history.map(({ attempt }) => attempt),
    view.history.map((_, index) => index + 1),
  );
}

/**
 * Whether an alarm has just gone off, a lost attempt's among them, and its handler has not stored anything yet: the
 * platform shows no alarm then. That lasts for moments.
 */
const isWaking = ({ status, alarm, nextAttemptAt }) =>
  alarm === null && (status === "running" || (status === "waiting" && nextAttemptAt <= Date.now()));

async function look(id) {
  const view = await until(
    async () => {
      const view = await crashes.ask(() => service.view(id));
      return !isWaking(view) && view;
    },
    { timeoutMs: 3_000, everyMs: 5, waitingFor: `an alarm or an attempt of ${id}` },
  );
  examine(view);
  if (view.status === "delivered") open.delete(id);
  return view;
}

const newest = () => [...open].slice(-10);

/** Resolves to a delivery that waits for an alarm ahead, if there is one. */
async function aWaitingOne() {
  for (const id of newest()) {
    const view = await look(id);
    if (view.status === "waiting" && view.nextAttemptAt > Date.now() + 10) return view;
  }
}

const moments = {
  "just accepted": async (accepted) => {
    await Promise.any(accepted);
    await crashes.now("just accepted");
  },
  "being accepted": async () => {
    await wait(random.between(0, 15));
    await crashes.now("being accepted");
  },
  "a request received": () => crashes.at("a request received"),
  "an answer sent": () => crashes.at("an answer sent"),
  "waiting for an alarm": async (accepted) => {
    await Promise.all(accepted);
    const view = await aWaitingOne();
    await crashes.now(view ? "waiting for an alarm" : "waiting for an alarm, missed");
  },
  "an alarm due": async (accepted) => {
    await Promise.all(accepted);
    const view = await aWaitingOne();
    if (view) await wait(view.nextAttemptAt - Date.now() + random.between(-2, 12));
    await crashes.now(view ? "an alarm due" : "an alarm due, missed");
  },
  "a write to disk": () =>
    crashes.at("a write to disk", (strike) => {
      let spared = random.whole(0, 12);
      const watcher = watch(objectsFolder, (event, file) => {
        if (file.endsWith("-wal") && (spared -= 1) < 0) strike();
      });
      return () => watcher.close();
    }),
  "any moment": async () => {
    await wait(random.between(0, 400));
    await crashes.now("any moment");
  },
};

test("no accepted delivery is lost, wherever workerd is killed", async (context) => {
  context.diagnostic(`CRASH_SEED=${seed}`);
  const startedAt = Date.now();
  const names = Object.keys(moments);
  for (let round = 0; round < rounds; round += 1) {
    const kill = moments[names[round % names.length]];
    const accepted = Array.from({ length: deliveriesPerRound }, accept);
    await Promise.all([kill(accepted), ...accepted]);
    await Promise.all(newest().map(look));
  }
  for (let round = 0; round < burst; round += 1) {
    await wait(random.between(0, 250));
    await crashes.now("a burst");
  }
  await Promise.all([...open].map(look));

  const deadline = Date.now() + 45_000;
  while (open.size > 0 && Date.now() < deadline) {
    await Promise.all([...open].map(look));
    await wait(100);
  }
  const stuck = await Promise.all([...open].map(look));
  assert.deepEqual(stuck, [], "these are stuck");

  const requests = new Map();
  for (const { headers, body } of receiver.requests) {
    const { number } = JSON.parse(body);
    assert.equal(body.toString(), `{"number":${number}}`);
    const id = headers["webhook-id"];
    if (ids.has(number)) assert.equal(id, ids.get(number));
    else assert.ok(unanswered.has(number));
    requests.set(id, (requests.get(id) ?? 0) + 1);
  }
  const lost = [...ids.values()].filter((id) => !acceptances.has(id));
  for (const id of ids.values()) {
    const view = await look(id);
    // The attempt is on disk before its request leaves.
    assert.ok(requests.get(id) <= view.attempts, `${requests.get(id)} requests: ${JSON.stringify(view)}`);
  }
  const duplicates = [...acceptances.values()].reduce((sum, count) => sum + count - 1, 0);
  const extra = [...requests.keys()].filter((id) => ![...ids.values()].includes(id)).length;
  context.diagnostic(
    `deliveries=${ids.size} kills=${crashes.total} requests=${receiver.requests.length} duplicates=${duplicates} ` +
      `lost=${lost.length} stuck=${stuck.length} in ${Math.round((Date.now() - startedAt) / 1000)} s`,
  );
  context.diagnostic(`accepted though the answer was lost: ${extra} of ${unanswered.size}`);
  for (const [aim, count] of crashes.kills) context.diagnostic(`kills at ${aim}: ${count}`);
  assert.deepEqual(lost, []);
  assert.ok(ids.size >= 100 && crashes.total >= 40);
});
