// What an executor costs a call that succeeds at once, beside its peers: node benches/js/executors.mjs [rounds]
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

async function measure(rounds) {
  const best = new Map();
  for (let round = 0; round < rounds; round++) {
    for (const [group, sides] of groups) {
      for (const [side, run] of Object.entries(sides)) {
        const started = performance.now();
        await run();
        const ns = ((performance.now() - started) * 1e6) / CALLS;
        const key = `${group} ${side}`;
        best.set(key, Math.min(ns, best.get(key) ?? Infinity));
      }
    }
  }
  return best;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const rounds = Number(process.argv[2] ?? 40);
  const best = await measure(rounds);
  console.log("| operation | ours, ns | peers, ns |\n| --- | --: | --- |");
  for (const [group, { ours, ...peers }] of groups) {
    const ns = (side) => best.get(`${group} ${side}`).toFixed(0);
    const cells = [
      group,
      ns("ours"),
      Object.keys(peers)
        .map((peer) => `${peer} ${ns(peer)}`)
        .join(", "),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
  console.log(`${cpus()[0].model.trim()}; Node.js ${process.versions.node}; the smallest of ${rounds} rounds.`);
  if (sink === 0) throw new Error("nothing was measured");
  opossum.shutdown();
}
