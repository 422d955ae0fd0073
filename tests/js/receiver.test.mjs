import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startReceiver } from "../e2e/support/receiver.mjs";

const receiver = await startReceiver();
after(() => receiver.close());

test("behaviours are used up one a request, then the default applies", async () => {
  receiver.behave("/queue", { status: 503, headers: { "retry-after": "7" } }, ({ body }) => ({ body: `got ${body}` }));
  const send = () => fetch(`${receiver.url}/queue?a=1`, { method: "POST", body: "text" });
  const first = await send();
  assert.equal(first.status, 503);
  assert.equal(first.headers.get("retry-after"), "7");
  assert.equal(await (await send()).text(), "got text");
  assert.equal((await send()).status, 200);
  assert.equal(receiver.to("/queue").length, 3);
  assert.equal(receiver.to("/queue")[0].query.get("a"), "1");
});

test("next hands out each request once, whether it came before or comes after", async () => {
  await receiver.next();
  await receiver.next();
  await receiver.next();
  const waiting = receiver.next();
  await fetch(`${receiver.url}/later`);
  assert.equal((await waiting).path, "/later");
  await assert.rejects(receiver.next({ timeoutMs: 1 }), { message: /^request 5 did not come within 1 ms/ });
});

test("a dropped connection is an error for the sender", async () => {
  receiver.behave("/drop", "drop");
  await assert.rejects(fetch(`${receiver.url}/drop`));
});

test("a hanging request is recorded at once, and so is its end", async () => {
  receiver.behave("/hang", "hang");
  const controller = new AbortController();
  const answer = fetch(`${receiver.url}/hang`, { signal: controller.signal });
  await receiver.until(() => receiver.to("/hang").length === 1);
  assert.equal(receiver.to("/hang")[0].connectionClosed, false);
  controller.abort();
  await assert.rejects(answer);
  await receiver.until(() => receiver.to("/hang")[0].connectionClosed);
});
