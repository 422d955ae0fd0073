// What the built package weighs in a bundle, beside its peers; fails above the limits:
// node scripts/package-size.mjs [--write: the sizes into README.md]
import { bundledSize } from "./lib/npm-size.mjs";
import { writeBetween } from "./lib/readme.mjs";

const ours = "retry-primitives-wasm";

/** Bytes, minified and gzipped: what is aimed at, and what is reached, above which nothing grows unseen. */
const bundles = [
  { name: "/backoff", goal: 2_000, limit: 2_137, modules: [`${ours}/backoff`] },
  { name: "/backoff + /breaker", goal: 3_400, limit: 4_376, modules: [`${ours}/backoff`, `${ours}/breaker`] },
  { name: "/breaker", limit: 3_010, modules: [`${ours}/breaker`] },
  { name: "/classify", limit: 3_692, modules: [`${ours}/classify`] },
  { name: ".", goal: 5_100, limit: 7_870, modules: [ours] },
];
const peers = ["p-retry", "cockatiel", "exponential-backoff", "opossum"];

const table = (rows) => rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
const sizes = [];
const rows = [];
for (const { name, goal = "", limit = Infinity, modules } of bundles) {
  const size = await bundledSize(...modules);
  sizes.push([`\`${name}\``, size]);
  rows.push([name, size, goal, limit]);
  if (size > limit) {
    console.error(`${name} weighs ${size} bytes, and its limit is ${limit}.`);
    process.exitCode = 1;
  }
}
for (const peer of peers) {
  const size = await bundledSize(peer);
  sizes.push([peer, size]);
  rows.push([peer, size, "", ""]);
}
console.log(table([["bundle", "minified, gzip -9", "goal", "limit"], ["---", "--:", "--:", "--:"], ...rows]));
if (process.argv.includes("--write")) {
  writeBetween("sizes", table([["bundle", "bytes, minified and gzipped"], ["---", "--:"], ...sizes]));
}
