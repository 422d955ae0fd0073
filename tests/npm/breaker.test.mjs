// The reference's documented behaviour of the breakers, a test each.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CircuitOpenError,
  consecutiveBreaker,
  forceClose,
  forceOpen,
  isCircuitOpenError,
  rollingBreaker,
} from "retry-primitives-wasm/breaker";
import * as extended from "retry-primitives-wasm/breaker/extended";

const [plainOpen, plainClose] = [forceOpen, forceClose];
const options = { failureThreshold: 2, openMs: 1_000 };

test("trips after a run of failures; any success resets the count", () => {
  const breaker = consecutiveBreaker(options);
  let state = breaker.init(0);
  assert.deepEqual(state, { status: "closed", changedAt: 0, probes: 0, successes: 0, failures: 0 });
  state = breaker.succeed(breaker.fail(state, 1), 2);
  assert.equal(state.failures, 0);
  state = breaker.fail(breaker.fail(state, 3), 4);
  assert.equal(state.status, "open");
  assert.deepEqual(breaker.request(state, 504).verdict, { ok: false, status: "open", retryAfterMs: 500 });
  assert.equal(breaker.request(state, 504).state, state);
});

test("a probe after openMs; its success closes on an empty ledger, its failure opens", () => {
  const breaker = consecutiveBreaker(options);
  const open = breaker.fail(breaker.fail(breaker.init(0), 1), 1);
  const trial = breaker.request(open, 1_001);
  assert.deepEqual(trial.verdict, { ok: true, status: "halfOpen", retryAfterMs: 0 });
  assert.equal(trial.state.probes, 1);
  assert.equal(breaker.request(trial.state, 1_002).verdict.ok, false);
  const closed = breaker.succeed(trial.state, 1_010);
  assert.equal(closed.status, "closed");
  assert.equal(closed.failures, 0);
  assert.equal(breaker.fail(trial.state, 1_010).status, "open");
});

test("outcomes recorded while open are ignored, and so are those of another epoch", () => {
  const breaker = consecutiveBreaker(options);
  const open = breaker.fail(breaker.fail(breaker.init(0), 1), 1);
  assert.equal(breaker.succeed(open, 2), open);
  assert.equal(breaker.fail(open, 2), open);
  assert.deepEqual(breaker.report(open, 2, "success"), { state: open, reported: "stale" });
  const closed = breaker.succeed(breaker.request(open, 1_001).state, 1_010);
  assert.equal(breaker.fail(closed, 1_020, { epoch: 0 }), closed);
  assert.equal(breaker.report(closed, 1_020, "failure", { epoch: closed.changedAt }).reported, "counted");
});

test("a stranded trial is renewed after halfOpenMs", () => {
  const breaker = consecutiveBreaker({ ...options, halfOpenMs: 300 });
  const open = breaker.fail(breaker.fail(breaker.init(0), 1), 1);
  const { state } = breaker.request(open, 1_001);
  assert.deepEqual(breaker.peek(state, 1_101), { ok: false, status: "halfOpen", retryAfterMs: 200 });
  assert.equal(breaker.request(state, 1_301).verdict.ok, true);
});

test("several probes, and fewer successes to close", () => {
  const breaker = consecutiveBreaker({ ...options, halfOpenProbes: 3, successThreshold: 2 });
  let state = breaker.fail(breaker.fail(breaker.init(0), 1), 1);
  for (let probe = 1; probe <= 3; probe++) {
    const answer = breaker.request(state, 1_001);
    assert.ok(answer.verdict.ok);
    state = answer.state;
  }
  assert.equal(breaker.request(state, 1_001).verdict.ok, false);
  state = breaker.ignore(state, 1_002);
  assert.equal(state.probes, 2);
  state = breaker.succeed(breaker.succeed(state, 1_003), 1_003);
  assert.equal(state.status, "closed");
});

test("rolling: the failure ratio over a trailing window, above a minimum of calls", () => {
  const breaker = rollingBreaker({ windowMs: 10_000, openMs: 1_000, minimumThroughput: 4 });
  let state = breaker.init(0);
  state = breaker.fail(state, 1);
  assert.equal(state.status, "closed");
  state = breaker.fail(breaker.succeed(breaker.succeed(state, 1), 1), 1);
  assert.equal(state.status, "open");
  assert.deepEqual(Object.keys(breaker.init(0)), [
    "status",
    "changedAt",
    "probes",
    "successes",
    "start",
    "prevOk",
    "prevFail",
    "currOk",
    "currFail",
  ]);
});

test("rolling: an idle hour empties the window", () => {
  const breaker = rollingBreaker({ windowMs: 30_000, openMs: 1_000, minimumThroughput: 1_000 });
  let state = breaker.init(0);
  for (let call = 0; call < 100; call++) state = breaker.fail(state, 0);
  for (let call = 0; call < 50; call++) state = breaker.succeed(state, 3_600_000);
  state = breaker.fail(state, 3_600_000);
  assert.deepEqual([state.prevFail, state.currOk, state.currFail, state.status], [0, 50, 1, "closed"]);
});

test("the state is JSON, never mutated, and one that did not change is the same object", () => {
  const breaker = rollingBreaker({ windowMs: 1_000, openMs: 1_000, minimumThroughput: 1 });
  const state = Object.freeze(breaker.init(0));
  assert.deepEqual(breaker.fail(JSON.parse(JSON.stringify(state)), 5), breaker.fail(state, 5));
  const consecutive = consecutiveBreaker(options);
  const closed = Object.freeze(consecutive.init(0));
  assert.equal(consecutive.request(closed, 1).state, closed);
  assert.equal(consecutive.succeed(closed, 1), closed);
});

test("forceOpen and forceClose keep what they do not know, and forceClose keeps the ledger", () => {
  const breaker = consecutiveBreaker(options);
  const failing = Object.freeze({ ...breaker.fail(breaker.init(0), 1), mine: "kept" });
  const open = forceOpen(failing, 5);
  assert.deepEqual([open.status, open.changedAt, open.mine, open.failures], ["open", 5, "kept", 1]);
  assert.equal(breaker.request(open, 6).verdict.ok, false);
  const closed = forceClose(open, 7);
  assert.equal(closed.status, "closed");
  assert.equal(breaker.fail(closed, 8).status, "open");
  assert.equal(forceClose(failing, 9).failures, 1);
  assert.throws(() => forceOpen({ status: "ajar" }, 0), { name: "StateError", field: "status" });
});

test("forceOpen and forceClose work with a breaker of one's own, and name what its state lacks", () => {
  for (const { forceOpen, forceClose } of [{ forceOpen: plainOpen, forceClose: plainClose }, extended]) {
    const state = Object.freeze({ status: "closed", changedAt: 1, seen: [7] });
    const open = { status: "open", changedAt: 5, seen: [7], probes: 0, successes: 0 };
    assert.deepEqual(forceOpen(state, 5), open);
    const { status, changedAt, seen } = forceClose(open, 9);
    assert.deepEqual([status, changedAt, seen], ["closed", 9, [7]]);
    for (const lacking of [undefined, null, {}, { failures: 1 }]) {
      assert.throws(() => forceOpen(lacking, 5), { name: "StateError", field: "status" });
    }
    assert.throws(() => forceOpen({ status: "closed" }, 5), { name: "StateError", field: "changedAt" });
    assert.throws(() => forceOpen({ ...open, probes: -1 }, 5), { name: "StateError", field: "probes" });
  }
});

test("a growing open time, which the state remembers until a trial closes the breaker", () => {
  const openGrowth = { curve: "exponential", maxOpenMs: 3_000 };
  const breaker = extended.consecutiveBreaker({ failureThreshold: 1, openMs: 1_000, openGrowth });
  let state = breaker.init(0);
  let now = 0;
  for (const lasts of [1_000, 2_000, 3_000, 3_000]) {
    state = breaker.fail(state, now);
    assert.equal(breaker.peek(state, now).retryAfterMs, lasts);
    now += lasts;
    state = breaker.request(state, now).state;
  }
  const closed = breaker.succeed(state, now);
  assert.ok(!("openings" in closed) && !("openForMs" in closed));
  const growing = breaker.fail(state, now);
  assert.equal(growing.openings, 5);
  assert.ok(!("openForMs" in forceClose(growing, now + 1)));
  assert.ok(!("openForMs" in extended.forceOpen(growing, now + 1)));
  for (const [bad, named] of [
    [null, "openGrowth"],
    [5, "openGrowth"],
    ["exponential", "openGrowth"],
    [false, "openGrowth"],
    [{}, "curve"],
    [{ curve: "cubic", maxOpenMs: 9_000 }, "curve"],
    [{ curve: "none", maxOpenMs: 9_000 }, "curve"],
    [{ curve: "linear" }, "maxOpenMs"],
    [{ curve: "linear", maxOpenMs: 9 }, "maxOpenMs"],
  ]) {
    const make = () => extended.consecutiveBreaker({ ...options, openGrowth: bad });
    assert.throws(make, new RegExp(`^(Range|Type)Error: ${named} must be `));
  }
});

test("every curve of the open time is the one of its name", () => {
  const third = (curve) => {
    const openGrowth = { curve, factor: 3, maxOpenMs: 900_000 };
    const make = extended.consecutiveBreaker;
    const breaker = make({ failureThreshold: 1, openMs: 1_000, openGrowth, random: () => 1 });
    let state = breaker.fail(breaker.init(0), 0);
    for (const now of [100_000, 200_000]) state = breaker.fail(breaker.request(state, now).state, now);
    return breaker.peek(state, 200_000).retryAfterMs;
  };
  assert.deepEqual([third("linear"), third("fibonacci"), third("exponential")], [3_000, 2_000, 9_000]);
  assert.equal(third("decorrelatedJitter"), 27_000);
});

test("isCircuitOpenError knows one of any copy of the package", () => {
  const error = new CircuitOpenError({ ok: false, status: "open", retryAfterMs: 40 });
  assert.ok(error instanceof Error);
  assert.deepEqual([error.name, error.retryAfterMs, error.status], ["CircuitOpenError", 40, "open"]);
  assert.ok(isCircuitOpenError(error));
  assert.ok(isCircuitOpenError(Object.assign(new Error("x"), { name: "CircuitOpenError", retryAfterMs: 1 })));
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const silent = {
    get name() {
      throw new Error("no name");
    },
  };
  for (const other of [undefined, null, 5, "CircuitOpenError", new Error("x"), {}, proxy, silent])
    assert.ok(!isCircuitOpenError(other));
});

test("report refuses a result that is none", () => {
  const breaker = consecutiveBreaker(options);
  for (const result of [undefined, null, "ok", 1]) {
    assert.throws(() => breaker.report(breaker.init(0), 0, result), /^(Range|Type)Error: result must be success or/);
  }
});

// A state of a breaker with more options, found by one without: what Rust's breaker of the same options does.
test("fields of a breaker that has more options are kept, checked and forgotten as in the core", () => {
  const breaker = consecutiveBreaker({ ...options, failureThreshold: 9 });
  const stored = {
    status: "closed",
    changedAt: 0,
    probes: 0,
    successes: 1,
    failures: 1,
    openings: 3,
    openForMs: 5_000,
  };
  assert.deepEqual(breaker.fail(stored, 1), { ...stored, failures: 2 });
  assert.deepEqual(breaker.succeed(stored, 1), { ...stored, failures: 0 });
  const open = { ...stored, status: "open" };
  // An opening lasts `openMs`, whatever another breaker drew.
  assert.equal(breaker.peek(open, 0).retryAfterMs, 1_000);
  const trial = breaker.request(open, 1_000).state;
  assert.deepEqual(trial, { ...open, status: "halfOpen", changedAt: 1_000, probes: 1, successes: 0 });
  const reopened = { status: "open", changedAt: 1_500, probes: 0, successes: 0, failures: 1 };
  assert.deepEqual(breaker.fail(trial, 1_500), reopened);
  // The clock is 400 ms behind the epoch, so the opening counts from its own clock on.
  assert.equal(breaker.peek({ ...reopened, aheadMs: 400 }, 1_500).retryAfterMs, 600);
  for (const field of ["openings", "openForMs", "aheadMs"]) {
    assert.throws(() => breaker.peek({ ...open, [field]: -1 }, 0), { name: "StateError", field });
  }

  const rolling = rollingBreaker({ windowMs: 1_000, openMs: 1_000 });
  const window = { ...rolling.init(0), currOk: 4, currSlow: 3, prevSlow: 2 };
  assert.deepEqual(rolling.succeed(window, 1), { ...window, currOk: 5 });
  const { currSlow, ...moved } = { ...window, start: 1_000, prevOk: 4, prevSlow: 3, currOk: 1 };
  assert.equal(currSlow, 3);
  assert.deepEqual(rolling.succeed(window, 1_000), moved);
  assert.throws(() => rolling.peek({ ...window, prevSlow: 0.5 }, 0), { name: "StateError", field: "prevSlow" });
  // A consecutive breaker has no window: what lies there is not its own.
  const foreign = breaker.fail({ ...stored, prevSlow: "junk", start: "junk", currFail: 7 }, 1);
  assert.deepEqual(foreign, { ...stored, failures: 2 });
});

test("slow calls trip a rolling breaker, and make a probe fail", () => {
  const given = { windowMs: 1_000, openMs: 1_000, minimumThroughput: 2, slowCallMs: 100, slowRatio: 0.5 };
  const breaker = extended.rollingBreaker(given);
  let state = breaker.succeed(breaker.init(0), 1, { durationMs: 100 });
  state = breaker.succeed(state, 2, { durationMs: 101 });
  assert.deepEqual([state.status, state.currOk, state.currSlow], ["open", 2, 1]);
  const trial = breaker.request(state, 1_002).state;
  assert.equal(breaker.succeed(trial, 1_003, { durationMs: 101 }).status, "open");
  assert.equal(breaker.succeed(trial, 1_003, { durationMs: 5 }).status, "closed");
});

test("merge: the later opening or closing wins, of one transition the counts are joined", () => {
  const breaker = extended.consecutiveBreaker({ failureThreshold: 1, openMs: 30_000 });
  const opened = breaker.fail(breaker.init(0), 1_000);
  const fresh = Object.freeze(breaker.init(2_000));
  const closed = breaker.succeed(breaker.request(opened, 31_000).state, 31_050);
  const both = (a, b) => {
    const merged = breaker.merge(a, b);
    assert.deepEqual(breaker.merge(b, a), merged);
    assert.deepEqual(breaker.merge(merged, a), merged);
    return merged;
  };
  assert.deepEqual(both(fresh, opened), opened);
  assert.deepEqual(both(opened, closed), closed);
  assert.deepEqual(both({ ...fresh, failures: 2 }, { ...fresh, failures: 5 }), { ...fresh, failures: 5 });
  assert.throws(() => breaker.merge(opened, { ...opened, probes: -1 }), { name: "StateError", field: "probes" });

  const rolling = extended.rollingBreaker({ windowMs: 1_000, openMs: 1_000 });
  const one = { ...rolling.init(0), currOk: 3, currFail: 1 };
  const other = { ...one, currOk: 2, currFail: 4, currSlow: 1 };
  assert.deepEqual(rolling.merge(one, other), { ...one, currFail: 4, currSlow: 1 });
  assert.equal("merge" in consecutiveBreaker(options), false);
});

test("a source of randomness may use a breaker itself", () => {
  const inner = extended.consecutiveBreaker({ failureThreshold: 7, openMs: 5, openJitter: 1, random: () => 0 });
  const random = () => (inner.fail(inner.init(0), 1).status === "closed" ? 0.5 : 0);
  const breaker = extended.consecutiveBreaker({ failureThreshold: 1, openMs: 1_000, openJitter: 0.5, random });
  for (const round of [1, 2]) {
    assert.equal(breaker.peek(breaker.fail(breaker.init(0), round), round).retryAfterMs, 1_250);
  }
});
