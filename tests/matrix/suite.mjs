// The tests of tests/npm as one module that any runtime can run, with nothing in it of the package, which it imports.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Failure } from "../../scripts/lib/failure.mjs";
import { consumer, consumerTests } from "../../scripts/lib/npm-consumer.mjs";
import { problemOf } from "./results.mjs";

export const folder = join(consumer, "suite");
export const esmSuite = join(folder, "suite.mjs");
export const cjsSuite = join(folder, "suite.cjs");

const shim = (name) => fileURLToPath(new URL(`./shims/${name}.mjs`, import.meta.url));
const shims = {
  "node:assert": shim("assert"),
  "node:assert/strict": shim("assert"),
  "node:events": shim("events"),
  "node:test": shim("test"),
};
const plugin = {
  name: "shims",
  setup({ onResolve }) {
    onResolve({ filter: /^node:/ }, ({ path, importer }) => {
      if (Object.hasOwn(shims, path)) return { path: shims[path] };
      return { errors: [{ text: `${importer} imports ${path}: name it *.node.test.mjs, or do without` }] };
    });
    onResolve({ filter: /^retry-primitives-wasm/ }, ({ path }) => ({ path, external: true }));
  },
};

/** Writes the suite as a module and for `require`. */
export async function buildSuite() {
  const imports = consumerTests().neutral.map((name) => `import "./${name}";`);
  const options = {
    stdin: {
      contents: [...imports, 'export { run } from "node:test";'].join("\n"),
      resolveDir: join(consumer, "tests"),
    },
    bundle: true,
    target: "es2022",
    plugins: [plugin],
    logLevel: "error",
  };
  mkdirSync(folder, { recursive: true });
  await build({ ...options, format: "esm", outfile: esmSuite });
  await build({ ...options, format: "cjs", outfile: cjsSuite });
  // What is left for a runtime to do.
  const print = (results) => `${results}.then((results) => console.log("\\n" + JSON.stringify(results)));`;
  writeFileSync(join(folder, "main.mjs"), `import { run } from "./suite.mjs";\n${print("run()")}\n`);
  writeFileSync(join(folder, "main.cjs"), `${print('require("./suite.cjs").run()')}\n`);
}

/** Runs tests of the consumer with Node.js' own runner; the number of tests that passed. */
export function runOnNode(node, names) {
  const files = names.map((name) => join("tests", name));
  const args = ["--no-warnings", "--expose-gc", "--test", "--test-concurrency=2", "--test-reporter=tap", ...files];
  const { stdout, stderr, status } = spawnSync(node, args, { cwd: consumer, encoding: "utf8" });
  const count = (what) => Number(new RegExp(`^# ${what} (\\d+)$`, "m").exec(stdout)?.[1]);
  if (status !== 0 || count("pass") !== count("tests")) throw new Failure(`${stdout}${stderr}\n${node} failed.`);
  return count("pass");
}

/** Runs the suite in a process of its own, which prints what came out as its last line. */
export function runProcess(program, args, cwd = folder) {
  const { stdout, stderr, status } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Failure(`${stdout}${stderr}\n${[program, ...args].join(" ")} failed.`);
  return JSON.parse(stdout.trimEnd().split("\n").at(-1));
}

let expected;

/** Holds the results of a runtime against the number of tests that Node.js' own runner counts. */
export function report(where, results) {
  expected ??= runOnNode(process.execPath, consumerTests().neutral);
  const problem = problemOf(results, expected);
  if (problem) throw new Failure(`${where}: ${problem}`);
  console.log(`${where}: ${results.length} tests passed`);
}
