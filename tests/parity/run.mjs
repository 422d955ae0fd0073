// Native against wasm, bit for bit, and the shared vectors against the wasm: node tests/parity/run.mjs
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";

const CHUNKS = 20;
const CHUNK = 100_000n;
const SEED = 20_260_101n;

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..", "..");
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const crate = "retry-primitives-parity";

const cargo = (...args) =>
  execFileSync("cargo", [...args, "--quiet", "--release", "--package", crate], { cwd: root, stdio: "inherit" });
cargo("build", "--bin", "native");
cargo("build", "--lib", "--target", "wasm32-unknown-unknown");

const program = join(target, "release", process.platform === "win32" ? "native.exe" : "native");
const native = (...args) => execFileSync(program, args.map(String), { encoding: "utf8" }).trim().split(/\s+/);

const bytes = readFileSync(join(target, "wasm32-unknown-unknown", "release", "retry_primitives_parity.wasm"));
const { exports: wasm } = new WebAssembly.Instance(new WebAssembly.Module(bytes), {});
const hex = (value) => BigInt.asUintN(64, value).toString(16).padStart(16, "0");
const buffer = () => new Float64Array(wasm.memory.buffer, wasm.buffer(), 128);

function digests(suite) {
  const seeds = Array.from({ length: CHUNKS }, (_, chunk) => SEED + BigInt(chunk));
  const expected = native("digests", suite, CHUNK, ...seeds);
  seeds.forEach((seed, chunk) => {
    if (hex(wasm.digest(suite, seed, CHUNK)) !== expected[chunk]) throw new Error(firstDifference(suite, seed));
  });
  return CHUNK * BigInt(CHUNKS);
}

function firstDifference(suite, seed) {
  let [equal, different] = [0n, CHUNK];
  while (different - equal > 1n) {
    const middle = (equal + different) / 2n;
    if (hex(wasm.digest(suite, seed, middle)) === native("digests", suite, middle, seed)[0]) equal = middle;
    else different = middle;
  }
  wasm.case(suite, seed, equal);
  const ours = buffer();
  const lines = native("case", suite, seed, equal).map((bits, index) => {
    const theirs = new Float64Array(BigUint64Array.of(BigInt(`0x${bits}`)).buffer)[0];
    return `  [${index}] native ${theirs} wasm ${ours[index]}${Object.is(theirs, ours[index]) ? "" : "   <--"}`;
  });
  return `seed ${seed}, case ${equal} differs:\n${lines.join("\n")}`;
}

// Layout: src/backoff.rs. NaN stands for an option left out.
function backoff({ policy, options, state, now, outcome, random }) {
  const policies = ["exponential", "decorrelatedJitter", "fibonacci", "linear", "constant", "backoff"];
  const curves = ["squares", "previous", "drawn", "nan", "infinity", "negative", "minusInfinity"];
  const jitter = ["none", "full", "equal"].indexOf(options.jitter);
  const io = buffer();
  io.set([
    policies.indexOf(policy),
    "delayFor" in options ? curves.indexOf(options.delayFor) : 0,
    options.baseMs ?? options.delayMs ?? 0,
    options.factor ?? NaN,
    options.maxAttempts ?? NaN,
    options.deadlineMs ?? NaN,
    options.maxDelayMs ?? NaN,
    jitter < 0 ? NaN : jitter,
    state.attempts,
    state.startedAt,
    state.prevDelayMs,
    now,
    outcome.retryable === false ? 0 : 1,
    "retryAfterMs" in outcome ? 1 : 0,
    outcome.retryAfterMs ?? NaN,
    random,
  ]);
  wasm.run(0);
  const [built, attempts, startedAt, prevDelayMs, retry, delayMs, made, remainingMs, reason, , draws] = io.slice(16);
  if (!built) throw new Error("the options were refused");
  const decision = { retry: retry === 1, delayMs, attempts: made, remainingMs };
  if (reason) decision.reason = [, "nonRetryable", "maxAttempts", "deadline"][reason];
  return { state: { attempts, startedAt, prevDelayMs }, decision, draws };
}

// Layout: src/retry_after.rs.
function retryAfter({ value, now }) {
  const io = buffer();
  io.set([now, 429, 0, 0, 0]);
  io.set([value.length, ...Array.from(value, (character) => character.charCodeAt(0))], 9);
  wasm.run(SUITES.indexOf("retry_after"));
  return Number.isNaN(io[5]) ? null : io[5];
}

// Layout: src/breaker.rs. The state stays here between the steps, as in a caller's store.
function breaker({ breaker, options, start, steps }) {
  const io = buffer();
  const curves = ["exponential", "decorrelatedJitter", "fibonacci", "linear"];
  const { openGrowth } = options;
  const given = [
    breaker === "rollingBreaker" ? 1 : 0,
    options.failureThreshold ?? NaN,
    options.windowMs ?? NaN,
    options.failureRatio ?? NaN,
    options.minimumThroughput ?? NaN,
    options.slowCallMs ?? NaN,
    options.slowRatio ?? NaN,
    options.openMs,
    openGrowth ? curves.indexOf(openGrowth.curve) : NaN,
    openGrowth?.factor ?? NaN,
    openGrowth?.maxOpenMs ?? NaN,
    options.openJitter ?? NaN,
    options.halfOpenProbes ?? NaN,
    options.successThreshold ?? NaN,
    options.halfOpenMs ?? NaN,
  ];
  const [STATE, BUILT, NEXT] = [21, 51, 52];
  const statuses = ["closed", "open", "halfOpen"];
  const results = ["success", "failure", "ignored"];
  const run = (what, now, more = []) => {
    io.set([...given, what, now, ...more]);
    wasm.run(SUITES.indexOf("breaker"));
    if (!io[BUILT]) throw new Error("the options were refused");
    io.copyWithin(STATE, NEXT, NEXT + 15);
    const [ok, status, retryAfterMs, epoch, reported] = io.slice(NEXT + 15);
    return { verdict: { ok: ok === 1, status: statuses[status], retryAfterMs }, epoch, reported };
  };
  const state = () => {
    const [status, changedAt, probes, successes, openings, openForMs, aheadMs, failures, ...window] = io.slice(NEXT);
    const [start, prevOk, prevFail, prevSlow, currOk, currFail, currSlow] = window;
    const shared = { status: statuses[status], changedAt, probes, successes };
    const ledger = breaker === "rollingBreaker" ? { start, prevOk, prevFail, currOk, currFail } : { failures };
    const more = Object.entries({ prevSlow, currSlow, openings, openForMs, aheadMs }).filter(([, value]) => value);
    return { ...shared, ...ledger, ...Object.fromEntries(more) };
  };

  run(0, start);
  const epochs = [];
  let last;
  return steps.map(({ do: what, now, result, admittedBy, tookMs, random }, index) => {
    const report = [results.indexOf(result), epochs[admittedBy] ?? NaN, tookMs ?? NaN, random];
    const step = what === "report" ? run(2, now, report) : run(what === "request" ? 1 : 3, now);
    epochs[index] = step.epoch;
    const reported = ["counted", "ignored", "stale"][step.reported];
    const answer = what === "report" ? { reported } : { verdict: step.verdict };
    const before = last;
    last = state();
    return isDeepStrictEqual(last, before) ? answer : { ...answer, state: last };
  });
}

const VECTORS = { backoff, retry_after: retryAfter, breaker };
const SUITES = native("suites");

function vectors(name) {
  const revive = (_, value) => (value === "Infinity" ? Infinity : value);
  const cases = JSON.parse(readFileSync(join(here, "..", "vectors", `${name}.json`), "utf8"), revive);
  const text = (value) => JSON.stringify(value, (_, item) => (item === Infinity ? "Infinity" : item));
  for (const vector of cases) {
    const result = VECTORS[name](vector);
    const expected = vector.steps?.map((step) => step.expected) ?? vector.expected;
    if (isDeepStrictEqual(result, expected)) continue;
    const step = vector.steps?.findIndex((_, index) => !isDeepStrictEqual(result[index], expected[index]));
    const [ours, theirs] = vector.steps ? [result[step], expected[step]] : [result, expected];
    throw new Error(
      `${text(vector)}\ngave ${text(ours)}\nnot  ${text(theirs)}${vector.steps ? ` in step ${step}` : ""}`,
    );
  }
  return cases.length;
}

try {
  SUITES.forEach((name, suite) => {
    console.log(`${name}: ${digests(suite)} random cases agree bit for bit, native and wasm`);
    if (name in VECTORS) console.log(`${name}: ${vectors(name)} vectors come out in wasm`);
  });
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
