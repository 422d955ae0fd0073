// `/workers` on a platform made up: what no test on workerd can wait for, or bring about.
import assert from "node:assert/strict";
import { test } from "node:test";
import { constant, exponential } from "retry-primitives-wasm/backoff";
import { consecutiveBreaker, rollingBreaker } from "retry-primitives-wasm/breaker";
import {
  BreakerObject,
  DurableRetry,
  judgeFetch,
  KvBreaker,
  ObjectBreaker,
  OPERATION_KEY,
  PAYLOAD_KEY,
  reportFetch,
  settle,
} from "retry-primitives-wasm/workers";

const EPOCH = 1_758_124_800_000;

/** A Durable Object's storage, and its clock. What is written between two turns of the loop commits together. */
class Platform {
  now = EPOCH;
  stored = new Map();
  armed = null;
  /** Of each turn in which something was written, the keys. */
  turns = [];
  #turn;

  clock = () => this.now;
  storage = {
    get: async (key) => structuredClone(this.stored.get(key)),
    put: async (key, value) => {
      const copy = structuredClone(value);
      this.#wrote(key);
      this.stored.set(key, copy);
    },
    delete: async (key) => {
      this.#wrote(key);
      return this.stored.delete(key);
    },
    list: async ({ prefix }) => new Map([...this.stored].filter(([key]) => key.startsWith(prefix)).sort()),
    getAlarm: async () => this.armed,
    setAlarm: async (moment) => {
      assert.ok(moment > this.now, "an alarm of the past");
      this.#wrote("alarm");
      this.armed = moment;
    },
    deleteAlarm: async () => {
      this.#wrote("alarm");
      this.armed = null;
    },
  };

  #wrote(key) {
    if (!this.#turn) {
      this.turns.push((this.#turn = []));
      queueMicrotask(() => (this.#turn = undefined));
    }
    this.#turn.push(key);
  }

  retry(policy, options) {
    return new DurableRetry(this, policy, { now: this.clock, ...options });
  }

  get operation() {
    return this.stored.get(OPERATION_KEY);
  }

  /** The clock goes on to the alarm, which fires. */
  async fire(handler) {
    assert.notEqual(this.armed, null, "no alarm is armed");
    this.now = Math.max(this.now, this.armed);
    this.armed = null;
    return handler();
  }
}

const quick = constant({ delayMs: 1_000, maxAttempts: 100, jitter: "none" });
const failed = () => ({ ok: false, status: 503 });

test("state, alarm and payload are written in one turn, and before the attempt", async () => {
  const platform = new Platform();
  const retry = platform.retry(quick);
  await retry.start("the payload");
  assert.deepEqual(
    platform.turns.map((keys) => keys.sort()),
    [["alarm", PAYLOAD_KEY, OPERATION_KEY].sort()],
  );
  await platform.fire(() =>
    retry.onAlarm(({ number, payload, timeoutMs }) => {
      assert.deepEqual([number, payload, timeoutMs], [1, "the payload", 10_000]);
      assert.equal(platform.operation.phase.status, "running");
      assert.equal(platform.armed, platform.operation.phase.until);
      assert.equal(platform.armed, platform.now + 10_000 + 5_000);
      return { ok: true };
    }),
  );
  for (const keys of platform.turns) assert.ok(keys.includes("alarm") && keys.includes(OPERATION_KEY), String(keys));
  assert.deepEqual(
    [platform.operation.phase.status, platform.armed, platform.stored.has(PAYLOAD_KEY)],
    ["delivered", null, false],
  );
});

test("case 23: after eight failing alarm runs the ninth is armed, whatever the attempt does", async () => {
  const attempts = {
    fails: failed,
    throws: () => {
      throw new Error("at once");
    },
    rejects: async () => {
      await null;
      throw new Error("later");
    },
    "throws what is no error": () => {
      throw Object.create(null);
    },
    "gives nothing": () => undefined,
    "gives another thing": async () => "done",
    "gives a getter that throws": () => ({
      get ok() {
        throw new Error("ok");
      },
    }),
    "gives junk in every field": () => ({ ok: false, outcome: { retryAfterMs: "soon" }, status: -5, error: 7 }),
  };
  for (const [name, attempt] of Object.entries(attempts)) {
    const platform = new Platform();
    const retry = platform.retry(quick);
    await retry.start("payload");
    for (let run = 1; run <= 8; run++) {
      const operation = await platform.fire(() => retry.onAlarm(attempt));
      assert.equal(operation.phase.status, "waiting", `${name}, run ${run}`);
      assert.equal(operation.state.attempts, run, name);
      assert.equal(platform.armed, operation.phase.due, name);
      assert.deepEqual(await platform.retry(quick).operation(), operation, `${name} reads back`);
    }
  }
});

test("an attempt that never ends is aborted at its timeout, and one that ended has its signal fired", async () => {
  const platform = new Platform();
  const retry = platform.retry(quick, { requestTimeoutMs: 20 });
  await retry.start("payload");
  const signals = [];
  const hang = ({ signal }) => {
    signals.push(signal);
    return new Promise(() => {});
  };
  const { history } = await platform.fire(() => retry.onAlarm(hang));
  assert.equal(history[0].error, "no answer within 20 ms");
  await platform.fire(() =>
    retry.onAlarm(({ signal }) => {
      signals.push(signal);
      assert.ok(!signal.aborted);
      return { ok: true };
    }),
  );
  assert.ok(signals.every(({ aborted }) => aborted));
});

test("what happened while the request was out counts", async () => {
  for (const act of ["cancel", "clear"]) {
    const platform = new Platform();
    const retry = platform.retry(quick);
    await retry.start("payload");
    const operation = await platform.fire(() =>
      retry.onAlarm(async () => {
        await platform.retry(quick)[act]();
        return { ok: true };
      }),
    );
    assert.equal(operation?.phase.status, act === "cancel" ? "cancelled" : undefined);
    assert.equal(platform.armed, null);
  }
});

test("a policy that fails gives the operation up, and says so", async () => {
  const answers = [
    () => {
      throw new Error("the policy");
    },
    () => undefined,
    (state) => ({ state, decision: { retry: true, delayMs: NaN, attempts: 1 } }),
    (state) => ({ state, decision: { retry: true, delayMs: -1, attempts: 1 } }),
    (state) => ({ state: { ...state, attempts: 0.5 }, decision: { retry: true, delayMs: 5, attempts: 1 } }),
    (state) => ({ state, decision: { retry: false, reason: "tired", attempts: 1 } }),
  ];
  for (const next of answers) {
    const platform = new Platform();
    const retry = platform.retry({ ...quick, next });
    await retry.start("payload");
    const { phase, history } = await platform.fire(() => retry.onAlarm(() => ({ ok: false, error: "no answer" })));
    assert.deepEqual([phase.status, phase.reason, phase.attempts], ["gaveUp", "nonRetryable", 1]);
    assert.equal(history[0].error, "the policy failed, after: no answer");
    assert.ok(platform.stored.has(PAYLOAD_KEY), "kept for a person to look into");
  }
});

test("a payload that can't be stored leaves nothing behind", async () => {
  const platform = new Platform();
  const retry = platform.retry(quick);
  await assert.rejects(
    retry.start(() => {}),
    { name: "DataCloneError" },
  );
  await assert.rejects(retry.start(undefined), TypeError);
  assert.deepEqual([platform.stored.size, platform.armed], [0, null]);
  assert.equal((await retry.start("a payload")).phase.status, "waiting");
});

test("options out of range are named", () => {
  for (const requestTimeoutMs of [0, 600_001, NaN, "5", null]) {
    assert.throws(() => new Platform().retry(quick, { requestTimeoutMs }), /^\w*Error: requestTimeoutMs must be/);
  }
});

/** A shared breaker that does as it is told, and notes what is reported. */
const scripted = (...admissions) => {
  const reports = [];
  return {
    reports,
    request: async (name) => {
      const admission = admissions.shift() ?? { ok: true, retryAfterMs: 0 };
      if (admission instanceof Error) throw admission;
      return { name, ...admission };
    },
    report: async (_, result) => void reports.push(result),
  };
};

test("behind a breaker that refuses an operation waits for its moment, up to a tenth longer, and spends nothing", async () => {
  for (const [draw, waits] of [
    [0, 30_000],
    [0.5, 31_500],
    [1, 33_000],
  ]) {
    const platform = new Platform();
    const retry = platform.retry(quick, { random: () => draw });
    await retry.start("payload");
    const breaker = scripted({ ok: false, retryAfterMs: 30_000 });
    const behind = () => retry.onAlarmBehind({ breaker, name: "host" }, () => assert.fail("an attempt"));
    const { phase, state, history } = await platform.fire(behind);
    assert.deepEqual([phase, state.attempts, history], [{ status: "waiting", due: platform.now + waits }, 0, []]);
    assert.equal(platform.armed, phase.due);
    assert.deepEqual(breaker.reports, []);
  }
});

test("behind a breaker: the outcome is reported, and nothing where no attempt was made", async () => {
  const cases = [
    [() => ({ ok: true, status: 204 }), "success"],
    [failed, "failure"],
    [() => ({ ok: false, status: 404, outcome: { retryable: false } }), "success"],
    [() => Promise.reject(new Error("no connection")), "failure"],
    [() => new Promise(() => {}), "failure"],
  ];
  for (const [attempt, result] of cases) {
    const platform = new Platform();
    const retry = platform.retry(quick, { requestTimeoutMs: 20 });
    await retry.start("payload");
    const breaker = scripted();
    await platform.fire(() => retry.onAlarmBehind({ breaker, name: "host" }, attempt));
    assert.deepEqual(breaker.reports, [result]);
    assert.equal(platform.operation.history.length, 1);
  }
  const platform = new Platform();
  const retry = platform.retry(quick);
  await retry.start("payload");
  const breaker = scripted();
  platform.stored.delete(PAYLOAD_KEY);
  await platform.fire(() => retry.onAlarmBehind({ breaker, name: "host" }, () => assert.fail("an attempt")));
  assert.deepEqual(breaker.reports, ["ignored"]);
});

test("a breaker or a judge that throws stops no delivery", async () => {
  const platform = new Platform();
  const retry = platform.retry(quick);
  await retry.start("payload");
  const judge = () => {
    throw new Error("a judge");
  };
  const breaker = scripted(new Error("a breaker"));
  await platform.fire(() => retry.onAlarmBehind({ breaker, name: "host" }, failed));
  const { phase } = await platform.fire(() =>
    retry.onAlarmBehind({ breaker, name: "host", judge }, () => ({ ok: true })),
  );
  assert.equal(phase.status, "delivered");
  assert.deepEqual(breaker.reports, ["ignored"]);
});

test("a deadline holds while a breaker refuses", async () => {
  const platform = new Platform();
  const retry = platform.retry(exponential({ baseMs: 5, deadlineMs: 60_000 }));
  await retry.start("payload");
  const breaker = scripted({ ok: false, retryAfterMs: 60_000 });
  const { phase } = await platform.fire(() => retry.onAlarmBehind({ breaker, name: "host" }, failed));
  assert.deepEqual([phase.status, phase.reason, phase.attempts, platform.armed], ["gaveUp", "deadline", 0, null]);
});

test("what HTTP says of a host", () => {
  for (const status of [408, 429, 500, 501, 503, 504, 599]) assert.equal(judgeFetch({ ok: false, status }), "failure");
  for (const status of [200, 204, 302, 400, 401, 404, 410, 425]) {
    assert.equal(judgeFetch({ ok: false, status }), "success", status);
  }
  assert.deepEqual([judgeFetch({ ok: true }), judgeFetch({ ok: false })], ["success", "failure"]);
});

test("reportFetch: what an answer says of the attempt", async () => {
  const headers = new Headers({ "retry-after": "7" });
  assert.deepEqual(await reportFetch(new Response(null, { status: 204 })), { ok: true, status: 204 });
  assert.deepEqual(await reportFetch(Promise.resolve({ status: 503, headers })), {
    ok: false,
    outcome: { retryable: true, retryAfterMs: 7_000 },
    status: 503,
  });
  assert.deepEqual(await reportFetch({ status: 500 }, { method: "POST" }), {
    ok: false,
    outcome: { retryable: false },
    status: 500,
  });
  assert.deepEqual(await reportFetch(Promise.reject(new TypeError("Invalid URL: http://a:SECRET@b"))), {
    ok: false,
    error: "TypeError: Invalid URL: ...",
  });
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
  const settled = settle(message, constant({ delayMs: 9e9, maxDelayMs: Infinity, maxAttempts: 3 }), failed());
  assert.equal(settled.status, "retrying");
  assert.ok(delays[0] <= 86_400);
  assert.throws(() => settle({ ...message, attempts: "1" }, quick, failed()), TypeError);
});

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
