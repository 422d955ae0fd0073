// The reference's examples for Workers (reference-worker.mjs) on workerd, on the installed package.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { startReceiver } from "../../e2e/support/receiver.mjs";
import { startWorkerd } from "../../e2e/support/workerd.mjs";
import { installedModules, workerText } from "./installed.mjs";

const source = readFileSync(new URL("reference-worker.mjs", import.meta.url), "utf8");

async function start(t) {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const main = { type: "ESModule", path: "worker.mjs", contents: await workerText(source) };
  const worker = {
    name: "reference",
    compatibilityDate: "2026-03-01",
    modules: [main, ...installedModules()],
    bindings: { RECEIVER: `${receiver.url}/hook` },
    kvNamespaces: { STATES: "states" },
    durableObjects: { COURIER: { className: "Courier", useSQLite: true } },
  };
  const workerd = await startWorkerd({ worker });
  t.after(() => workerd.dispose());
  const json = async (path) => (await workerd.fetch(path)).json();
  return { receiver, workerd, json };
}

const deliver = (workerd, name, message) =>
  workerd.fetch(`/deliver?name=${name}`, { method: "POST", body: JSON.stringify(message) });

/** Asks until the answer is as wanted: the object's last write comes after the receiver's answer. */
async function until(ask, wanted) {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    assert.ok(Date.now() < deadline, JSON.stringify(answer));
  }
}

test("A retry that outlives the process: alarms carry a delivery through two failures", async (t) => {
  const { receiver, workerd, json } = await start(t);
  receiver.behave("/hook", { status: 500 }, { status: 429 });
  assert.equal((await deliver(workerd, "a", { order: 17 })).status, 202);
  const requests = await receiver.until((all) => all.length === 3);
  for (const { method, body } of requests) {
    assert.equal(method, "POST");
    assert.deepEqual(JSON.parse(body), { order: 17 });
  }
  // 1% of the curve: 10 ms, then 20 ms.
  assert.ok(requests[1].at - requests[0].at >= 10 && requests[2].at - requests[1].at >= 20);
  const left = await until(
    () => json("/look?name=a"),
    ({ message }) => message === undefined,
  );
  assert.deepEqual(left, { alarm: null });
});

test("A retry that outlives the process: the process is killed between two attempts", async (t) => {
  const { receiver, workerd, json } = await start(t);
  receiver.behave("/hook", { status: 503, headers: { "retry-after": "2" } });
  await deliver(workerd, "b", "again");
  const before = await json("/look?name=b");
  // The server's figure is a floor.
  assert.ok(before.retry.attempts === 1 && before.retry.prevDelayMs === 2_000);
  await workerd.restart();
  const [first, second] = await receiver.until((all) => all.length === 2);
  assert.ok(second.at >= before.alarm && second.at - first.at >= 2_000);
  assert.equal(String(second.body), '"again"');
});

test("A retry that outlives the process: an answer that no repetition mends ends it", async (t) => {
  const { receiver, workerd, json } = await start(t);
  receiver.behave("/hook", { status: 404 });
  await deliver(workerd, "c", "lost");
  const { gaveUp, alarm } = await json("/look?name=c");
  assert.deepEqual([gaveUp, alarm, receiver.requests.length], ["nonRetryable", null, 1]);
});

test("A circuit breaker several isolates can see: its state in KV opens, refuses, probes and closes", async (t) => {
  const { receiver, workerd, json } = await start(t);
  receiver.behave("/hook", ...Array(5).fill("drop"));
  for (let now = 1; now <= 5; now++) assert.equal((await workerd.fetch(`/call?now=${now}`)).status, 502);
  const { status, changedAt } = await json("/state");
  assert.deepEqual([status, changedAt], ["open", 5]);

  const refused = await workerd.fetch("/call?now=1005");
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "29"]);
  assert.equal(receiver.requests.length, 5);

  assert.equal((await workerd.fetch("/call?now=30005")).status, 200);
  assert.equal((await json("/state")).status, "closed");
  assert.equal(receiver.requests.length, 6);
});
