import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { encode } from "./npm-inline.mjs";
import { fromRoot } from "./paths.mjs";
import { Failure } from "./failure.mjs";

/** The programs of js/boundary, and what each may import: the letters that its facade gives it. */
export const programs = {
  backoff: ["a", "b"],
  breaker: [],
  "breaker-extended": ["a"],
  budget: [],
  classify: ["a", "b"],
  pipeline: ["a"],
  workers: [],
};

const target = "wasm32-unknown-unknown";
// What Node.js 18 and browsers of 2022 read; newer encodings would be a little smaller.
const features = ["bulk-memory", "bulk-memory-opt", "nontrapping-float-to-int", "sign-ext", "mutable-globals"].map(
  (name) => `--enable-${name}`,
);
const binaries = fromRoot("node_modules", ".bin");

/** What makes one program smallest does not another, after gzip. */
const pipelines = [
  ["-Oz", "--converge"],
  ["--ssa", "-Oz", "--converge"],
  ["-O3", "-Oz", "--converge"],
  ["--flatten", "--rereloop", "-Oz", "-Oz", "--converge"],
];

/** Compiles every program and writes it, as small as it gets, into `folder`. */
export function buildPrograms(folder) {
  const flags = [
    "--package",
    "retry-primitives-boundary",
    "--profile",
    "wasm",
    "--target",
    target,
    "--bins",
    "--quiet",
  ];
  execFileSync("cargo", ["build", ...flags], {
    cwd: fromRoot(),
    stdio: "inherit",
    // Few functions keep anything on the stack in memory, a budget's windows 2 kB, so this is plenty, and all fits in one page.
    env: { ...process.env, RUSTFLAGS: "-C link-arg=-zstack-size=4096" },
  });
  mkdirSync(folder, { recursive: true });
  const built = join(process.env.CARGO_TARGET_DIR ?? fromRoot("target"), target, "wasm");
  for (const [name, imports] of Object.entries(programs)) {
    const output = join(folder, `${name}.wasm`);
    checkArea(name, readFileSync(join(built, `${name}.wasm`)));
    shrink(join(built, `${name}.wasm`), output);
    checkImports(name, readFileSync(output), imports);
  }
}

/** Keeps our exports and what they reach, then makes that small. */
function shrink(input, output) {
  const letters = WebAssembly.Module.exports(new WebAssembly.Module(readFileSync(input)))
    .map(({ name }) => name)
    .filter((name) => name === "memory" || name.length === 1);
  const graph = join(fromRoot("target"), "npm-roots.json");
  writeFileSync(graph, JSON.stringify(letters.map((name) => ({ name, root: true, export: name }))));
  const stripped = `${output}.unoptimized`;
  const run = (tool, ...args) => execFileSync(join(binaries, tool), [...args, ...features], { stdio: "pipe" });
  run("wasm-metadce", input, "--graph-file", graph, "-o", stripped);
  const shrunk = pipelines.map((passes) => {
    run("wasm-opt", ...passes, "--strip-debug", "--strip-producers", "--strip-target-features", stripped, "-o", output);
    return readFileSync(output);
  });
  rmSync(stripped);
  const size = (bytes) => gzipSync(encode(bytes, 2, 0), { level: 9 }).length;
  writeFileSync(output, shrunk.sort((one, other) => size(one) - size(other))[0]);
}

/** js/instantiate.ts says the same; a program is not asked at run time, and the export that tells it is dropped. */
const AREA = 4096;

function checkArea(name, bytes) {
  const nothing = () => 0;
  const { area } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { a: { a: nothing, b: nothing } }).exports;
  if (area && area() !== AREA) throw new Failure(`${name}.wasm has its area at ${area()}, not at ${AREA}`);
}

function checkImports(name, bytes, allowed) {
  for (const { module, name: letter } of WebAssembly.Module.imports(new WebAssembly.Module(bytes))) {
    if (module !== "a" || !allowed.includes(letter)) {
      throw new Failure(`${name}.wasm imports ${module}.${letter}: is there a panic in it?`);
    }
  }
}
