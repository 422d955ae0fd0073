// Receivers that hang, break off, send too much or are not there.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { after, describe, test } from "node:test";
import { startReceiver } from "./support/receiver.mjs";
import { accepted, decidedInstant, quick, startService } from "./support/service.mjs";

const receiver = await startReceiver();
const service = await startService();
after(async () => {
  await service.dispose();
  await receiver.close();
});

const never = new Promise(() => {});
const closed = async (path, options) => {
  await receiver.until(() => receiver.to(path)[0]?.connectionClosed, { waitingFor: `the end of ${path}`, ...options });
  return receiver.to(path)[0];
};

describe("a receiver", { concurrency: true }, () => {
  test("that hangs is hung up on at the timeout, and called again", async () => {
    receiver.behave("/hang", "hang");
    const { id } = await service.deliver(`${receiver.url}/hang`, { policy: { ...quick, timeoutMs: 700 } });
    await receiver.until(() => receiver.to("/hang").length === 1);
    const running = await service.view(id);
    assert.equal(running.status, "running");
    assert.equal(running.nextAttemptAt, null);
    assert.ok(running.alarm > Date.now(), "the dead-man's alarm is armed while the request is out");

    await closed("/hang");
    const view = await service.until(id, "delivered");
    assert.equal(view.attempts, 2);
    const [{ startedAt, tookMs, status, error }] = view.history;
    assert.equal(status, undefined);
    assert.match(error, /700 ms/);
    assert.ok(tookMs >= 700 && tookMs < 3_000, `the first attempt took ${tookMs} ms`);
    assert.ok(receiver.to("/hang")[0].closedAt >= startedAt + 700);
    assert.equal(receiver.to("/hang").length, 2);
  });

  test("that hangs is hung up on after 10 s by default", async () => {
    receiver.behave("/hang/default", "hang");
    const { id } = await accepted(await service.post({ url: `${receiver.url}/hang/default`, payload: 1 }));
    await closed("/hang/default", { timeoutMs: 20_000 });
    const view = await service.until(id, "waiting", { attempts: 1 });
    const [{ tookMs }] = view.history;
    assert.ok(tookMs >= 10_000 && tookMs < 13_000, `the first attempt took ${tookMs} ms`);
    assert.equal(view.alarm, decidedInstant(view));
    await service.cancel(id);
  });

  test("that hangs for ever is called until the policy stops", async () => {
    receiver.behave("/hang/on", "hang", "hang", "hang");
    const policy = { ...quick, timeoutMs: 100, maxAttempts: 3 };
    const { id } = await service.deliver(`${receiver.url}/hang/on`, { policy });
    const view = await service.until(id, "gaveUp");
    assert.deepEqual([view.attempts, view.reason, view.alarm], [3, "maxAttempts", null]);
    await receiver.until(() => receiver.to("/hang/on").every(({ connectionClosed }) => connectionClosed));
  });

  test("that answers just before the timeout is in time", async () => {
    receiver.behave("/slow", { delayMs: 1_000 });
    const { id } = await service.deliver(`${receiver.url}/slow`);
    const { attempts, history } = await service.until(id, "delivered");
    assert.equal(attempts, 1);
    assert.ok(history[0].tookMs >= 1_000);
  });

  for (const [status, end, calls] of [
    [200, "delivered", 1],
    [503, "delivered", 2],
    [410, "gaveUp", 1],
  ]) {
    test(`that sends a ${status} and hangs with its body has answered, and is hung up on`, async () => {
      const path = `/stall/${status}`;
      async function* stalling() {
        yield "the start of";
        await never;
      }
      receiver.behave(path, { status, body: stalling() });
      const { id } = await service.deliver(receiver.url + path, { policy: { ...quick, timeoutMs: 30_000 } });
      const view = await service.until(id, end);
      assert.equal(view.history[0].status, status);
      assert.equal(receiver.to(path).length, calls);
      await closed(path);
    });
  }

  for (const status of [200, 500]) {
    test(`that sends a ${status} without end is not read to the end`, async () => {
      const path = `/endless/${status}`;
      const chunk = Buffer.alloc(64 * 1024, "x");
      let sent = 0;
      async function* endless() {
        for (;;) {
          sent += chunk.length;
          yield chunk;
        }
      }
      receiver.behave(path, { status, body: endless() });
      const { id } = await service.deliver(receiver.url + path, { policy: { ...quick, timeoutMs: 30_000 } });
      await service.until(id, "delivered");
      await closed(path);
      assert.ok(sent < 64 * 1024 * 1024, `${sent} bytes were read`);
    });
  }

  test("that drops the connection without an answer is called again", async () => {
    receiver.behave("/drop", "drop", "drop");
    const { id } = await service.deliver(`${receiver.url}/drop`);
    const view = await service.until(id, "delivered");
    assert.equal(view.attempts, 3);
    assert.ok(view.history[0].error);
    assert.equal(receiver.to("/drop").length, 3);
  });

  test("that breaks off in the middle of an error is called again", async () => {
    async function* breaking() {
      yield "half of";
      throw new Error("cut");
    }
    receiver.behave("/cut", { status: 500, headers: { "content-length": "1000" }, body: breaking() });
    const { id } = await service.deliver(`${receiver.url}/cut`);
    const view = await service.until(id, "delivered");
    assert.equal(view.attempts, 2);
    assert.equal(receiver.to("/cut").length, 2);
  });

  const nonsense = {
    "no HTTP": "220 mail.example.com ESMTP\r\n",
    "a TLS alert": "\x15\x03\x01\x00\x02\x02\x28",
    "a status that is no number": "HTTP/1.1 abc OK\r\n\r\n",
    "a status of 0": "HTTP/1.1 000 Nothing\r\ncontent-length: 0\r\n\r\n",
    "a status of 999": "HTTP/1.1 999 Much\r\ncontent-length: 0\r\n\r\n",
    "a switch of protocols": "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n",
    "half a header": "HTTP/1.1 200 OK\r\ncontent-le",
    "a header of one megabyte": `HTTP/1.1 503 Busy\r\nx: ${"x".repeat(1 << 20)}\r\n\r\n`,
    "a Retry-After in another alphabet": "HTTP/1.1 503 Busy\r\nretry-after: \xff\xfe٣\r\ncontent-length: 0\r\n\r\n",
    "a Retry-After twice": "HTTP/1.1 503 Busy\r\nretry-after: 0\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n",
  };
  for (const [name, bytes] of Object.entries(nonsense)) {
    test(`that answers with ${name} is called again`, async () => {
      let calls = 0;
      const good = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
      const server = createServer((socket) => {
        socket.on("error", () => {});
        socket.once("data", () => socket.end((calls += 1) === 1 ? bytes : good));
      });
      await once(server.listen(0, "127.0.0.1"), "listening");
      try {
        const { id } = await service.deliver(`http://127.0.0.1:${server.address().port}/`);
        assert.equal((await service.until(id, "delivered")).attempts, 2);
        assert.equal(calls, 2);
      } finally {
        server.close();
      }
    });
  }

  test("that is not there is called until it appears", async () => {
    const absent = await startReceiver();
    await absent.close();
    const policy = { ...quick, baseMs: 300 };
    const { id } = await service.deliver(`${absent.url}/late`, { policy });
    const view = await service.until(id, "waiting", { attempts: 2 });
    assert.ok(view.history.every(({ status, error }) => status === undefined && error));
    assert.equal(view.nextAttemptAt, decidedInstant(view));
    assert.equal(view.alarm, view.nextAttemptAt);

    const present = await startReceiver({ port: new URL(absent.url).port });
    try {
      await service.until(id, "delivered");
      assert.equal(present.to("/late").length, 1);
      assert.equal(present.to("/late")[0].headers["webhook-id"], id);
    } finally {
      await present.close();
    }
  });
});
