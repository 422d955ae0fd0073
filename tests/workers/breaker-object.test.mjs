// The object breaker on a real workerd: exact, whatever happens at once and whatever dies.
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { startCallers } from "./support/callers.mjs";
import { startReceiver } from "../e2e/support/receiver.mjs";
import { until } from "../e2e/support/until.mjs";

const CALLERS = 200;
const FAILURES = 20;
const PROBES = 3;
const OPEN_MS = 4_000;
const isolates = ["a", "b"];

const callers = await startCallers(isolates, {
  FAILURES: String(FAILURES),
  PROBES: String(PROBES),
  OPEN_MS: String(OPEN_MS),
});
const receiver = await startReceiver();
after(async () => {
  await callers.dispose();
  await receiver.close();
});
beforeEach(() => {
  receiver.otherwise({ status: 200 });
});

const count = (answers, predicate) => answers.filter(predicate).length;
/** That many at once, from both isolates in turn. */
const storm = (number, path, query) =>
  Promise.all(
    Array.from({ length: number }, async (_, index) =>
      [await callers.ask(`/${isolates[index % 2]}/object/${path}`, query)].flat(),
    ),
  ).then((answers) => answers.flat());
const peek = (name) => callers.ask(`/a/object/${name}/peek`);
/** Past the end of an opening, as the object's own clock has it. */
const opened = (name) => until(async () => (await peek(name)).retryAfterMs === 0, { timeoutMs: 2 * OPEN_MS });

test("concurrent failures trip it at exactly the threshold", async (context) => {
  // One short of it, all at once: still closed.
  const failing = { ok: "false" };
  const short = await storm(FAILURES - 1, "exact/call", failing);
  assert.equal(
    count(short, ({ reported }) => reported === "Counted"),
    FAILURES - 1,
  );
  assert.equal((await peek("exact")).status, "closed");
  await callers.call("/b/object/exact", failing);
  assert.equal((await peek("exact")).status, "open");

  // 200 at once on a new one: each outcome up to the threshold counts, none after it.
  const answers = await storm(CALLERS, "tripped/call", failing);
  const admitted = count(answers, ({ ok }) => ok);
  const counted = count(answers, ({ reported }) => reported === "Counted");
  context.diagnostic(`${CALLERS} callers at once: ${admitted} admitted before it opened, ${counted} failures counted`);
  assert.equal(
    count(answers, ({ blind }) => blind),
    0,
  );
  assert.equal(counted, FAILURES);
  assert.equal((await peek("tripped")).status, "open");
});

test("200 concurrent callers: exactly the probes of a trial reach the dependency", async (context) => {
  await callers.ask("/a/object/trial/open");
  assert.equal(
    count(await storm(CALLERS, "trial/call", { url: `${receiver.url}/open` }), ({ ok }) => ok),
    0,
  );
  assert.equal(receiver.to("/open").length, 0);
  await opened("trial");

  // The dependency holds the probes until all have asked.
  let answered = () => {};
  const all = new Promise((resolve) => (answered = resolve));
  receiver.otherwise(async () => {
    await all;
    return { status: 200 };
  });
  const answers = [];
  const running = Array.from({ length: CALLERS }, async (_, index) => {
    answers.push(await callers.call(`/${isolates[index % 2]}/object/trial`, { url: `${receiver.url}/trial` }));
  });
  await until(async () => answers.length === CALLERS - PROBES && receiver.to("/trial").length === PROBES);
  answered();
  await Promise.all(running);
  const admitted = count(answers, ({ ok }) => ok);
  context.diagnostic(
    `${CALLERS} callers at once: ${admitted} admitted, ${receiver.to("/trial").length} requests at the dependency`,
  );
  assert.deepEqual([admitted, receiver.to("/trial").length], [PROBES, PROBES]);
  assert.equal((await peek("trial")).status, "closed");
});

test("callers that die do not strand the trial", async () => {
  await callers.ask("/a/object/stranded/open");
  await opened("stranded");
  const admissions = await storm(CALLERS, "stranded/request");
  assert.equal(
    count(admissions, ({ ok }) => ok),
    PROBES,
  );
  assert.equal((await callers.call("/b/object/stranded", {})).ok, false);
  // Nobody reports. Half-open lasts as long as open here.
  await opened("stranded");
  const answers = await storm(PROBES, "stranded/call", {});
  assert.deepEqual([count(answers, ({ ok }) => ok), (await peek("stranded")).status], [PROBES, "closed"]);
});

test("killed and restarted, the object has its state", async () => {
  const failing = { ok: "false" };
  for (let failure = 1; failure < FAILURES; failure += 1) await callers.call("/a/object/kept", failing);
  await callers.workerd.restart();
  assert.equal((await peek("kept")).status, "closed");
  await callers.call("/b/object/kept", failing);
  const { status, since } = await peek("kept");
  assert.equal(status, "open", "the failures before the kill counted");

  await callers.workerd.restart();
  const after = await peek("kept");
  assert.deepEqual([after.status, after.since], ["open", since]);
  assert.equal((await callers.call("/a/object/kept", {})).ok, false);
  const names = (await callers.ask("/b/object")).map(({ name }) => name);
  assert.deepEqual(names, [...names].sort());
  assert.ok(names.includes("kept"));
});
