// The example of README.md that shows the KV breaker; that of `DurableRetry` runs in tests/workers/examples.test.mjs.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startReceiver } from "../e2e/support/receiver.mjs";
import { gateway, startIntegrationWorker } from "../workers/support/integration-worker.mjs";

const receiver = await startReceiver();
const workerd = await startIntegrationWorker({
  language: "npm",
  outboundService: "gateway",
  kvNamespaces: { BREAKERS: "breakers" },
  companions: [gateway({ receiver })],
});
after(async () => {
  await workerd.dispose();
  await receiver.close();
});

test("five failures open it, and the caller is told for how long", async () => {
  const call = async () => {
    const { status, headers } = await workerd.fetch("/guarded", { method: "POST", body: "asked" });
    return [status, headers.get("retry-after")];
  };
  assert.deepEqual(await call(), [200, null]);
  receiver.otherwise({ status: 500 });
  for (let failure = 0; failure < 5; failure++) assert.deepEqual(await call(), [500, null]);
  const [status, seconds] = await call();
  assert.equal(status, 503);
  assert.ok(seconds > 25 && seconds <= 30, seconds);
  assert.equal(receiver.to("/").length, 6);
  assert.deepEqual(
    receiver.to("/").map(({ method, body, headers }) => `${method} ${body} ${headers["x-asked-host"]}`),
    Array(6).fill("POST asked api.example.com"),
  );
});
