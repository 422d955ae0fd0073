import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fromRoot } from "./paths.mjs";
import { runWithProgress } from "./run.mjs";

const stamp = fromRoot("node_modules", ".installed-from");

/** `npm ci`, unless node_modules was installed from this very lock file. */
export async function installNodeModules() {
  const wanted = createHash("sha256")
    .update(readFileSync(fromRoot("package-lock.json")))
    .digest("hex");
  if (readIfPresent(stamp) === wanted) return;
  await runWithProgress("Installing npm packages", "about half a minute", "npm", ["ci", "--no-audit", "--no-fund"]);
  writeFileSync(stamp, wanted);
}

export function readIfPresent(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}
