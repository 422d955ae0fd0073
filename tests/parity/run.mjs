// Native against wasm, bit for bit, and the shared vectors against the wasm: node tests/parity/run.mjs
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

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
const buffer = () => new Float64Array(wasm.memory.buffer, wasm.buffer(), 32);

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

const VECTORS = { backoff };

function vectors(name) {
  const revive = (_, value) => (value === "Infinity" ? Infinity : value);
  const cases = JSON.parse(readFileSync(join(here, "..", "vectors", `${name}.json`), "utf8"), revive);
  const text = (value) => JSON.stringify(value, (_, item) => (item === Infinity ? "Infinity" : item));
  for (const vector of cases) {
    const result = VECTORS[name](vector);
    if (text(result) !== text(vector.expected)) throw new Error(`${text(vector)}\ngave ${text(result)}`);
  }
  return cases.length;
}

try {
  native("suites").forEach((name, suite) => {
    console.log(`${name}: ${digests(suite)} random cases agree bit for bit, native and wasm`);
    console.log(`${name}: ${vectors(name)} vectors come out in wasm`);
  });
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
