// `/operation`: a table of jobs, as a worker that may die at any moment goes through it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { constant, exponential } from "retry-primitives-wasm/backoff";
import * as machine from "retry-primitives-wasm/operation";

const EPOCH = 1_758_124_800_000;
const LEASE_MS = 15_000;
const { arm, cancel, isDue, isOver, postpone, progress, readOperation, settle, start, startOver, wake } = machine;

/** One job of a table whose clock is ours. */
const job = (policy) => {
  const table = { now: EPOCH, row: undefined };
  table.store = (next) => {
    const { operation, at } = arm(next, table.now);
    table.row = JSON.stringify(operation);
    table.due = at;
  };
  table.read = () => readOperation(JSON.parse(table.row));
  table.take = () => {
    table.now = table.due;
    const { operation, ticket } = wake(table.read(), policy, table.now, LEASE_MS);
    table.store(operation);
    return ticket;
  };
  table.settle = (ticket, report) => table.store(settle(table.read(), policy, ticket, table.now, report));
  table.store(start(policy, EPOCH));
  return table;
};

test("a job: it waits, runs, waits, and is delivered", () => {
  const table = job(exponential({ baseMs: 1_000, maxAttempts: 5, jitter: "none" }));
  assert.deepEqual(progress(table.read()), { status: "waiting", at: EPOCH + 1, attempts: 0 });
  const first = table.take();
  assert.equal(first.attempt, 1);
  const until = EPOCH + 1 + LEASE_MS;
  assert.deepEqual(progress(table.read()), { status: "running", until, attempts: 0 });
  assert.equal(table.due, until, "should the worker die");
  table.settle(first, { ok: false, status: 503, outcome: { retryAfterMs: 2_500 }, error: "busy" });
  assert.deepEqual(progress(table.read()), { status: "waiting", at: EPOCH + 2_501, attempts: 1 });
  assert.deepEqual(table.read().history, [
    {
      attempt: 1,
      startedAt: EPOCH + 1,
      tookMs: 0,
      status: 503,
      error: "busy",
      retryAfterMs: 2_500,
      delayMs: 2_500,
    },
  ]);
  assert.deepEqual([isDue(table.read(), EPOCH + 2_500), isDue(table.read(), EPOCH + 2_501)], [false, true]);
  table.settle(table.take(), { ok: true });
  assert.deepEqual(progress(table.read()), { status: "delivered", attempts: 2 });
  assert.deepEqual([isOver(table.read()), table.due], [true, undefined]);
});

test("a job whose worker died is due again at the end of its time, and its late report counts no longer", () => {
  const table = job(constant({ delayMs: 10, maxAttempts: 2, jitter: "none" }));
  const lost = table.take();
  assert.equal(table.take(), undefined);
  assert.equal(table.now, EPOCH + 1 + LEASE_MS);
  assert.equal(table.read().history[0].error, "the process ended during the attempt");
  table.settle(lost, { ok: true });
  assert.deepEqual(progress(table.read()), { status: "waiting", at: table.now + 10, attempts: 1 });
  table.settle(table.take(), { ok: false });
  assert.deepEqual(progress(table.read()), { status: "gaveUp", reason: "maxAttempts", attempts: 2 });
});

test("a job that is put off, called off, or begun anew", () => {
  const policy = constant({ delayMs: 10, maxAttempts: 2, deadlineMs: 60_000, jitter: "none" });
  const waiting = start(policy, EPOCH);
  assert.equal(isOver(waiting), false);
  assert.deepEqual(progress(postpone(waiting, policy, EPOCH, EPOCH + 500)), {
    status: "waiting",
    at: EPOCH + 500,
    attempts: 0,
  });
  assert.equal(progress(postpone(waiting, policy, EPOCH, EPOCH + 60_000)).reason, "deadline");
  const cancelled = cancel(waiting, EPOCH + 5);
  assert.deepEqual(progress(cancelled), { status: "cancelled", attempts: 0 });
  assert.equal(isOver(cancelled), true);
  for (const [stored, said] of [
    [5, "operation cannot be 5"],
    [{ phase: 5 }, "operation.phase cannot be 5"],
    [{ ...waiting, phase: { status: "waiting", due: "soon" } }, 'phase.due cannot be "soon"'],
    [{ ...waiting, state: { ...waiting.state, attempts: -1 } }, "state.attempts cannot be -1"],
    [{ ...waiting, history: [{ attempt: 0.5 }] }, "history.attempt cannot be 0.5"],
    [{ ...waiting, recovered: 5 }, "operation.recovered cannot be 5"],
  ]) {
    let problem;
    try {
      readOperation(stored);
    } catch (error) {
      problem = error;
    }
    assert.ok(problem instanceof machine.StateError, said);
    assert.equal(problem.message, said);
    const anew = { ...waiting, recovered: `the stored state was unreadable: ${said}` };
    assert.deepEqual(startOver(policy, EPOCH, problem), anew);
    assert.deepEqual(startOver(policy, EPOCH, said), anew);
  }
});

test("a moment that is none is named", () => {
  const policy = constant({ delayMs: 10, maxAttempts: 2 });
  const operation = start(policy, EPOCH);
  for (const [now, name] of [
    [undefined, "TypeError"],
    [5n, "TypeError"],
    ["5", "TypeError"],
    [NaN, "RangeError"],
  ]) {
    for (const step of [
      () => start(policy, now),
      () => wake(operation, policy, now, 5),
      () => settle(operation, policy, { operation: EPOCH, attempt: 1, since: EPOCH }, now, { ok: true }),
      () => postpone(operation, policy, now, EPOCH + 5),
      () => cancel(operation, now),
      () => arm(operation, now),
      () => isDue(operation, now),
    ]) {
      assert.throws(step, { name, message: /^now must be a number/ }, String(step));
    }
    assert.throws(() => postpone(operation, policy, EPOCH, now), { name, message: /^until must be a number/ });
    assert.throws(() => wake(operation, policy, EPOCH, now), { name, message: /^deadManMs must be a number/ });
  }
});
