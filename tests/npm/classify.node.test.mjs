// What a runtime really rejects with, on the loopback.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { errorOutcome, isAbortError, isNetworkError, isTimeoutError } from "retry-primitives-wasm/classify";

const kinds = (error) => [isNetworkError(error), isTimeoutError(error), isAbortError(error)];

async function listen(connected) {
  const server = createServer(connected).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${server.address().port}/` };
}

test("a port on which nobody listens is a failure of the network", async () => {
  const { server, url } = await listen();
  server.close();
  await once(server, "close");
  await assert.rejects(fetch(url), (error) => {
    assert.deepEqual(kinds(error), [true, false, false]);
    assert.deepEqual(errorOutcome(error), { retryable: true });
    return true;
  });
});

test("a connection that the server drops is a failure of the network", async () => {
  // Once the request is there: before that, the client would connect anew, and again.
  const { server, url } = await listen((socket) => socket.once("data", () => socket.destroy()));
  await assert.rejects(fetch(url), (error) => {
    assert.deepEqual(kinds(error), [true, false, false]);
    return true;
  });
  server.close();
});

test("a request that the caller aborts is none, and one that a deadline ends is a timeout", async () => {
  const sockets = [];
  const { server, url } = await listen((socket) => sockets.push(socket));
  const aborted = new AbortController();
  const request = fetch(url, { signal: aborted.signal });
  aborted.abort();
  await assert.rejects(request, (error) => {
    assert.deepEqual(kinds(error), [false, false, true]);
    return true;
  });
  await assert.rejects(fetch(url, { signal: AbortSignal.timeout(1) }), (error) => {
    assert.deepEqual(kinds(error), [false, true, false]);
    return true;
  });
  for (const socket of sockets) socket.destroy();
  server.close();
});
