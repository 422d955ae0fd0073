// `/workers`: breaker objects and queues on a platform made up: what no test on workerd can wait for, or bring about.
import assert from "node:assert/strict";
import { test } from "node:test";
import { constant } from "retry-primitives-wasm/backoff";
import { consecutiveBreaker } from "retry-primitives-wasm/breaker";
import { BreakerObject, ObjectBreaker, settle } from "retry-primitives-wasm/workers";
import { EPOCH, Platform } from "./support/object-platform.mjs";

/** A namespace of one class of breaker objects, each with a platform of its own, and a client of it. */
function keeper(breaker) {
  const objects = new Map();
  const platforms = new Map();
  const start = (name) => {
    if (!platforms.has(name)) platforms.set(name, new Platform());
    const platform = platforms.get(name);
    objects.set(name, new BreakerObject(platform, breaker, { now: platform.clock }));
  };
  const namespace = {
    idFromName: (name) => name,
    get: (name) => ({
      fetch: (url, init) => {
        if (!objects.has(name)) start(name);
        return objects.get(name).handle(new Request(url, init));
      },
    }),
  };
  return { namespace, platforms, restart: start, object: new ObjectBreaker({ BREAKER: namespace }, "BREAKER") };
}

test("the object's side: a healthy dependency writes once, junk starts over, nonsense is refused", async (t) => {
  const errors = t.mock.method(console, "error", () => {});
  const breaker = consecutiveBreaker({ failureThreshold: 2, openMs: 1_000 });
  const { namespace, platforms, restart, object } = keeper(breaker);
  for (let call = 0; call < 50; call++) {
    assert.equal(await object.report(await object.request("healthy"), "success"), "counted");
  }
  assert.deepEqual(platforms.get("healthy").turns.flat(), ["breaker", "listed"]);
  assert.deepEqual(
    (await object.list()).map(({ name, status }) => [name, status]),
    [["healthy", "closed"]],
  );

  platforms.get("healthy").stored.set("breaker", { status: "open", changedAt: "yesterday" });
  restart("healthy");
  assert.equal((await object.request("healthy")).ok, true);
  assert.match(errors.mock.calls[0].arguments[0], /unreadable, it starts over: state.changedAt cannot be "yesterday"/);

  const stub = namespace.get("healthy");
  for (const body of ["", "{", "null", "[]", '{"ask":"dance"}', '{"ask":"report"}', '{"ask":"force","force":"shut"}']) {
    assert.equal((await stub.fetch("https://breaker/", { method: "POST", body })).status, 400, body);
  }
  await assert.rejects(object.force("healthy", "shut"), /force must be open or close or reset, got "shut"/);
});

test("an object that can't be reached, or answers nonsense, stops no call, and is reported once", async (t) => {
  const errors = t.mock.method(console, "error", () => {});
  const answers = [
    () => Promise.reject(new Error("overloaded")),
    async () => new Response("", { status: 500 }),
    async () => Response.json({ hello: 1 }),
    async () => Response.json({ ok: true }),
    async () => Response.json({ ok: true, status: "ajar", retryAfterMs: 0, epoch: 5 }),
    async () => Response.json({ ok: true, status: "closed", retryAfterMs: 0, epoch: null }),
    async () => Response.json({ ok: false, status: "open", epoch: 5 }),
    () => Promise.reject(Object.create(null)),
    () => Promise.reject(undefined),
    async () => undefined,
  ];
  for (const [index, fetch] of answers.entries()) {
    const object = new ObjectBreaker({ B: { idFromName: String, get: () => ({ fetch }) } }, "B");
    for (let call = 0; call < 3; call++) {
      const admission = await object.request(`away ${index}`);
      assert.deepEqual([admission.ok, admission.blind], [true, true]);
      assert.equal(await object.report(admission, "failure"), "stale");
    }
    assert.equal(errors.mock.calls.length, index + 1);
  }
  assert.throws(() => new ObjectBreaker({}, "MISSING"), /the binding MISSING must be/);
});

test("an outcome that the object does not answer is stale; by hand one is told", async (t) => {
  t.mock.method(console, "error", () => {});
  for (const answer of [{}, { reported: "perhaps" }, null]) {
    const fetch = async () => Response.json(answer);
    const object = new ObjectBreaker({ B: { idFromName: String, get: () => ({ fetch }) } }, "B");
    assert.equal(await object.report({ name: "host", epoch: 5, blind: false }, "success"), "stale");
    for (const act of [() => object.peek("host"), () => object.force("host", "open"), () => object.list()]) {
      await assert.rejects(act, { message: "the object's answer was none to this question" });
    }
  }
});

test("a dependency may have the name of the index", async () => {
  const { object } = keeper(consecutiveBreaker({ failureThreshold: 1, openMs: 1_000 }));
  for (const name of ["_index", "other"]) await object.report(await object.request(name), "failure");
  assert.equal((await object.request("_index")).ok, false);
  await object.force("other", "close");
  assert.deepEqual(
    (await object.list()).map(({ name, status }) => [name, status]),
    [
      ["_index", "open"],
      ["other", "closed"],
    ],
  );
});

test("case 27: a message behind an open breaker is no attempt of the policy's, and held back a day at the most", async () => {
  const delays = [];
  const message = { id: "1", attempts: 1, timestamp: new Date(EPOCH), ack: () => assert.fail("acknowledged") };
  message.retry = ({ delaySeconds }) => delays.push(delaySeconds);
  for (const [openMs, delaySeconds] of [
    [30_001, 31],
    [2 * 86_400_000, 86_400],
  ]) {
    const { object } = keeper(consecutiveBreaker({ failureThreshold: 1, openMs }));
    await object.force("host", "open");
    const admission = await object.request("host");
    assert.equal(admission.ok, false);
    if (!admission.ok) message.retry({ delaySeconds: admission.retryAfterSeconds });
    assert.equal(delays.pop(), delaySeconds);
  }
  const settled = settle(message, constant({ delayMs: 9e9, maxDelayMs: Infinity, maxAttempts: 3 }), {
    ok: false,
    status: 503,
  });
  assert.equal(settled.status, "retrying");
  assert.ok(delays[0] <= 86_400);
  assert.throws(
    () => settle({ ...message, attempts: "1" }, constant({ delayMs: 5, maxAttempts: 9 }), { ok: false, status: 503 }),
    TypeError,
  );
});
