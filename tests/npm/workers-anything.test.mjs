// `/workers`: what callers, policies and stores of any making bring, and calls that come at once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { constant } from "retry-primitives-wasm/backoff";
import { consecutiveBreaker } from "retry-primitives-wasm/breaker";
import * as workers from "retry-primitives-wasm/workers";
import { EPOCH, Platform } from "./support/object-platform.mjs";

const { BreakerObject, DurableRetry, KvBreaker, ObjectBreaker, OPERATION_KEY, PAYLOAD_KEY } = workers;
const quick = constant({ delayMs: 1_000, maxAttempts: 100, jitter: "none" });
const breaker = consecutiveBreaker({ failureThreshold: 1, openMs: 5_000 });
const boom = () => {
  throw new Error("boom");
};
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const throwing = (field, rest) => Object.defineProperty({ ...rest }, field, { get: boom, enumerable: true });

test("no report of a failure, whatever is wrong with it, escapes alarm(): it is a failed attempt", async () => {
  const reports = {
    "status throws": throwing("status", { ok: false }),
    "error throws": throwing("error", { ok: false }),
    "outcome throws": throwing("outcome", { ok: false }),
    "retryAfterMs throws": { ok: false, outcome: throwing("retryAfterMs") },
    "retryable throws": { ok: false, outcome: throwing("retryable") },
    "retryAfterMs a BigInt": { ok: false, outcome: { retryAfterMs: 5n } },
    "status a BigInt": { ok: false, status: 503n },
    "an error without words": { ok: false, error: Object.create(null) },
    "a revoked error": { ok: false, error: revoked() },
    "ok is no boolean": { ok: "yes" },
    "no object": 5,
  };
  for (const [name, report] of Object.entries(reports)) {
    const platform = new Platform();
    const retry = platform.retry(quick);
    await retry.start("payload");
    const { phase, state, history } = await platform.fire(() => retry.onAlarm(() => report));
    assert.deepEqual([phase.status, state.attempts, history.length], ["waiting", 1, 1], name);
    assert.equal(platform.armed, phase.due, name);
  }
});

test("a delivery counts whatever its report says besides", async () => {
  for (const field of ["status", "error", "outcome"]) {
    const platform = new Platform();
    const retry = platform.retry(quick);
    await retry.start("payload");
    const { phase } = await platform.fire(() => retry.onAlarm(() => throwing(field, { ok: true })));
    assert.equal(phase.status, "delivered", field);
  }
});

test("an error that is no text is told in words, without its url", async () => {
  const platform = new Platform();
  const retry = platform.retry(quick);
  await retry.start("payload");
  const { history } = await platform.fire(() =>
    retry.onAlarm(() => ({ ok: false, error: new Error("no route to https://user:SECRET@host/") })),
  );
  assert.equal(history[0].error, "Error: no route to ...");
});

test("a policy that fails, with an error that has no words, gives up", async () => {
  const platform = new Platform();
  const retry = platform.retry({ ...quick, next: boom });
  await retry.start("payload");
  const report = { ok: false, error: Object.create(null) };
  const { phase, history } = await platform.fire(() => retry.onAlarm(() => report));
  assert.equal(phase.status, "gaveUp");
  assert.match(history[0].error, /^the policy failed, after: /);
});

test("a stored operation that is junk starts over even where the policy can't begin, and says what it was", async () => {
  for (const init of [boom, () => undefined, () => ({ attempts: -1 })]) {
    const platform = new Platform();
    platform.stored.set(OPERATION_KEY, 5).set(PAYLOAD_KEY, "payload");
    platform.armed = platform.now + 1;
    const retry = platform.retry({ ...quick, init });
    await platform.fire(() => retry.onAlarm(() => ({ ok: false })));
    assert.equal(platform.operation.recovered, "the stored state was unreadable: operation cannot be 5");
    assert.notEqual(platform.armed, null);
  }
  const fresh = new Platform();
  await assert.rejects(fresh.retry({ ...quick, init: boom }).start("payload"), /boom/);
  assert.equal(fresh.stored.size, 0);
});

test("behind a breaker that throws at once, or answers junk, an operation goes on", async () => {
  const breakers = [
    { request: boom, report: boom },
    { request: () => undefined, report: boom },
    { request: () => ({ ok: true }), report: boom },
  ];
  for (const breaker of breakers) {
    const platform = new Platform();
    const retry = platform.retry(quick);
    await retry.start("payload");
    const behind = () => retry.onAlarmBehind({ breaker, name: "host" }, () => ({ ok: true }));
    assert.equal((await platform.fire(behind)).phase.status, "delivered");
  }
  for (const retryAfterMs of [undefined, NaN, 5n, "5"]) {
    const platform = new Platform();
    const retry = platform.retry(quick);
    await retry.start("payload");
    const breaker = { request: async () => ({ ok: false, retryAfterMs }), report: boom };
    const { phase } = await platform.fire(() => retry.onAlarmBehind({ breaker, name: "host" }, boom));
    assert.equal(phase.status, "waiting");
  }
});

/** A platform on which a payload `"too big"` is refused, some turns after it was written. */
const refusing = () => {
  const platform = new Platform();
  const { put } = platform.storage;
  platform.storage.put = async (key, value) => {
    if (value === "too big") {
      for (let turn = 0; turn < 20; turn++) await null;
      throw new Error("too big");
    }
    return put(key, value);
  };
  return platform;
};

test("two starts at once: one operation, and the payload of the start that began it", async () => {
  const platform = new Platform();
  const [one, two] = await Promise.all([platform.retry(quick).start("first"), platform.retry(quick).start("second")]);
  assert.deepEqual(two, one);
  assert.equal(platform.stored.get(PAYLOAD_KEY), "first");
});

test("a start that fails takes nothing of another with it", async () => {
  const platform = refusing();
  const failing = platform.retry(quick).start("too big");
  const good = platform.retry(quick).start("fine");
  await assert.rejects(failing, /too big/);
  const operation = await good;
  assert.equal(operation.phase.status, "waiting");
  assert.deepEqual(platform.operation, operation);
  assert.deepEqual([platform.stored.get(PAYLOAD_KEY), platform.armed], ["fine", operation.phase.due]);
});

test("a start that fails leaves what became of its operation meanwhile", async () => {
  const platform = refusing();
  const failing = platform.retry(quick).start("too big");
  for (let turn = 0; turn < 10; turn++) await null;
  assert.equal((await platform.retry(quick).cancel()).phase.status, "cancelled");
  await assert.rejects(failing, /too big/);
  assert.equal(platform.operation.phase.status, "cancelled");
});

test("a start that fails over an operation that can't be read leaves that one's payload, and starts it over", async () => {
  const platform = refusing();
  platform.stored.set(OPERATION_KEY, 5).set(PAYLOAD_KEY, "old");
  await assert.rejects(platform.retry(quick).start("too big"), /too big/);
  const payloads = [];
  await platform.fire(() => platform.retry(quick).onAlarm(({ payload }) => ({ ok: payloads.push(payload) > 0 })));
  assert.deepEqual([payloads, platform.operation.phase.status], [["old"], "delivered"]);
});

test("constructors name what they can't work with", () => {
  const platform = new Platform();
  const kv = { get: boom, put: boom, list: boom };
  const background = { waitUntil: boom };
  const cases = [
    [/^state\.storage\.get must be a function, got undefined/, () => new DurableRetry(undefined, quick)],
    [/^policy\.init must be a function/, () => new DurableRetry(platform, undefined)],
    [/^policy\.next must be a function/, () => new DurableRetry(platform, { init: boom })],
    [/^options must be an object, got null/, () => new DurableRetry(platform, quick, null)],
    [/^now must be a function, got 5/, () => new DurableRetry(platform, quick, { now: 5 })],
    [/^random must be a function, got null/, () => new DurableRetry(platform, quick, { random: null })],
    [/^background\.waitUntil must be a function/, () => new KvBreaker({ K: kv }, "K", breaker)],
    [/^breaker\.init must be a function/, () => new KvBreaker({ K: kv }, "K", undefined, background)],
    [/^options must be an object, got null/, () => new KvBreaker({ K: kv }, "K", breaker, background, null)],
    [/^now must be a function, got "5"/, () => new KvBreaker({ K: kv }, "K", breaker, background, { now: "5" })],
    [/^the binding K must be a function/, () => new KvBreaker(undefined, "K", breaker, background)],
    [/^the binding O must be a function/, () => new ObjectBreaker(null, "O")],
    [/^state\.storage\.get must be a function/, () => new BreakerObject({}, breaker)],
    [/^breaker\.report must be a function/, () => new BreakerObject(platform, { ...breaker, report: 5 })],
    [/^options must be an object, got 5/, () => new BreakerObject(platform, breaker, 5)],
  ];
  for (const [message, construct] of cases) assert.throws(construct, { name: "TypeError", message });
});

const message = (rest) => {
  const calls = [];
  const settlers = { ack: () => calls.push("ack"), retry: ({ delaySeconds }) => calls.push(delaySeconds) };
  return { id: "1", timestamp: new Date(EPOCH), attempts: 2, ...settlers, ...rest, calls };
};
const settle = (message, policy, report) => workers.settle(message, policy, report, { now: () => EPOCH + 5 });

test("a queue's message: a policy that can't decide gives up, and settles nothing", () => {
  const answers = [
    boom,
    () => undefined,
    (state) => ({ state, decision: { retry: true, delayMs: NaN, attempts: 2 } }),
    (state) => ({ state, decision: { retry: true, delayMs: -1, attempts: 2 } }),
    (state) => ({ state, decision: { retry: false, reason: "tired", attempts: 2 } }),
  ];
  for (const next of answers) {
    const given = message();
    const settled = settle(given, { ...quick, next }, { ok: false });
    assert.deepEqual(settled, { status: "gaveUp", reason: "nonRetryable", attempts: 2 });
    assert.deepEqual(given.calls, []);
  }
});

test("a queue's message: a report that says nothing is a failure, and no acknowledgement", () => {
  for (const report of [
    { ok: "no" },
    {},
    undefined,
    null,
    1,
    throwing("ok"),
    { ok: false, outcome: throwing("retryable") },
  ]) {
    const given = message();
    assert.deepEqual(settle(given, quick, report), { status: "retrying", delaySeconds: 1, attempts: 2 });
    assert.deepEqual(given.calls, [1]);
  }
  const given = message();
  assert.deepEqual(settle(given, quick, throwing("status", { ok: true })), { status: "acknowledged" });
  assert.deepEqual(given.calls, ["ack"]);
});

test("a queue's message: what is none is named", () => {
  const failed = { ok: false };
  for (const attempts of [1e300, -1, 1.5, NaN]) {
    assert.throws(() => settle(message({ attempts }), quick, failed), {
      name: "RangeError",
      message: /^message\.attempts/,
    });
  }
  for (const [rest, error] of [
    [{ attempts: "1" }, /^message\.attempts must be/],
    [{ timestamp: 5 }, /^message\.timestamp\.getTime must be a function/],
    [{ retry: undefined }, /^message\.retry must be a function/],
  ]) {
    assert.throws(() => settle(message(rest), quick, failed), { name: "TypeError", message: error });
  }
  const nowhen = message({ timestamp: new Date(NaN) });
  assert.throws(() => settle(nowhen, quick, failed), { message: /^message\.timestamp must be/ });
  assert.throws(() => settle(message(), undefined, failed), { message: /^policy\.init must be a function/ });
  assert.throws(() => workers.settle(message(), quick, failed, null), { message: /^options must be an object/ });
});

test("reportFetch names what is no answer", async () => {
  for (const [answer, shown] of [
    [undefined, "undefined"],
    [null, "undefined"],
    [{ status: "200" }, '"200"'],
  ]) {
    const error = { name: "TypeError", message: `response.status must be a number, got ${shown}` };
    await assert.rejects(workers.reportFetch(answer), error);
  }
  const busy = { status: 503 };
  await assert.rejects(workers.reportFetch(busy, null), { message: "options must be an object, got null" });
  await assert.rejects(workers.reportFetch(busy, { now: 5 }), { message: "now must be a function, got 5" });
});
