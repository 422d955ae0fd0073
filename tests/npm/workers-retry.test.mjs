// `/workers` on a platform made up: what no test on workerd can wait for, or bring about.
import assert from "node:assert/strict";
import { test } from "node:test";
import { constant, exponential } from "retry-primitives-wasm/backoff";
import { judgeFetch, OPERATION_KEY, PAYLOAD_KEY, reportFetch } from "retry-primitives-wasm/workers";
import { Platform } from "./support/object-platform.mjs";

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
