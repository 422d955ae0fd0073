import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startReceiver } from "../e2e/support/receiver.mjs";
import { startIntegrationWorker } from "./support/integration-worker.mjs";

const receiver = await startReceiver();
const workerd = await startIntegrationWorker();
after(async () => {
  await workerd.dispose();
  await receiver.close();
});

/** The operation after so many attempts, the first of which met `answer`. */
async function attempt(url, { answer, maxAttempts = 2, status } = {}) {
  if (answer) receiver.behave(new URL(url).pathname, answer);
  const probe = workerd.probe(encodeURIComponent(url));
  await probe.plan({ baseMs: 10, maxAttempts, timeoutMs: 5_000 });
  await probe.start(url);
  return probe.until(status);
}

for (const status of [200, 201, 204, 299]) {
  test(`${status} delivers`, async () => {
    const { history } = await attempt(`${receiver.url}/${status}`, { answer: { status }, status: "delivered" });
    assert.equal(history.length, 1);
    assert.equal(history[0].status, status);
    assert.equal(history[0].error, undefined);
  });
}

test("503 waits for as long as Retry-After says", async () => {
  const answer = { status: 503, headers: { "retry-after": "1" } };
  const { history } = await attempt(`${receiver.url}/503`, { answer, status: "delivered" });
  assert.equal(history[0].status, 503);
  assert.equal(history[0].delayMs, 1_000);
  assert.ok(history[1].startedAt - (history[0].startedAt + history[0].tookMs) >= 1_000);
});

test("404 gives up", async () => {
  const { history, phase } = await attempt(`${receiver.url}/404`, { answer: { status: 404 }, status: "gaveUp" });
  assert.equal(phase.reason, "nonRetryable");
  assert.equal(history[0].status, 404);
  assert.equal(history[0].delayMs, undefined);
});

const loop = Array(25).fill({ status: 302, headers: { location: "/loop?token=SECRET" } });
receiver.behave("/loop", ...loop);

for (const [name, url, error] of [
  ["a refused connection", "http://user:SECRET@127.0.0.1:1/?token=SECRET", "Error: Network connection lost."],
  ["a dropped connection", `${receiver.url}/drop?token=SECRET`, "Error: Network connection lost."],
  ["a scheme that is none of the web's", "ftp://user:SECRET@127.0.0.1/", "TypeError: Fetch API cannot load: ..."],
  ["what is no url", "http://us er:SECRET@x/?token=SECRET", /.+/],
  ["redirects without an end", `${receiver.url}/loop?token=SECRET`, "TypeError: Too many ..."],
]) {
  test(`the error of ${name} is told without its url`, async () => {
    if (url.includes("/drop")) receiver.behave("/drop", "drop");
    const operation = await attempt(url, { maxAttempts: 1, status: "gaveUp" });
    const [record] = operation.history;
    assert.equal(record.status, undefined);
    if (error instanceof RegExp) assert.match(record.error, error);
    else assert.equal(record.error, error);
    assert.doesNotMatch(JSON.stringify(operation), /SECRET|127\.0\.0\.1/);
  });
}
