// The tests of tests/npm as one module that any runtime can run, with nothing in it of the package, which it imports.
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { Failure } from "../../scripts/lib/failure.mjs";
import { consumer, consumerTests } from "../../scripts/lib/npm-consumer.mjs";
import { readIfPresent } from "../../scripts/lib/node-modules.mjs";
import { fingerprint } from "../../scripts/lib/worker-build.mjs";
import { problemOf } from "./results.mjs";

export const folder = join(consumer, "suite");
export const esmSuite = join(folder, "suite.mjs");
export const cjsSuite = join(folder, "suite.cjs");

const shim = (name) => fileURLToPath(new URL(`./shims/${name}.mjs`, import.meta.url));
const shims = {
  "node:assert": shim("assert"),
  "node:assert/strict": shim("assert"),
  "node:events": shim("events"),
  "node:http": shim("http"),
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

/** Writes the suite as a module and for `require`; `serverUrl` is that of tests/npm/support/flaky-server.mjs. */
export async function buildSuite(serverUrl) {
  const imports = consumerTests().neutral.map((name) => `import "./${name}";`);
  const options = {
    stdin: {
      contents: [...imports, 'export { run } from "node:test";'].join("\n"),
      resolveDir: join(consumer, "tests"),
    },
    bundle: true,
    target: "es2022",
    plugins: [plugin],
    banner: { js: `globalThis.SERVER_URL = ${JSON.stringify(serverUrl)};` },
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

/** Standard output of a program that must end well. */
async function outputOf(program, args, cwd) {
  try {
    const { stdout } = await promisify(execFile)(program, args, { cwd, maxBuffer: 1 << 26 });
    return stdout;
  } catch ({ message, stdout, stderr }) {
    throw new Failure(`${stdout}${stderr}\n${message.split("\n")[0]}`);
  }
}

/** Runs tests of the consumer with Node.js' own runner; the number of tests that passed. */
export async function runOnNode(node, names) {
  const files = names.map((name) => join("tests", name));
  const options = ["--no-warnings", "--expose-gc", "--test", "--test-concurrency=2", "--test-reporter=tap"];
  const output = await outputOf(node, [...options, ...files], consumer);
  const count = (what) => Number(new RegExp(`^# ${what} (\\d+)$`, "m").exec(output)?.[1]);
  if (count("pass") !== count("tests")) throw new Failure(`${output}\n${node} left tests out.`);
  return count("pass");
}

/** Runs the suite in a process of its own, which prints what came out as its last line. */
export async function runProcess(program, args) {
  const output = await outputOf(program, args, folder);
  return JSON.parse(output.trimEnd().split("\n").at(-1));
}

/** The number of tests that Node.js' own runner counts, kept as long as neither they nor the package change. */
async function expectedCount() {
  const stamp = join(consumer, "counted-from.json");
  const from = fingerprint(consumer, ["installed-from", "tests"]);
  const known = JSON.parse(readIfPresent(stamp) ?? "{}");
  if (known.from === from) return known.count;
  const count = await runOnNode(process.execPath, consumerTests().neutral);
  writeFileSync(stamp, JSON.stringify({ from, count }));
  return count;
}

/** Holds the results of a runtime against that number. */
export async function report(where, results) {
  const problem = problemOf(results, await expectedCount());
  if (problem) throw new Failure(`${where}: ${problem}`);
  console.log(`${where}: ${results.length} tests passed`);
}
