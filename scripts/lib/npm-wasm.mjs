import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
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
    emptyStack(name, output);
  }
}

/** Keeps our exports and what they reach, then makes that small: most of a build's time, so what is known is kept. */
function shrink(input, output) {
  const { version } = JSON.parse(readFileSync(fromRoot("node_modules", "binaryen", "package.json"), "utf8"));
  const how = JSON.stringify([version, features, pipelines]);
  const key = createHash("sha256").update(how).update(readFileSync(input)).digest("hex");
  const known = fromRoot("target", "npm-shrunk", `${key}.wasm`);
  if (!existsSync(known)) {
    shrinkAnew(input, output);
    mkdirSync(dirname(known), { recursive: true });
    writeFileSync(known, readFileSync(output));
  }
  writeFileSync(output, readFileSync(known));
}

function shrinkAnew(input, output) {
  const letters = WebAssembly.Module.exports(new WebAssembly.Module(readFileSync(input)))
    .map(({ name }) => name)
    .filter((name) => name === "memory" || name.length === 1);
  mkdirSync(fromRoot("target"), { recursive: true });
  const graph = fromRoot("target", "npm-roots.json");
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

/** js/core/instantiate.ts says the same; a program is not asked at run time, and the export that tells it is dropped. */
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

/**
 * An exception, be it an import's or that the engine's own stack is full, does not give back what functions keep on the stack
 * in memory; after a few the program would be dead. So nothing may lie there while an import is called, which is checked, and
 * every export that uses it begins with an empty one.
 */
function emptyStack(name, path) {
  const run = (tool, ...args) =>
    execFileSync(join(binaries, tool), [...args, ...features], { encoding: "utf8", stdio: "pipe" });
  const text = run("wasm-dis", path);
  const [, pointer, top] = /\(global (\S+) \(mut i32\) \(i32\.const (\d+)\)\)/.exec(text) ?? [];
  if (!pointer) return;
  const [head, ...functions] = text.split(/^(?= \(func )/m);
  const bodies = new Map(functions.map((body) => [/\(func (\S+)/.exec(body)[1], body]));
  /** The functions that one calls, and those that these call, with itself; imports have no body. */
  const reach = (id, found = new Set()) => {
    if (found.has(id)) return found;
    found.add(id);
    for (const [, callee] of (bodies.get(id) ?? "").matchAll(/\(call (\$\S+)/g)) reach(callee, found);
    return found;
  };
  const uses = (id) => bodies.get(id)?.includes(`(global.set ${pointer}`);
  for (const id of bodies.keys()) {
    if (uses(id) && [...reach(id)].some((callee) => !bodies.has(callee))) {
      throw new Failure(`${name}.wasm calls an import beneath ${id}, which has something on the stack in memory`);
    }
  }
  if (text.includes("call_indirect")) throw new Failure(`${name}.wasm calls what is not known here`);
  for (const [, id] of head.matchAll(/\(export "\w+" \(func (\S+)\)\)/g)) {
    if (![...reach(id)].some(uses)) continue;
    const begun = (start) => `${start}  (global.set ${pointer} (i32.const ${top}))\n`;
    bodies.set(id, bodies.get(id).replace(/^.*\n(?:  \(local .*\n)*/, begun));
  }
  const source = `${path}.wat`;
  writeFileSync(source, [head, ...bodies.values()].join(""));
  run("wasm-as", source, "-o", path);
  rmSync(source);
}
