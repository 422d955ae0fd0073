// The KV breaker across isolates of a real workerd.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { leastGap, startCallers } from "./support/callers.mjs";
import { startReceiver } from "../e2e/support/receiver.mjs";
import { until } from "../e2e/support/until.mjs";

const FAILURES = 5;
const READ_EVERY_MS = 30_000;

describe("the KV breaker", { concurrency: 2 }, () => {
  test("isolate A trips it, B refuses within the bound, and both close after recovery", async (context) => {
    const OPEN_MS = 40_000;
    const callers = await startCallers(["a", "b", "late"], { FAILURES: String(FAILURES), OPEN_MS: String(OPEN_MS) });
    const receiver = await startReceiver();
    context.after(() => Promise.all([callers.dispose(), receiver.close()]));
    const call = (isolate) => callers.call(`/${isolate}/kv/dependency`, { url: `${receiver.url}/${isolate}` });

    // Both know it as healthy, and have just read KV.
    assert.deepEqual([(await call("a")).ok, (await call("b")).ok], [true, true]);
    receiver.otherwise({ status: 503 });
    for (let failure = 1; failure <= FAILURES; failure += 1) assert.equal((await call("a")).reported, "Counted");
    const trippedAt = Date.now();
    assert.deepEqual((await call("a")).status, "open");
    await until(async () => (await callers.control("a")).put.length === 1);

    // One that starts now knows at once, without a call.
    const late = await call("late");
    assert.deepEqual([late.ok, late.status], [false, "open"]);
    assert.equal(receiver.to("/late").length, 0);

    // B stays below the threshold by itself: it learns from A.
    receiver.otherwise({ status: 200 });
    const refusal = await until(
      async () => {
        const answer = await call("b");
        return !answer.ok && answer;
      },
      { timeoutMs: READ_EVERY_MS + 5_000, everyMs: 500 },
    );
    const learntAfter = Date.now() - trippedAt;
    assert.equal(refusal.status, "open");
    assert.ok(learntAfter <= READ_EVERY_MS + 1_000, `${learntAfter} ms`);
    const callsOfB = receiver.to("/b").length;

    // It stays open for its time in both; then each probes, or learns from the other, and closes.
    await sleep(Math.max(0, trippedAt + OPEN_MS - 2_000 - Date.now()));
    assert.deepEqual([(await call("a")).ok, (await call("b")).ok], [false, false], "two seconds before the end");
    const closed = (isolate) =>
      until(
        async () =>
          (await callers.ask(`/${isolate}/kv/dependency/peek`)).status === "closed" || (await call(isolate), false),
        {
          timeoutMs: 10_000 + READ_EVERY_MS,
          everyMs: 100,
        },
      );
    await Promise.all([closed("a"), closed("b")]);
    const closedAfter = Date.now() - trippedAt;
    assert.deepEqual([(await call("a")).ok, (await call("b")).ok], [true, true]);
    assert.equal(receiver.to("/a").length, 1 + FAILURES + 1 + 1, "one probe, and the call after it");
    context.diagnostic(
      `A tripped after ${FAILURES} failures; B refused ${learntAfter} ms later (bound ${READ_EVERY_MS} ms and KV's own ` +
        `delay, none here), after ${callsOfB} calls of its own; a new isolate at once; both closed ${closedAfter} ms ` +
        `after the trip (open time ${OPEN_MS} ms); calls of A at the receiver: ${receiver.to("/a").length}`,
    );
    for (const isolate of ["a", "b"]) {
      const { get, put } = await callers.control(isolate);
      assert.ok(leastGap(get) >= READ_EVERY_MS - 50, `reads ${leastGap(get)} ms apart`);
      context.diagnostic(`isolate ${isolate}: ${get.length} reads, ${put.length} writes`);
    }
  });

  test("10,000 healthy calls write nothing", async (context) => {
    const callers = await startCallers(["a"]);
    context.after(() => callers.dispose());
    for (let round = 0; round < 100; round += 1) {
      const answers = await callers.ask("/a/kv/healthy/call", { times: 100 });
      assert.ok(answers.every(({ ok, reported }) => ok && reported === "Counted"));
    }
    const { get, put } = await callers.control("a");
    context.diagnostic(`10,000 healthy calls: ${put.length} writes, ${get.length} reads`);
    assert.deepEqual([put.length, get.length <= 2], [0, true]);
  });

  test("a storm of failures writes at most once a second", async (context) => {
    const callers = await startCallers(["a"], { FAILURES: "1", OPEN_MS: "5" });
    context.after(() => callers.dispose());
    const startedAt = Date.now();
    let calls = 0;
    let transitions = 0;
    while (Date.now() - startedAt < 6_000) {
      const storm = Array.from({ length: 10 }, () => callers.ask("/a/kv/stormy/call", { ok: "false", times: 20 }));
      const answers = (await Promise.all(storm)).flat();
      calls += answers.length;
      transitions += answers.filter(({ reported }) => reported === "Counted").length;
    }
    const seconds = (Date.now() - startedAt) / 1_000;
    await until(async () => (await callers.control("a")).put.length >= 5);
    const { put } = await callers.control("a");
    context.diagnostic(
      `${calls} calls in ${seconds.toFixed(1)} s, ${transitions} openings: ${put.length} writes, at least ` +
        `${leastGap(put)} ms apart`,
    );
    assert.ok(
      put.length <= seconds + 2 && transitions > 3 * put.length,
      `${put.length} writes, ${transitions} openings`,
    );
    assert.ok(leastGap(put) >= 1_000);
  });

  for (const mode of ["429", "throw", "junk", "hang"]) {
    test(`KV that answers with ${mode} reaches no request and is reported once`, async (context) => {
      const callers = await startCallers(["a"], { FAILURES: String(FAILURES), OPEN_MS: "300" });
      context.after(() => callers.dispose());
      await callers.control("a", mode);
      const startedAt = Date.now();
      // Healthy, tripped, refused, on trial, closed again: all without KV.
      const call = (ok) => callers.call("/a/kv/alone", { ok });
      assert.equal((await call(true)).ok, true);
      const first = Date.now() - startedAt;
      for (let failure = 1; failure <= FAILURES; failure += 1) await call(false);
      assert.deepEqual((await call(true)).status, "open");
      await until(async () => (await call(true)).status === "halfOpen");
      assert.equal((await call(true)).status, "closed");
      // Long enough for a second write.
      await until(async () => {
        for (let failure = 1; failure <= FAILURES; failure += 1) await call(false);
        const { put } = await callers.control("a");
        return put.length >= 2 || mode === "hang";
      });
      const { get, put } = await callers.control("a");
      assert.ok(put.length < 2 || leastGap(put) >= 1_000);
      const errors = callers.errors();
      const said = (kind) => errors.filter((message) => message.includes(kind)).length;
      context.diagnostic(
        `${mode}: first call after ${first} ms, ${get.length} reads, ${put.length} writes; logged:\n${errors.join("\n")}`,
      );
      assert.ok(first < 1_500, `${first} ms`);
      assert.equal(said("a read failed"), mode === "junk" ? 0 : 1);
      assert.equal(said("junk in the value"), mode === "junk" ? 1 : 0);
      assert.ok(said("a write failed") <= 1);
      if (mode === "429" || mode === "throw") assert.equal(said("a write failed"), 1);
      assert.equal(errors.length, said("a read failed") + said("junk in the value") + said("a write failed"));

      // Once KV works, what happened is published.
      if (mode !== "hang") {
        await callers.control("a", "ok");
        await until(
          async () => {
            await call(false);
            return (await callers.ask("/a/kv")).some(({ name }) => name === "alone");
          },
          { timeoutMs: 10_000, everyMs: 200 },
        );
      }
    });
  }
});
