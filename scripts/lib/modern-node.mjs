import { spawn } from "node:child_process";
import { fromRoot } from "./paths.mjs";
import { exitCode } from "./run.mjs";
import { isAtLeast } from "./version.mjs";

// wrangler and miniflare start on nothing older.
const minimum = "22.12.0";

/** A Node.js that wrangler and miniflare run on: this one, or the one that npm installed. */
export const modernNode = isAtLeast(process.versions.node, minimum)
  ? process.execPath
  : fromRoot("node_modules", "node", "bin", "node");

/** Runs one of our scripts on that Node.js and hands on the signals that end it; resolves to its exit code. */
export async function runScript(name, ...parameters) {
  const child = spawn(modernNode, [fromRoot("scripts", name), ...parameters], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  // A terminal sends Ctrl-C to both processes; a lone SIGINT is handed on. The child counts only the first.
  process.on("SIGINT", () => child.kill("SIGINT"));
  return exitCode(child);
}
