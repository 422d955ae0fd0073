// `npm run bench`: benches/ in one run, ours and the peers' in turn, as markdown tables: Rust, JavaScript, and what the
// JavaScript weighs.
//
//   npm run bench -- [--write] [--rounds=10] [criterion filter]
//
// --write puts them between the markers of README.md: bench, bench-js, bench-executors, sizes. With a filter there is
// Rust only, and nothing is written.
//
// The machine may be shared, and noise only ever adds. So every benchmark is measured for a moment in each of several
// rounds, and the smallest of its medians counts.

import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { modernNode } from "./lib/modern-node.mjs";
import { root } from "./lib/paths.mjs";
import { checkPrerequisites } from "./lib/prerequisites.mjs";
import { writeBetween } from "./lib/readme.mjs";

const OURS = "retry-primitives";
const BENCH = "retry-primitives-bench";
const QUICK = "--quiet --noplot --sample-size 100 --warm-up-time 0.02 --measurement-time 0.1 --nresamples 1000";

const options = process.argv.slice(2).filter((argument) => argument.startsWith("--"));
const filter = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const rounds = Number(options.find((option) => option.startsWith("--rounds="))?.split("=")[1] ?? 10);

const run = (command, args) =>
  execFileSync(command, args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"] });

/** Every benchmark's median of the round that began at `since`, in nanoseconds an element. */
function medians(folder, since) {
  const found = readdirSync(folder, { recursive: true })
    .filter((path) => path.endsWith(join("new", "estimates.json")))
    .map((path) => join(folder, path))
    .map((path) => ({ path, written: statSync(path).mtimeMs }))
    .filter(({ written }) => written >= since)
    .sort((a, b) => a.written - b.written);
  return found.map(({ path }) => {
    const { group_id, function_id, throughput } = JSON.parse(readFileSync(join(dirname(path), "benchmark.json")));
    const { median } = JSON.parse(readFileSync(path));
    return { operation: group_id, side: function_id, ns: median.point_estimate / (throughput?.Elements ?? 1) };
  });
}

function measure(folder) {
  const best = new Map();
  for (let round = 1; round <= rounds; round++) {
    process.stderr.write(`\rround ${round} of ${rounds}`);
    const since = Date.now() - 1;
    run("cargo", ["bench", "--quiet", "-p", BENCH, "--", ...QUICK.split(" "), ...filter]);
    for (const { operation, side, ns } of medians(folder, since)) {
      if (!best.has(operation)) best.set(operation, new Map());
      const sides = best.get(operation);
      sides.set(side, Math.min(ns, sides.get(side) ?? Infinity));
    }
  }
  process.stderr.write("\n");
  return best;
}

function table(best) {
  const rows = [...best].flatMap(([operation, sides]) => {
    const ours = sides.get(OURS);
    const peers = [...sides].filter(([side]) => side !== OURS);
    if (peers.length === 0) return [[operation, ours.toFixed(1), "", "", ""]];
    return peers.map(([peer, ns], index) => {
      const head = index === 0 ? [operation, ours.toFixed(1)] : ["", ""];
      return [...head, peer, ns.toFixed(1), (ns / ours).toFixed(2)];
    });
  });
  const lines = [
    ["operation", "ours, ns", "peer", "peer, ns", "peer / ours"],
    ["---", "--:", "---", "--:", "--:"],
    ...rows,
  ];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Where and with what: one line under the table. */
function provenance(metadata) {
  const { dependencies } = metadata.packages.find(({ name }) => name === BENCH);
  const { deps } = metadata.resolve.nodes.find(({ id }) => id === metadata.packages.find((p) => p.name === BENCH).id);
  const packages = deps.map(({ pkg }) => metadata.packages.find(({ id }) => id === pkg));
  const versions = packages
    .filter(({ name }) => dependencies.some((dependency) => dependency.name === name))
    .map(({ name, version }) => `${name} ${version}`);
  const machine = `${cpus()[0].model.trim()}, ${cpus().length} cores`;
  const day = new Date().toISOString().slice(0, 10);
  return `${machine}; ${run("rustc", ["--version"]).trim()}; ${versions.join(", ")}; ${day}.`;
}

checkPrerequisites();
const metadata = JSON.parse(run("cargo", ["metadata", "--format-version", "1"]));
process.stderr.write("building\n");
run("cargo", ["bench", "--quiet", "-p", BENCH, "--no-run"]);
const best = measure(join(metadata.target_directory, "criterion"));
const above = "Above 1 in the last column: ours is faster. The smallest of the medians of";
const text = `${table(best)}\n\n${above} ${rounds} rounds, ours and the peers' in turn.\n${provenance(metadata)}`;
console.log(text);
if (options.includes("--write") && filter.length === 0) writeBetween("bench", text);

if (filter.length === 0) {
  const write = options.filter((option) => option === "--write");
  for (const [program, ...command] of [
    [process.execPath, "scripts/build-package.mjs"],
    [modernNode, "benches/js/bench.mjs", ...write],
    [modernNode, "benches/js/executors.mjs", ...write],
    [process.execPath, "scripts/package-size.mjs", ...write],
  ]) {
    console.log();
    execFileSync(program, command, { cwd: root, stdio: "inherit" });
  }
}
