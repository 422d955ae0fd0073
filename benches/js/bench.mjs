// The package beside plain JavaScript and its peers, in one run: node benches/js/bench.mjs [--write] [rounds]
//
// --write puts the result into README.md.
//
// The machine may be shared, and noise only ever adds: everything is measured for a moment in each of many rounds, in
// turn, and the smallest figure counts.
import { execFileSync } from "node:child_process";
import { cpus } from "node:os";
import { ConsecutiveBreaker, ExponentialBackoff, circuitBreaker, handleAll } from "cockatiel";
import CircuitBreaker from "opossum";
import * as ours from "retry-primitives-wasm";
import { writeBetween } from "../../scripts/lib/readme.mjs";
import * as plain from "./plain.mjs";

const rounds = Number(process.argv.slice(2).find((argument) => argument !== "--write") ?? 40);
const CALLS = 20_000;
const START = 1_758_124_800_000;
let sink = 0;

const decide = (policy) => () => {
  let state = policy.init(START);
  for (let call = 0; call < CALLS; call++) {
    const answer = policy.next(state, START + (call & 1023));
    sink += answer.decision.delayMs;
    state = answer.state.attempts < 8 ? answer.state : policy.init(START);
  }
};
const pair = (breaker) => () => {
  let state = breaker.init(START);
  for (let call = 0; call < CALLS; call++) {
    const answer = breaker.request(state, START + call);
    sink += answer.verdict.retryAfterMs;
    state = breaker.succeed(answer.state, START + call + 1);
  }
};
/** cockatiel decides a delay where it is asked for the next one, with a generator of its own for jitter. */
const cockatielBackoff = () => {
  let backoff = new ExponentialBackoff({ initialDelay: 100, maxDelay: 30_000 }).next();
  for (let call = 0; call < CALLS; call++) {
    sink += backoff.duration;
    backoff = call % 8 === 7 ? new ExponentialBackoff({ initialDelay: 100, maxDelay: 30_000 }).next() : backoff.next();
  }
};
const awaiting = (fire) => async () => {
  for (let call = 0; call < CALLS; call++) sink += await fire();
};

const limits = { maxAttempts: 10, deadlineMs: 600_000 };
const names = ["exponential", "decorrelatedJitter", "fibonacci", "linear", "constant"];
const consecutive = { failureThreshold: 5, openMs: 30_000 };
const rolling = { windowMs: 30_000, openMs: 30_000 };
const one = async () => 1;
const cockatielBreaker = circuitBreaker(handleAll, { halfOpenAfter: 30_000, breaker: new ConsecutiveBreaker(5) });
const opossumBreaker = new CircuitBreaker(one, { timeout: false });

const groups = [
  ...names.map((name) => {
    const options = { ...(name === "constant" ? { delayMs: 100 } : { baseMs: 100 }), ...limits };
    const peers = name === "exponential" ? { cockatiel: cockatielBackoff } : {};
    return [
      `${name}: next`,
      { ours: decide(ours[name](options)), plain: decide(plain.policy(name, options)), ...peers },
    ];
  }),
  [
    "consecutive breaker: request, succeed",
    {
      ours: pair(ours.consecutiveBreaker(consecutive)),
      plain: pair(plain.breaker(consecutive)),
      cockatiel: awaiting(() => cockatielBreaker.execute(one)),
      opossum: awaiting(() => opossumBreaker.fire()),
    },
  ],
  [
    "rolling breaker: request, succeed",
    { ours: pair(ours.rollingBreaker(rolling)), plain: pair(plain.breaker(rolling)) },
  ],
];

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

const lines = ["| operation | ours, ns | plain, ns | ours / plain | peers, ns |", "| --- | --: | --: | --: | --- |"];
for (const [group, sides] of groups) {
  const ns = (side) => best.get(`${group} ${side}`);
  const peers = Object.keys(sides).slice(2);
  const cells = [group, ns("ours").toFixed(1), ns("plain").toFixed(1), (ns("ours") / ns("plain")).toFixed(2)];
  lines.push(`| ${[...cells, peers.map((peer) => `${peer} ${ns(peer).toFixed(1)}`).join(", ")].join(" | ")} |`);
}

const fresh = (script) => {
  let smallest = Infinity;
  for (let round = 0; round < 15; round++) {
    const output = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
      cwd: import.meta.dirname,
      encoding: "utf8",
    });
    smallest = Math.min(smallest, Number(output));
  }
  return smallest.toFixed(1);
};
const timed = (body) => `const started = performance.now(); ${body}; console.log(performance.now() - started);`;
const first = `const { exponential } = await import("retry-primitives-wasm/backoff");
  const policy = exponential({ baseMs: 100, maxAttempts: 5 }); policy.next(policy.init(0), 0)`;
lines.push(
  "",
  `Import and first decision in a fresh process: \`/backoff\` ${fresh(timed(first))} ms, all of \`.\` ${fresh(
    timed(first.replace("/backoff", "")),
  )} ms; importing cockatiel ${fresh(timed('await import("cockatiel")'))} ms.`,
  `${cpus()[0].model.trim()}; Node.js ${process.versions.node}; the smallest of ${rounds} rounds.`,
);
console.log(lines.join("\n"));
if (process.argv.includes("--write")) writeBetween("bench-js", lines.join("\n"));
if (sink === 0) throw new Error("nothing was measured");
