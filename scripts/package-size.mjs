// What the built package weighs in a bundle, beside its peers; fails above the limits:
// node scripts/package-size.mjs [--write: the sizes into README.md]
import { bundledSize } from "./lib/npm-size.mjs";
import { writeBetween } from "./lib/readme.mjs";

const ours = "retry-primitives-wasm";

const decisions = [`${ours}/backoff`, `${ours}/classify`];

/**
 * Bytes, minified and gzipped: what is aimed at, and what is reached, above which nothing grows unseen. Where there is
 * `over`, it is what the modules add to a bundle of those.
 */
const bundles = [
  { name: "/backoff", goal: 2_000, limit: 2_165, modules: [`${ours}/backoff`] },
  { name: "/backoff + /breaker", goal: 3_400, limit: 4_500, modules: [`${ours}/backoff`, `${ours}/breaker`] },
  { name: "/breaker", limit: 3_125, modules: [`${ours}/breaker`] },
  { name: "/budget", limit: 3_900, modules: [`${ours}/budget`] },
  { name: "/workers", limit: 17_000, modules: [`${ours}/workers`] },
  { name: "/operation", limit: 7_500, modules: [`${ours}/operation`] },
  { name: "/classify", limit: 4_070, modules: [`${ours}/classify`] },
  { name: "/pipeline: retry", goal: 4_100, limit: 3_970, modules: [`${ours}/pipeline#retry`] },
  { name: "/pipeline: timeoutStrategy", limit: 1_705, modules: [`${ours}/pipeline#timeoutStrategy`] },
  { name: "/pipeline: circuitBreakerStrategy", limit: 5_370, modules: [`${ours}/pipeline#circuitBreakerStrategy`] },
  { name: "/pipeline: hedgingStrategy", limit: 3_420, modules: [`${ours}/pipeline#hedgingStrategy`] },
  { name: "/pipeline: rateLimiterStrategy", limit: 2_030, modules: [`${ours}/pipeline#rateLimiterStrategy`] },
  { name: "/pipeline: bulkheadStrategy", limit: 940, modules: [`${ours}/pipeline#bulkheadStrategy`] },
  { name: "/pipeline: fallbackStrategy", limit: 780, modules: [`${ours}/pipeline#fallbackStrategy`] },
  { name: "/pipeline: all", limit: 14_390, modules: [`${ours}/pipeline`] },
  { name: ".", goal: 5_100, limit: 8_190, modules: [ours] },
  // An executor is no heavier than the p-retry that it stands in for.
  {
    name: "/async over /backoff + /classify",
    goal: 1_694,
    limit: 1_320,
    modules: [...decisions, `${ours}/async`],
    over: decisions,
  },
  {
    name: "/ladder over /backoff + /classify",
    goal: 1_694,
    limit: 1_694,
    modules: [`${ours}/ladder`],
    over: decisions,
  },
];
const peers = ["p-retry", "cockatiel", "exponential-backoff", "opossum"];

const table = (rows) => rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
const sizes = [];
const rows = [];
for (const { name, goal = "", limit, modules, over } of bundles) {
  const size = (await bundledSize(...modules)) - (over ? await bundledSize(...over) : 0);
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
