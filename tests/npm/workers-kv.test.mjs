// `/workers`: the KV breaker on a platform made up: what no test on workerd can wait for, or bring about.
import assert from "node:assert/strict";
import { test } from "node:test";
import { consecutiveBreaker, rollingBreaker } from "retry-primitives-wasm/breaker";
import { KvBreaker } from "retry-primitives-wasm/workers";

const EPOCH = 1_758_124_800_000;

/** A KV namespace by its doings, and what outlives a request. */
function store(t, now) {
  const kv = { value: null, reads: [], puts: [], fails: false };
  kv.get = async (key, options) => {
    kv.reads.push({ at: now(), key, options });
    if (kv.fails) throw new Error("KV GET failed: 429");
    return kv.value;
  };
  kv.put = async (key, value, options) => {
    kv.puts.push({ at: now(), key, value, options });
    if (kv.fails) throw new Error("KV PUT failed: 429");
    kv.value = value;
  };
  kv.list = async () => ({ keys: [] });
  return kv;
}

let bindings = 0;

/** A breaker on that store in an isolate of its own, whose clock is the timers'. */
function isolate(kv, breaker, options) {
  // What an isolate remembers goes by the binding's name.
  const name = `KV ${bindings++}`;
  return new KvBreaker({ [name]: kv }, name, breaker, { waitUntil: () => {} }, options);
}

/** Lets everything that is due run, timers and promises. */
async function pass(t, ms) {
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  await settle();
  t.mock.timers.tick(ms);
  await settle();
}

const call = async (breaker, result) => {
  const admission = await breaker.request("host");
  if (admission.ok) await breaker.report(admission, result);
  return admission;
};

test("KV: one read in 30 s, no write while healthy, at most one write a second in a storm", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: EPOCH });
  const kv = store(t, () => Date.now());
  const healthy = isolate(kv, consecutiveBreaker({ failureThreshold: 1, openMs: 5 }));
  for (let step = 0; step < 1_000; step++) {
    await call(healthy, "success");
    await pass(t, 100);
  }
  assert.deepEqual(
    kv.reads.map(({ at }) => at - EPOCH),
    [0, 30_000, 60_000, 90_000],
  );
  assert.deepEqual(kv.reads[0].options, { type: "text", cacheTtl: 30 });
  assert.equal(kv.reads[0].key, "breaker:host");
  assert.equal(kv.puts.length, 0);

  const stormy = isolate(kv, consecutiveBreaker({ failureThreshold: 1, openMs: 5 }));
  for (let step = 0; step < 1_000; step++) {
    await call(stormy, "failure");
    await pass(t, 10);
  }
  const gaps = kv.puts.slice(1).map(({ at }, index) => at - kv.puts[index].at);
  assert.ok(kv.puts.length >= 9 && kv.puts.length <= 11, `${kv.puts.length} writes in 10 s`);
  assert.ok(Math.min(...gaps) >= 1_000);
});

test("case 25: writes that KV refuses come again with the next calls, ever more rarely, and are reported once", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: EPOCH });
  const errors = t.mock.method(console, "error", () => {});
  const kv = store(t, () => Date.now());
  kv.fails = true;
  const breaker = isolate(kv, consecutiveBreaker({ failureThreshold: 1, openMs: 3_600_000 }));
  for (let step = 0; step < 600; step++) {
    await call(breaker, "failure");
    await pass(t, 250);
  }
  const gaps = kv.puts.slice(1).map(({ at }, index) => at - kv.puts[index].at);
  assert.deepEqual(gaps.slice(0, 5), [2_000, 4_000, 8_000, 16_000, 32_000]);
  const said = errors.mock.calls.map(({ arguments: [text] }) => text);
  assert.equal(said.filter((text) => /a write failed: KV PUT failed: 429/.test(text)).length, 1);
  assert.equal(said.filter((text) => /a read failed: KV GET failed: 429/.test(text)).length, 1);
  assert.equal(said.length, 2);
  // By hand, one is told.
  await assert.rejects(breaker.force("host", "close"), /KV/);
  assert.equal((await breaker.peek("host")).status, "closed");
});

test("case 26: the key lives a minute at least, and longer than the opening", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: EPOCH });
  for (const [openMs, keepMs, expirationTtl] of [
    [5_000, 0, 65],
    [5_000, undefined, 86_400],
    [7_200_000, 60_000, 7_260],
  ]) {
    const kv = store(t, () => Date.now());
    const breaker = isolate(
      kv,
      consecutiveBreaker({ failureThreshold: 1, openMs }),
      keepMs === undefined ? {} : { keepMs },
    );
    await call(breaker, "failure");
    await pass(t, 1);
    const [{ value, options }] = kv.puts;
    const state = { status: "open", changedAt: Date.now() - 1, probes: 0, successes: 0, failures: 1 };
    assert.deepEqual(JSON.parse(value), state);
    assert.deepEqual(options, { expirationTtl, metadata: state });
  }
});

test("KV: what one isolate learns of another is joined, for both kinds of breaker", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: EPOCH });
  const kinds = [
    consecutiveBreaker({ failureThreshold: 2, openMs: 60_000.5 }),
    rollingBreaker({
      windowMs: 10_000,
      minimumThroughput: 2,
      openMs: 60_000,
      openGrowth: { curve: "linear", maxOpenMs: 90_000 },
    }),
  ];
  for (const kind of kinds) {
    const kv = store(t, () => Date.now());
    const [one, other] = [isolate(kv, kind), isolate(kv, kind)];
    assert.equal((await call(other, "success")).ok, true);
    await call(one, "failure");
    await call(one, "failure");
    await pass(t, 1);
    assert.equal((await one.request("host")).ok, false);
    assert.equal((await call(other, "failure")).ok, true, "what it knows is younger than 30 s");
    await pass(t, 30_000);
    const { ok, status } = await other.request("host");
    assert.deepEqual([ok, status], [false, "open"]);
    // An isolate that starts now reads before its first answer; then its trial closes the breaker for all.
    await pass(t, 30_001);
    const late = isolate(kv, kind);
    assert.equal((await call(late, "success")).status, "halfOpen");
    await pass(t, 1_000);
    assert.equal((await call(late, "success")).status, "closed");
    await pass(t, 30_000);
    assert.equal((await other.request("host")).status, "closed");
    // Successes are not written: the ledger stays where it was counted.
    const state = JSON.parse(kv.value);
    assert.equal(state.status, "closed");
    assert.deepEqual([state.failures ?? state.currFail, state.successes], [0, 1]);
  }
});

test("KV: junk and states of another time are passed over, and reported once", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: EPOCH });
  const breaker = consecutiveBreaker({ failureThreshold: 1, openMs: 60_000 });
  const open = { status: "open", changedAt: EPOCH, probes: 0, successes: 0, failures: 1 };
  for (const [value, problem] of [
    ["{", /JSON/],
    ["null", /state.status cannot be undefined/],
    ['"text"', /state.status cannot be/],
    [JSON.stringify({ ...open, changedAt: EPOCH + 36_000_000 }), /changedAt is far ahead of the clock/],
    [JSON.stringify({ ...open, probes: -1 }), /state.probes cannot be -1/],
  ]) {
    const errors = t.mock.method(console, "error", () => {});
    const kv = store(t, () => Date.now());
    kv.value = value;
    const reading = isolate(kv, breaker);
    for (let step = 0; step < 3; step++) {
      assert.equal((await call(reading, "success")).ok, true, value);
      await pass(t, 30_000);
    }
    assert.equal(errors.mock.calls.length, 1, value);
    assert.match(errors.mock.calls[0].arguments[0], /junk in the value/);
    assert.match(errors.mock.calls[0].arguments[0], problem);
    errors.mock.restore();
  }
  const kv = store(t, () => Date.now());
  kv.value = JSON.stringify({ ...open, changedAt: Date.now(), later: "versions" });
  assert.equal((await isolate(kv, breaker).request("host")).ok, false);
});

test("KV: neither a rejection without words nor a context that is gone reaches a request", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: EPOCH });
  const errors = t.mock.method(console, "error", () => {});
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const [index, thrown] of [Object.create(null), proxy, undefined, Symbol("thrown")].entries()) {
    const kv = {
      get: () => Promise.reject(thrown),
      put: () => Promise.reject(thrown),
      list: async () => ({ keys: [] }),
    };
    const name = `wordless ${index}`;
    const waitUntil = () => {
      throw new Error("the context is gone");
    };
    const breaker = new KvBreaker({ [name]: kv }, name, consecutiveBreaker({ failureThreshold: 1, openMs: 60_000 }), {
      waitUntil,
    });
    const admission = await breaker.request("host");
    assert.equal(admission.ok, true);
    assert.equal(await breaker.report(admission, "failure"), "counted");
    assert.equal((await breaker.request("host")).ok, false);
    await pass(t, 1);
    // The read, the write, and the context that would have kept the isolate for it.
    assert.equal(errors.mock.calls.length, 3 * (index + 1));
  }
});
