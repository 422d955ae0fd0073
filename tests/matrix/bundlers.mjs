// The suite through bundlers, each as it is without configuration of ours, and what comes out run where it belongs.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as esbuild from "esbuild";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import { rollup } from "rollup";
import webpack from "webpack";
import { Failure } from "../../scripts/lib/failure.mjs";
import { fromRoot } from "../../scripts/lib/paths.mjs";
import { buildSuite, folder, report, runProcess } from "./suite.mjs";
import { askWorkerd, suiteWorker } from "./workerd/installed.mjs";

const entry = join(folder, "main.mjs");
const output = join(folder, "bundled");

/** Vercel's form of an import of WebAssembly, which gives a compiled module. */
const wasmModules = {
  name: "wasm-modules",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\.wasm\?module$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.replace("?module", "")),
      namespace: "wasm-modules",
    }));
    onLoad({ filter: /./, namespace: "wasm-modules" }, ({ path }) => ({
      contents: `export default new WebAssembly.Module(new Uint8Array([${readFileSync(path).join()}]));`,
    }));
  },
};

const bundlers = {
  async esbuild(outfile) {
    await esbuild.build({ entryPoints: [entry], bundle: true, outfile, logLevel: "error" });
  },
  async "esbuild, as CommonJS for Node.js"(outfile) {
    await esbuild.build({ entryPoints: [entry], bundle: true, platform: "node", outfile, logLevel: "error" });
  },
  async "esbuild, as for Vercel's edge runtime"(outfile) {
    const plugins = [wasmModules];
    await esbuild.build({ entryPoints: [entry], bundle: true, conditions: ["edge-light"], plugins, outfile });
  },
  async webpack(outfile) {
    const [path, filename] = [output, outfile.slice(output.length + 1)];
    const stats = await new Promise((resolve, reject) => {
      const done = (error, result) => (error ? reject(error) : resolve(result));
      webpack({ entry, mode: "production", output: { path, filename }, performance: { hints: false } }, done);
    });
    if (stats.hasErrors() || stats.hasWarnings()) throw new Failure(stats.toString());
  },
  async rollup(outfile) {
    const onwarn = ({ message }) => {
      throw new Failure(`rollup: ${message}`);
    };
    const bundle = await rollup({ input: entry, plugins: [nodeResolve()], onwarn });
    await bundle.write({ file: outfile, format: "es" });
  },
};

export default async function checkBundlers() {
  await buildSuite();
  rmSync(output, { recursive: true, force: true });
  for (const [name, bundle] of Object.entries(bundlers)) {
    const outfile = join(output, `${name.replace(/\W+/g, "-")}.js`);
    await bundle(outfile);
    report(name, runProcess(process.execPath, [outfile]));
  }
  report("wrangler", await askWorkerd(bundleWithWrangler()));
}

/** What `wrangler deploy` would upload. */
function bundleWithWrangler() {
  const worker = join(output, "worker");
  mkdirSync(worker, { recursive: true });
  writeFileSync(join(worker, "worker.mjs"), suiteWorker);
  const config = { name: "suite", main: "worker.mjs", compatibility_date: "2026-01-01" };
  writeFileSync(join(worker, "wrangler.json"), JSON.stringify(config));
  const wrangler = fromRoot("node_modules", "wrangler", "bin", "wrangler.js");
  const uploaded = join(worker, "uploaded");
  execFileSync(process.execPath, [wrangler, "deploy", "--dry-run", "--outdir", uploaded], {
    cwd: worker,
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_LOG_PATH: fromRoot("target", "wrangler-logs") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const programs = readdirSync(uploaded).filter((name) => /\.wasm(\?module)?$/.test(name));
  return [
    { type: "ESModule", path: "worker.js", contents: readFileSync(join(uploaded, "worker.js"), "utf8") },
    ...programs.map((path) => ({ type: "CompiledWasm", path, contents: readFileSync(join(uploaded, path)) })),
  ];
}
