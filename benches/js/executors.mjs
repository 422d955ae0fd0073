// What an executor costs a call that succeeds at once, beside its peers: node benches/js/executors.mjs [--write] [rounds]
import { execFileSync } from "node:child_process";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { ConsecutiveBreaker, ExponentialBackoff, circuitBreaker, handleAll, retry as cockatielRetry } from "cockatiel";
import CircuitBreaker from "opossum";
import pRetry from "p-retry";
import { protect, retry } from "retry-primitives-wasm/async";
import { exponential } from "retry-primitives-wasm/backoff";
import { consecutiveBreaker } from "retry-primitives-wasm/breaker";
import { retry as ladder } from "retry-primitives-wasm/ladder";
import { writeBetween } from "../../scripts/lib/readme.mjs";
import { CALLS, groups as pipelines } from "./pipeline.mjs";

const TURNS = 7;

const one = async () => 1;
const awaiting = (fire) => async () => {
  let sum = 0;
  for (let call = 0; call < CALLS; call++) sum += await fire();
  if (!(sum > 0)) throw new Error("nothing was measured");
};

const policy = exponential({ baseMs: 100, maxAttempts: 6 });
const attempts = cockatielRetry(handleAll, { maxAttempts: 5, backoff: new ExponentialBackoff() });
const upstream = protect(consecutiveBreaker({ failureThreshold: 5, openMs: 30_000 }));
const circuit = circuitBreaker(handleAll, { halfOpenAfter: 30_000, breaker: new ConsecutiveBreaker(5) });
const opossum = new CircuitBreaker(one, { timeout: false });
const retryPeers = {
  "p-retry": awaiting(() => pRetry(one, { retries: 5 })),
  cockatiel: awaiting(() => attempts.execute(one)),
};

/** Each `[name, { side: run }]`; a run makes `CALLS` calls. */
const groups = [
  ["retry of /async", { ours: awaiting(() => retry(one, { policy })), ...retryPeers }],
  ["retry of /ladder", { ours: awaiting(() => ladder(one, { retries: 5, idempotent: true })), ...retryPeers }],
  [
    "protect",
    {
      ours: awaiting(() => upstream.call(one)),
      cockatiel: awaiting(() => circuit.execute(one)),
      opossum: awaiting(() => opossum.fire()),
    },
  ],
  ...pipelines,
  ["two readings of the clock, for scale", { ours: awaiting(() => Date.now() - Date.now() + 1) }],
];

/** The smallest figure of many rounds: the machine may be shared, and noise only ever adds. */
async function measure(group, side, rounds) {
  const run = groups.find(([name]) => name === group)[1][side];
  let best = Infinity;
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    await run();
    best = Math.min(best, ((performance.now() - started) * 1e6) / CALLS);
  }
  return best;
}

/** In a process of its own, as in a program that uses one of them: V8 compiles a loop for all who run it. */
function alone(group, side, rounds) {
  return Number(execFileSync(process.execPath, [here, String(rounds), group, side], { encoding: "utf8" }));
}

const here = fileURLToPath(import.meta.url);
if (process.argv[1] === here) {
  const [rounds = "40", group, side] = process.argv.slice(2).filter((argument) => argument !== "--write");
  if (side) {
    console.log(await measure(group, side, Number(rounds)));
    process.exit();
  }
  const lines = ["| a call that succeeds at once through | ours, ns | peers, ns |", "| --- | --: | --- |"];
  for (const [group, sides] of groups) {
    const best = Object.fromEntries(Object.keys(sides).map((side) => [side, Infinity]));
    for (let turn = 0; turn < TURNS; turn++) {
      for (const side of Object.keys(sides)) best[side] = Math.min(best[side], alone(group, side, rounds));
    }
    const { ours, ...peers } = Object.fromEntries(Object.entries(best).map(([side, ns]) => [side, ns.toFixed(0)]));
    const others = Object.entries(peers).map((peer) => peer.join(" "));
    lines.push(`| ${[group, ours, others.join(", ")].join(" | ")} |`);
  }
  lines.push(
    "",
    `${cpus()[0].model.trim()}; Node.js ${process.versions.node}; the smallest of ${TURNS} times ${rounds} rounds.`,
  );
  console.log(lines.join("\n"));
  if (process.argv.includes("--write")) writeBetween("bench-executors", lines.join("\n"));
  opossum.shutdown();
}
