// Deliveries that are called off.
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { startReceiver } from "./support/receiver.mjs";
import { quick, startService } from "./support/service.mjs";

const receiver = await startReceiver();
const service = await startService();
after(async () => {
  await service.dispose();
  await receiver.close();
});

const after503 = (seconds) => ({ status: 503, headers: { "retry-after": `${seconds}` } });

async function cancelled(id) {
  const response = await service.cancel(id);
  assert.equal(response.status, 200);
  const view = await response.json();
  assert.deepEqual([view.id, view.status, view.nextAttemptAt, view.alarm], [id, "cancelled", null, null]);
  return view;
}

/** Resolves once a delivery has been made whose attempt was due later than `moment`. */
async function pass(moment) {
  const path = `/witness/${moment}`;
  receiver.behave(path, after503(Math.ceil(Math.max(0, moment - Date.now()) / 1000) + 1));
  const { id } = await service.deliver(receiver.url + path);
  await service.until(id, "delivered", { timeoutMs: 30_000 });
  assert.ok(receiver.to(path)[1].at > moment);
}

/** A request that has come and whose answer is ours to give. */
async function heldRequest(path) {
  let answer;
  receiver.behave(path, () => new Promise((resolve) => (answer = resolve)));
  const { id } = await service.deliver(receiver.url + path);
  await receiver.until(() => receiver.to(path).length === 1);
  return { id, answer };
}

describe("a cancelled delivery", { concurrency: true }, () => {
  test("that waited is not attempted any more", async () => {
    receiver.behave("/waiting", after503(2));
    const { id } = await service.deliver(`${receiver.url}/waiting`);
    const { nextAttemptAt, alarm } = await service.until(id, "waiting", { attempts: 1 });
    assert.equal(alarm, nextAttemptAt);
    const view = await cancelled(id);
    assert.equal(view.attempts, 1);
    await pass(nextAttemptAt);
    assert.equal(receiver.to("/waiting").length, 1);
    assert.deepEqual(await service.view(id), view);
  });

  for (const status of [200, 503, 410]) {
    test(`while its request was out takes no notice of the ${status} that comes of it`, async () => {
      const path = `/running/${status}`;
      const { id, answer } = await heldRequest(path);
      const view = await cancelled(id);
      answer({ status, headers: { "retry-after": "1" } });
      await receiver.until(() => receiver.to(path)[0].closedAt);
      await pass(Date.now() + 2_000);
      assert.deepEqual(await service.view(id), view);
      assert.equal(receiver.to(path).length, 1);
    });
  }

  test("while its request hung is not attempted again after the timeout", async () => {
    receiver.behave("/hanging", "hang");
    const policy = { ...quick, timeoutMs: 1_000 };
    const { id } = await service.deliver(`${receiver.url}/hanging`, { policy });
    await receiver.until(() => receiver.to("/hanging").length === 1);
    const view = await cancelled(id);
    await receiver.until(() => receiver.to("/hanging")[0].closedAt);
    await pass(Date.now() + 1_000);
    assert.deepEqual(await service.view(id), view);
    assert.equal(receiver.to("/hanging").length, 1);
  });

  test("can be cancelled again", async () => {
    receiver.behave("/again", after503(60));
    const { id } = await service.deliver(`${receiver.url}/again`);
    await service.until(id, "waiting", { attempts: 1 });
    const first = await cancelled(id);
    assert.deepEqual(await cancelled(id), first);
  });

  test("stays cancelled through a kill", async () => {
    // Alone in its own service: the other tests must not see the restart.
    const own = await startService();
    try {
      receiver.behave("/killed", after503(2));
      const { id } = await own.deliver(`${receiver.url}/killed`);
      const { nextAttemptAt } = await own.until(id, "waiting", { attempts: 1 });
      const view = await (await own.cancel(id)).json();
      await own.workerd.restart();
      assert.deepEqual(await own.view(id), view);
      await pass(nextAttemptAt);
      assert.equal(receiver.to("/killed").length, 1);
    } finally {
      await own.dispose();
    }
  });

  test("is no longer one when it had ended before", async () => {
    receiver.behave("/ended/gone", { status: 410 });
    for (const [path, status] of [
      ["/ended/delivered", "delivered"],
      ["/ended/gone", "gaveUp"],
    ]) {
      const { id } = await service.deliver(receiver.url + path);
      const view = await service.until(id, status);
      const response = await service.cancel(id);
      assert.equal(response.status, 409);
      assert.ok((await response.json()).error.message);
      assert.deepEqual(await service.view(id), view);
    }
  });
});
