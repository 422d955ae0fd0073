// What the built package weighs in a bundle, beside its peers; fails above the limits: node scripts/package-size.mjs
import { bundledSize } from "./lib/npm-size.mjs";

const ours = "retry-primitives-wasm";

/** Bytes, minified and gzipped. What is reached, not what is hoped for: nothing grows unseen. */
const limits = [
  ["/backoff", 2_000, [`${ours}/backoff`]],
  ["/backoff + /breaker", 3_400, [`${ours}/backoff`, `${ours}/breaker`]],
  ["/breaker", 10_000, [`${ours}/breaker`]],
  ["/classify", 10_000, [`${ours}/classify`]],
  [".", 10_000, [ours]],
];
const peers = ["p-retry", "cockatiel", "exponential-backoff", "opossum"];

const row = (...cells) => console.log(`| ${cells.join(" | ")} |`);
row("bundle", "minified, gzip -9", "limit");
row("---", "--:", "--:");
for (const [name, limit, modules] of limits) {
  const size = await bundledSize(...modules);
  row(name, size, limit);
  if (size > limit) {
    console.error(`${name} weighs ${size} bytes, and its limit is ${limit}.`);
    process.exitCode = 1;
  }
}
for (const peer of peers) row(peer, await bundledSize(peer), "");
