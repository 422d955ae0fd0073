import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startReceiver } from "../e2e/support/receiver.mjs";
import { startIntegrationWorker } from "./support/integration-worker.mjs";

// src/worker/examples/webhook.rs calls https://example.com/hook: here, the receiver answers for every host.
const receiver = await startReceiver();
const address = new URL(receiver.url).host;
const workerd = await startIntegrationWorker({ outboundService: { external: { address, http: {} } } });
after(async () => {
  await workerd.dispose();
  await receiver.close();
});

test("the Durable Object of the module doc delivers through a failure and a kill", async () => {
  receiver.behave("/hook", { status: 503, headers: { "retry-after": "1" } }, "hang");
  const accepted = await workerd.fetch("/webhook/one", { method: "POST", body: "the payload" });
  assert.equal((await accepted.json()).phase.status, "waiting");
  await receiver.until((requests) => requests.length === 1);
  await workerd.restart();
  await receiver.until((requests) => requests.length === 2);
  // The second attempt hangs for the 10 s of a request; the object answers meanwhile, and a repeated start changes nothing.
  const repeated = await (await workerd.fetch("/webhook/one", { method: "POST", body: "another" })).json();
  assert.equal(repeated.phase.status, "running");
  assert.equal(repeated.phase.until - repeated.phase.since, 15_000);
  assert.equal(repeated.history[0].status, 503);
  assert.ok(repeated.history[0].delayMs >= 1_000);

  await receiver.until((requests) => requests.length === 3, { timeoutMs: 20_000 });
  assert.deepEqual(
    receiver.to("/hook").map(({ method, body }) => `${method} ${body}`),
    Array(3).fill("POST the payload"),
  );
  assert.equal(receiver.requests[0].headers.host, "example.com");
});
