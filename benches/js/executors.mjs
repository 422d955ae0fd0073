// What an executor costs a call that succeeds at once, beside its peers: node benches/js/executors.mjs [rounds]
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

export const CALLS = 5_000;
const TURNS = 7;
let sink = 0;

const one = async () => 1;
const awaiting = (fire) => async () => {
  for (let call = 0; call < CALLS; call++) sink += await fire();
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
export const groups = [
  ["retry of /async, a call that succeeds at once", { ours: awaiting(() => retry(one, { policy })), ...retryPeers }],
  [
    "retry of /ladder, a call that succeeds at once",
    { ours: awaiting(() => ladder(one, { retries: 5, idempotent: true })), ...retryPeers },
  ],
  [
    "protect, a call that succeeds at once",
    {
      ours: awaiting(() => upstream.call(one)),
      cockatiel: awaiting(() => circuit.execute(one)),
      opossum: awaiting(() => opossum.fire()),
    },
  ],
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
  if (sink === 0) throw new Error("nothing was measured");
  return best;
}

/** In a process of its own, as in a program that uses one of them: V8 compiles a loop for all who run it. */
function alone(group, side, rounds) {
  return Number(execFileSync(process.execPath, [here, String(rounds), group, side], { encoding: "utf8" }));
}

const here = fileURLToPath(import.meta.url);
if (process.argv[1] === here) {
  const [, , rounds = "40", group, side] = process.argv;
  if (side) {
    console.log(await measure(group, side, Number(rounds)));
    process.exit();
  }
  console.log("| operation | ours, ns | peers, ns |\n| --- | --: | --- |");
  for (const [group, sides] of groups) {
    const best = Object.fromEntries(Object.keys(sides).map((side) => [side, Infinity]));
    for (let turn = 0; turn < TURNS; turn++) {
      for (const side of Object.keys(sides)) best[side] = Math.min(best[side], alone(group, side, rounds));
    }
    const { ours, ...peers } = Object.fromEntries(Object.entries(best).map(([side, ns]) => [side, ns.toFixed(0)]));
    const others = Object.entries(peers).map((peer) => peer.join(" "));
    console.log(`| ${[group, ours, others.join(", ")].join(" | ")} |`);
  }
  console.log(
    `${cpus()[0].model.trim()}; Node.js ${process.versions.node}; the smallest of ${TURNS} times ${rounds} rounds.`,
  );
  opossum.shutdown();
}
