import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startReceiver } from "./support/receiver.mjs";
import { startWorkerd } from "./support/workerd.mjs";

const diary = {
  name: "diary",
  compatibilityDate: "2026-03-01",
  modules: [{ type: "ESModule", path: fileURLToPath(new URL("support/diary.mjs", import.meta.url)) }],
  durableObjects: { DIARY: { className: "Diary", useSQLite: true } },
};

const receiver = await startReceiver();
const workerd = await startWorkerd({ worker: diary });
after(async () => {
  await workerd.dispose();
  await receiver.close();
});

const write = (path, entry) => workerd.fetch(path, { method: "PUT", body: JSON.stringify(entry) });

test("data outlives twenty kills", async () => {
  for (let round = 0; round < 20; round += 1) {
    const note = `round ${round}`;
    await write("/kept", { note });
    const { pid } = workerd;
    await workerd.restart();
    assert.notEqual(workerd.pid, pid);
    assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
    assert.equal((await (await workerd.fetch("/kept")).json()).note, note);
  }
});

test("an alarm that came due while workerd was dead fires after the restart, unasked", async () => {
  await write("/due", { note: "overdue", alarmInMs: 300, receiver: `${receiver.url}/overdue` });
  await workerd.kill();
  await assert.rejects(workerd.fetch("/due"), "nothing answers any more");
  await new Promise((resolve) => setTimeout(resolve, 400));
  assert.equal(receiver.to("/overdue").length, 0);
  await workerd.restart();
  await receiver.until((requests) => requests.some(({ path }) => path === "/overdue"));
});

test("an alarm still ahead at the kill fires after the restart, unasked", async () => {
  await write("/ahead", { note: "ahead", alarmInMs: 2000, receiver: `${receiver.url}/ahead` });
  await workerd.restart();
  await receiver.until((requests) => requests.some(({ path }) => path === "/ahead"));
  assert.deepEqual(
    receiver.to("/ahead").map(({ body }) => body.toString()),
    ["ahead"],
  );
});

test("a request that hangs at the receiver is cut by the kill", async () => {
  receiver.behave("/hang", "hang");
  await write("/hanging", { note: "hanging", alarmInMs: 1, receiver: `${receiver.url}/hang` });
  await receiver.until((requests) => requests.some(({ path }) => path === "/hang"));
  await workerd.kill();
  await receiver.until((requests) =>
    requests.some(({ path, connectionClosed }) => path === "/hang" && connectionClosed),
  );
  await workerd.restart();
  await receiver.until((requests) => requests.filter(({ path }) => path === "/hang").length === 2);
});
