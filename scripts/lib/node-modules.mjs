import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./paths.mjs";
import { runWithProgress } from "./run.mjs";

/** `npm ci` in a folder, unless its node_modules was installed from this very lock file. */
export async function installNodeModules(folder = root, title = "Installing npm packages") {
  const stamp = join(folder, "node_modules", ".installed-from");
  const wanted = createHash("sha256")
    .update(readFileSync(join(folder, "package-lock.json")))
    .digest("hex");
  if (readIfPresent(stamp) === wanted) return;
  const command = ["ci", "--no-audit", "--no-fund", "--prefix", folder];
  await runWithProgress(title, "about half a minute", "npm", command);
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
