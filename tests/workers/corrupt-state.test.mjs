import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startReceiver } from "../e2e/support/receiver.mjs";
import { startIntegrationWorker, usual } from "./support/integration-worker.mjs";

const receiver = await startReceiver();
const workerd = await startIntegrationWorker();
after(async () => {
  await workerd.dispose();
  await receiver.close();
});

const state = { attempts: 2, startedAt: 1_758_124_800_000, prevDelayMs: 40 };
const waiting = (due) => ({ phase: { status: "waiting", due }, state, history: [] });

/** Spoils what an object stores, and lets its alarm find it. */
async function wake(name, operation, payload) {
  const probe = workerd.probe(name);
  await probe.store("payload", payload);
  await probe.store("retry", operation);
  await probe.armAlarm(20);
  return probe;
}

const corrupt = {
  "a string": ["junk", /invalid type: string "junk"/, /operation cannot be "junk"/],
  "a number": [7, /invalid type: floating point `7.0`|invalid type: integer `7`/, /operation cannot be 7/],
  "an empty object": [{}, /missing field `phase`/, /phase cannot be undefined/],
  "an array": [[], /missing field `phase`/, /operation cannot be object/],
  "a missing field": [
    { phase: { status: "waiting", due: 1 }, history: [] },
    /missing field `state`/,
    /state cannot be undefined/,
  ],
  "a missing due": [{ ...waiting(1), phase: { status: "waiting" } }, /missing field `due`/, /due cannot be undefined/],
  "an unknown status": [
    { ...waiting(1), phase: { status: "dozing" } },
    /unknown variant `dozing`/,
    /status cannot be "dozing"/,
  ],
  "a due that is NaN": [waiting("NaN"), /due must be a number of milliseconds from .* got NaN/, /due cannot be NaN/],
  "a due of a wrong type": [waiting({}), /due must be .* got an object/, /due cannot be object/],
  "a due past the last date": [
    waiting(8.64e15 + 2),
    /due must be a number of milliseconds from/,
    /due cannot be 8640000000000002/,
  ],
  "a fraction of an attempt": [
    { ...waiting(1), state: { ...state, attempts: 1.5 } },
    /attempts must be a whole number/,
    /attempts cannot be 1.5/,
  ],
  "a string for a history": [{ ...waiting(1), history: "none" }, /called on non-object/, /history cannot be "none"/],
};

for (const [name, [stored, ...problems]] of Object.entries(corrupt)) {
  const problem = problems[usual === "npm" ? 1 : 0];
  test(`${name} in place of the state: the operation starts over and says why`, async () => {
    const path = `/${encodeURIComponent(name)}`;
    const probe = await wake(name, stored, receiver.url + path);
    const operation = await probe.until("delivered");
    assert.match(operation.recovered, /^the stored state was unreadable: /);
    assert.match(operation.recovered, problem);
    assert.equal(operation.phase.attempts, 1);
    assert.equal(receiver.to(path).length, 1);
    assert.ok(workerd.logs.some(({ message }) => message === `recovered: ${operation.recovered}`));
  });
}

test("a state that no alarm would come to starts over when somebody looks at it", async () => {
  const path = "/unarmed";
  const probe = workerd.probe("unarmed");
  await probe.store("payload", receiver.url + path);
  await probe.store("retry", "junk");
  const operation = await probe.until("delivered");
  assert.match(operation.recovered, /"junk"/);
  assert.equal(receiver.to(path).length, 1);
});

test("a later version's extra fields are accepted", async () => {
  const future = { ...waiting(1), version: 9, phase: { status: "waiting", due: 1, priority: "high" } };
  const probe = await wake("future", future, `${receiver.url}/future`);
  const operation = await probe.until("delivered");
  assert.equal(operation.recovered, undefined);
  assert.equal(operation.phase.attempts, 3);
});

test("a start replaces a state that can't be read, armed or not", async () => {
  const probe = workerd.probe("start");
  await probe.store("payload", `${receiver.url}/lost`);
  await probe.store("retry", "junk");
  const { operation, alarm } = await probe.start(`${receiver.url}/start`);
  assert.match(operation.recovered, /unreadable/);
  assert.notEqual(alarm, null);
  await probe.until("delivered");
  assert.equal(receiver.to("/start").length, 1);
});

test("cancel reaches a state that can't be read", async () => {
  const probe = workerd.probe("cancel");
  await probe.store("retry", "junk");
  const { operation } = await probe.cancel();
  assert.equal(operation.phase.status, "cancelled");
  assert.match(operation.recovered, /unreadable/);
  assert.deepEqual((await probe.look()).operation, operation);
});

const payloads = [["gone", undefined, "the stored payload is gone"]];
// TypeScript's types are not there any more when a payload is read.
if (usual === "rust") payloads.push(["of another type", { token: "SECRET" }, "the stored payload was unreadable"]);
for (const [name, payload, error] of payloads) {
  test(`a payload that is ${name} gives up and says so`, async () => {
    const probe = await wake(`payload ${name}`, waiting(1), payload);
    const operation = await probe.until("gaveUp");
    assert.equal(operation.phase.reason, "nonRetryable");
    assert.equal(operation.history.at(-1).error, error);
    assert.equal((await probe.look()).alarm, null);

    await probe.clear();
    await probe.start(`${receiver.url}/after`);
    await probe.until("delivered");
  });
}

test("an alarm with nothing stored does nothing", async () => {
  const probe = await wake("empty", undefined, undefined);
  const deadline = Date.now() + 5_000;
  while ((await probe.look()).alarm !== null) assert.ok(Date.now() < deadline, "the alarm has not fired");
  assert.equal((await probe.look()).operation, null);
});
