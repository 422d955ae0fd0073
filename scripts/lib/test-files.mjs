import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./paths.mjs";

/** Test files under a folder; named one by one, since Node.js 20 expands no patterns. */
export function testFiles(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((name) => /\.test\.m?js$/.test(name))
    .sort()
    .map((name) => join(folder, name));
}
