// The installed package in a Worker, where its programs are modules of their own. Needs the Node.js that modern-node.mjs names,
// and what test-package.mjs has installed.
import assert from "node:assert/strict";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fromRoot } from "./lib/paths.mjs";

const consumer = fromRoot("target", "npm-consumer");
const programs = new Map();
/** As wrangler does it: a `.wasm` stays an import, of a module that is uploaded beside the script. */
const wasmModules = {
  name: "wasm-modules",
  setup(build) {
    build.onResolve({ filter: /\.wasm$/ }, ({ path, resolveDir }) => {
      const name = basename(path);
      programs.set(name, readFileSync(join(resolveDir, path)));
      return { path: `./${name}`, external: true };
    });
  },
};
const { outputFiles } = await build({
  entryPoints: [join(consumer, "tests", "workerd", "worker.mjs")],
  bundle: true,
  format: "esm",
  conditions: ["workerd", "worker", "browser"],
  plugins: [wasmModules],
  write: false,
});
assert.deepEqual([...programs.keys()].sort(), ["backoff.wasm", "breaker.wasm", "budget.wasm", "classify.wasm"]);

const modules = [...programs].map(([path, contents]) => ({ type: "CompiledWasm", path, contents }));
const script = { type: "ESModule", path: "worker.mjs", contents: outputFiles[0].text };
const options = {
  modules: [script, ...modules],
  compatibilityDate: "2026-01-01",
  cf: false,
  telemetry: { enabled: false },
};
const runtime = new Miniflare(convertV4MiniflareOptions(options));
try {
  const response = await runtime.dispatchFetch("http://localhost/");
  assert.deepEqual(await response.json(), {
    waits: [5, 5],
    status: "open",
    outcome: { retryable: true, retryAfterMs: 7_000 },
    tokens: 100,
    calls: 3,
  });
  console.log("workerd: imports the programs as modules, and decides");
} finally {
  await runtime.dispose();
}
