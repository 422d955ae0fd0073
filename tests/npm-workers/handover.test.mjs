// What one language stores the other goes on with: an object's storage handed from workerd to workerd, and breakers shared.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { startReceiver } from "../e2e/support/receiver.mjs";
import { until } from "../e2e/support/until.mjs";
import { startCallers } from "../workers/support/callers.mjs";
import { startIntegrationWorker } from "../workers/support/integration-worker.mjs";

const receiver = await startReceiver();
const folders = [];
after(async () => {
  await receiver.close();
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
});

/** Runs `act` on the worker in that language, over the same data as those before and after. */
async function relay(dataFolder, language, act) {
  const workerd = await startIntegrationWorker({ language, dataFolder });
  try {
    return await act(workerd);
  } finally {
    await workerd.dispose();
  }
}

const newFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), "handover-"));
  folders.push(folder);
  return folder;
};

/** What was decided, without the moments at which it was. */
const decisions = ({ phase: { status, attempts, reason }, state, history }) => ({
  phase: { status, attempts, reason },
  attempts: state.attempts,
  prevDelayMs: state.prevDelayMs,
  history: history.map(({ attempt, status, error, retryAfterMs, delayMs }) => ({
    attempt,
    status,
    error,
    retryAfterMs,
    delayMs,
  })),
});

const second = 1_000;
const plan = { baseMs: 3 * second, maxDelayMs: 7 * second, maxAttempts: 5, timeoutMs: 2 * second };
const answers = [{ status: 503, headers: { "retry-after": "4" } }, { status: 500 }, { status: 429 }, { status: 204 }];
/** By hand: the server's floor, then base * 2, then the cap; none after the delivery. */
const delays = [4 * second, 6 * second, 7 * second, undefined];

/** One operation whose every attempt is made by the next of these languages. */
async function deliver(languages) {
  const path = `/${languages.join("-")}`;
  receiver.behave(path, ...answers);
  const dataFolder = await newFolder();
  let last;
  for (let failed = 0; failed < answers.length; failed++) {
    const language = languages[failed % languages.length];
    last = await relay(dataFolder, language, async (workerd) => {
      const probe = workerd.probe("handed over");
      if (failed === 0) {
        await probe.plan(plan);
        await probe.start(receiver.url + path);
      } else {
        const { operation, alarm } = await probe.look();
        // Read as the other language stored it, unless its alarm has fired by now.
        if (operation.history.length === failed) {
          assert.deepEqual(operation, last);
          if (operation.phase.status === "waiting") assert.equal(alarm ?? operation.phase.due, operation.phase.due);
        }
      }
      const isLast = failed + 1 === answers.length;
      return isLast ? probe.until("delivered") : probe.until("waiting", { attempts: failed + 1 });
    });
  }
  assert.equal(receiver.to(path).length, answers.length);
  return last;
}

describe("one operation", { concurrency: 2 }, () => {
  const seen = [];
  for (const languages of [["rust"], ["npm"], ["rust", "npm"], ["npm", "rust"]]) {
    test(`is delivered by ${languages.join(" and ")} with the same decisions`, async () => {
      const operation = await deliver(languages);
      assert.equal(operation.recovered, undefined);
      assert.deepEqual(
        operation.history.map(({ delayMs }) => delayMs),
        delays,
      );
      for (const [index, { startedAt }] of operation.history.entries()) {
        if (index === 0) continue;
        const before = operation.history[index - 1];
        assert.ok(startedAt >= before.startedAt + before.tookMs + before.delayMs, "no wait is undercut");
      }
      seen.push(decisions(operation));
      for (const one of seen) assert.deepEqual(one, seen[0]);
    });
  }

  for (const [from, to] of [
    ["rust", "npm"],
    ["npm", "rust"],
  ]) {
    test(`an attempt that ${from} lost with its process is found by ${to}`, async () => {
      const path = `/lost-${from}`;
      receiver.behave(path, "hang");
      const dataFolder = await newFolder();
      const running = await relay(dataFolder, from, async (workerd) => {
        const probe = workerd.probe("lost");
        await probe.plan({ baseMs: 10, timeoutMs: 1_000 });
        await probe.start(receiver.url + path);
        await receiver.until(() => receiver.to(path).length === 1);
        const { operation, alarm } = await probe.look();
        assert.equal(operation.phase.status, "running");
        assert.equal(operation.phase.until - operation.phase.since, 6_000);
        assert.equal(alarm, operation.phase.until);
        await workerd.kill();
        return operation;
      });
      await relay(dataFolder, to, async (workerd) => {
        const { history, state } = await workerd.probe("lost").until("delivered");
        assert.equal(history[0].error, "the process ended during the attempt");
        assert.equal(history[0].startedAt, running.phase.since);
        assert.deepEqual([history.length, state.attempts, history[1].status], [2, 1, 200]);
      });
    });

    test(`what ${from} cancelled or gave up on is over for ${to}`, async () => {
      const dataFolder = await newFolder();
      const over = await relay(dataFolder, from, async (workerd) => {
        const [cancelled, stopped] = ["cancelled", "stopped"].map((name) => workerd.probe(name));
        await cancelled.plan({ baseMs: 3_600_000, attempts: ["fail"] });
        await cancelled.start("");
        await cancelled.until("waiting", { attempts: 1 });
        await cancelled.cancel();
        await stopped.plan({ maxAttempts: 1, attempts: ["fail"] });
        await stopped.start("");
        return [await cancelled.until("cancelled"), await stopped.until("gaveUp")];
      });
      await relay(dataFolder, to, async (workerd) => {
        const probes = ["cancelled", "stopped"].map((name) => workerd.probe(name));
        for (const [index, probe] of probes.entries()) {
          assert.deepEqual(await probe.look(), { operation: over[index], alarm: null });
          assert.deepEqual((await probe.cancel()).operation, over[index]);
        }
        // Made room for by either: the operation goes, and another begins.
        await probes[1].clear();
        await probes[1].plan({});
        await probes[1].start(`${receiver.url}/after-${from}`);
        await probes[1].until("delivered");
      });
    });
  }
});

describe("one breaker", { concurrency: 2 }, () => {
  const failing = { ok: "false" };
  const variables = { FAILURES: "3", OPEN_MS: "2500", PROBES: "1" };
  for (const [first, second] of [
    ["rust", "npm"],
    ["npm", "rust"],
  ]) {
    test(`an object in ${first} answers callers in both languages`, async (context) => {
      const callers = await startCallers(["keeper", "other"], variables, { keeper: first, other: second });
      context.after(() => callers.dispose());
      // Two failures there and one here: exactly the threshold.
      const calls = [];
      for (const isolate of ["other", "keeper", "other"]) {
        calls.push(await callers.call(`/${isolate}/object/shared`, failing));
      }
      assert.deepEqual(calls, Array(3).fill({ ok: true, status: "closed", blind: false, reported: "Counted" }));
      for (const isolate of ["keeper", "other"]) {
        const { ok, status, retryAfterMs } = await callers.call(`/${isolate}/object/shared`);
        assert.deepEqual([ok, status, retryAfterMs > 0 && retryAfterMs <= 2_500], [false, "open", true]);
      }
      const peek = (isolate) => callers.ask(`/${isolate}/object/shared/peek`);
      const [one, two] = [await peek("keeper"), await peek("other")];
      assert.deepEqual([one.status, one.since, one.name], [two.status, two.since, two.name]);
      await until(async () => (await peek("other")).retryAfterMs === 0);
      const probe = await callers.call("/other/object/shared", {});
      assert.deepEqual([probe.ok, probe.status, probe.reported], [true, "halfOpen", "Counted"]);
      assert.equal((await peek("keeper")).status, "closed");
      for (const isolate of ["keeper", "other"]) {
        assert.deepEqual(
          (await callers.ask(`/${isolate}/object`)).map(({ name }) => name),
          ["shared"],
        );
      }
      for (const [force, status] of [
        ["open", "open"],
        ["close", "closed"],
        ["open", "open"],
        ["reset", "closed"],
      ]) {
        assert.equal((await callers.ask(`/other/object/shared/${force}`)).status, status, force);
        assert.equal((await peek("keeper")).status, status, force);
      }
      assert.deepEqual(callers.errors(), []);
    });

    test(`what an isolate in ${first} writes to KV one in ${second} reads`, async (context) => {
      const callers = await startCallers(
        ["one", "late"],
        { ...variables, OPEN_MS: "60000" },
        { one: first, late: second },
      );
      context.after(() => callers.dispose());
      for (let failure = 0; failure < 3; failure++) await callers.call("/one/kv/shared", failing);
      await until(async () => (await callers.control("one")).put.length === 1);
      const refused = await callers.call("/late/kv/shared");
      assert.deepEqual([refused.ok, refused.status], [false, "open"]);
      const look = (isolate) => callers.ask(`/${isolate}/kv/shared/peek`);
      assert.equal((await look("late")).since, (await look("one")).since);
      assert.deepEqual(await callers.ask("/late/kv").then(([{ name, status }]) => [name, status]), ["shared", "open"]);
      // By hand there, read here by an isolate that asks anew.
      assert.equal((await callers.ask("/late/kv/shared/close")).status, "closed");
      assert.equal((await callers.ask("/one/kv/shared/open")).status, "open");
      assert.equal((await callers.ask("/late/kv")).find(({ name }) => name === "shared").status, "open");
      assert.deepEqual(callers.errors(), []);
    });
  }
});
