import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startReceiver } from "../e2e/support/receiver.mjs";
import { gateway, startIntegrationWorker } from "./support/integration-worker.mjs";

const receiver = await startReceiver();
const workerd = await startIntegrationWorker({
  // The examples call any host there is: here, one receiver answers for all.
  outboundService: "gateway",
  queueProducers: { QUEUE: { queueName: "jobs" } },
  queueConsumers: { jobs: { maxBatchTimeout: 0, maxRetries: 2, deadLetterQueue: "dead-letters" } },
  companions: [gateway({ receiver, queueConsumers: { "dead-letters": { maxBatchTimeout: 0 } } })],
});
after(async () => {
  await workerd.dispose();
  await receiver.close();
});

test("the Durable Object of the module doc delivers through a failure and a kill", async () => {
  let answer;
  const held = new Promise((resolve) => (answer = resolve));
  receiver.behave("/hook", { status: 503, headers: { "retry-after": "1" } }, () => held);
  const accepted = await workerd.fetch("/webhook/one", { method: "POST", body: "the payload" });
  assert.equal((await accepted.json()).phase.status, "waiting");
  const repeat = async () => (await workerd.fetch("/webhook/one", { method: "POST", body: "another" })).json();
  const deadline = Date.now() + 10_000;
  while ((await repeat()).history.length === 0) assert.ok(Date.now() < deadline, "no attempt");
  await workerd.restart();
  await receiver.until(() => receiver.to("/hook").length === 2);
  // While the second attempt is out, the object answers, and a repeated start changes nothing.
  const repeated = await repeat();
  assert.equal(repeated.phase.status, "running");
  assert.equal(repeated.phase.until - repeated.phase.since, 15_000);
  assert.equal(repeated.history[0].status, 503);
  assert.ok(repeated.history[0].delayMs >= 1_000);

  answer({ status: 204 });
  while ((await repeat()).phase.status !== "delivered") assert.ok(Date.now() < deadline, "not delivered");
  assert.deepEqual(
    receiver.to("/hook").map(({ method, body }) => `${method} ${body}`),
    Array(2).fill("POST the payload"),
  );
  assert.equal(receiver.to("/hook")[0].headers["x-asked-host"], "example.com");
});

const send = (url) => workerd.fetch("/queue", { method: "POST", body: url });
const waits = (requests) => requests.slice(1).map(({ at }, index) => at - requests[index].at);

test("the queue consumer of the module doc acknowledges what succeeds, after retries by the policy", async () => {
  receiver.behave("/job", { status: 503 }, { status: 503, headers: { "retry-after": "2" } });
  assert.equal((await send("https://example.org/job")).status, 200);
  await receiver.until(() => receiver.to("/job").length === 3);
  const [first, second] = waits(receiver.to("/job"));
  assert.ok(first >= 950 && first < 2_500, `a wait of at most 1 s, in whole seconds: ${first} ms`);
  assert.ok(second >= 1_950, `the server's 2 s: ${second} ms`);
});

test("the queue consumer of the module doc gives up by the platform's count, into the dead-letter queue", async () => {
  const dead = "https://example.org/dead";
  receiver.behave("/dead", { status: 500 }, { status: 500 }, { status: 500 }, { status: 500 });
  const fine = "https://example.org/fine";
  await Promise.all([send(dead), send(fine)]);
  await receiver.until(() => receiver.to("/dead-letters").length === 1, { timeoutMs: 15_000 });
  assert.equal(receiver.to("/dead-letters")[0].body.toString(), dead);
  assert.equal(receiver.to("/dead").length, 3);
  assert.equal(receiver.to("/fine").length, 1);
  assert.ok(workerd.logs.some(({ message }) => /^giving up on \w+: maxAttempts$/.test(message)));
  // Nothing acknowledged came back meanwhile.
  assert.equal(receiver.to("/job").length, 3);
});
