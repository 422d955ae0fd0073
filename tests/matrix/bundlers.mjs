// The suite through bundlers, each as it is without configuration of ours, and what comes out run where it belongs.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../scripts/lib/failure.mjs";
import { fromRoot } from "../../scripts/lib/paths.mjs";
import { bundlers } from "./bundle.mjs";
import { buildSuite, folder, report, runProcess } from "./suite.mjs";
import { askWorkerd, suiteWorker } from "./workerd/installed.mjs";

const entry = join(folder, "main.mjs");
const output = join(folder, "bundled");

export default async function checkBundlers(serverUrl) {
  await buildSuite(serverUrl);
  rmSync(output, { recursive: true, force: true });
  for (const [name, bundle] of Object.entries(bundlers)) {
    const outfile = join(output, `${name.replace(/\W+/g, "-")}.js`);
    await bundle(entry, outfile);
    await report(name, await runProcess(process.execPath, [outfile]));
  }
  await report("wrangler", await askWorkerd(bundleWithWrangler()));
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
  if (programs.length === 0) throw new Failure("wrangler would upload no WebAssembly");
  return [
    { type: "ESModule", path: "worker.js", contents: readFileSync(join(uploaded, "worker.js"), "utf8") },
    ...programs.map((path) => ({ type: "CompiledWasm", path, contents: readFileSync(join(uploaded, path)) })),
  ];
}
