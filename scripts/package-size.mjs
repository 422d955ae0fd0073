// What the built package weighs in a bundle, beside its peers; fails above the limits: node scripts/package-size.mjs
import { bundledSize } from "./lib/npm-size.mjs";

const ours = "retry-primitives-wasm";

/** Bytes, minified and gzipped: what is aimed at, and what is reached, above which nothing grows unseen. */
const bundles = [
  { name: "/backoff", goal: 2_000, limit: 2_290, modules: [`${ours}/backoff`] },
  { name: "/backoff + /breaker", goal: 3_400, limit: 4_730, modules: [`${ours}/backoff`, `${ours}/breaker`] },
  { name: "/breaker", limit: 3_100, modules: [`${ours}/breaker`] },
  { name: "/classify", limit: 3_750, modules: [`${ours}/classify`] },
  { name: ".", goal: 5_100, limit: 8_270, modules: [ours] },
];
const peers = ["p-retry", "cockatiel", "exponential-backoff", "opossum"];

const row = (...cells) => console.log(`| ${cells.join(" | ")} |`);
row("bundle", "minified, gzip -9", "goal", "limit");
row("---", "--:", "--:", "--:");
for (const { name, goal = "", limit, modules } of bundles) {
  const size = await bundledSize(...modules);
  row(name, size, goal, limit);
  if (size > limit) {
    console.error(`${name} weighs ${size} bytes, and its limit is ${limit}.`);
    process.exitCode = 1;
  }
}
for (const peer of peers) row(peer, await bundledSize(peer), "", "");
