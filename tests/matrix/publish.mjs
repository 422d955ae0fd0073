// What tools say of the tarball, and what TypeScript sees of it.
import { spawnSync } from "node:child_process";
import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../scripts/lib/failure.mjs";
import { consumer, tarball } from "../../scripts/lib/npm-consumer.mjs";
import { fromRoot } from "../../scripts/lib/paths.mjs";

const installed = (...path) => fromRoot("tests", "matrix", "node_modules", ...path);
const newest = fromRoot("node_modules", "typescript", "bin", "tsc");
const older = installed("typescript5", "bin", "tsc");
const strict = ["--noEmit", "--strict", "--target", "es2022"];
const exact = [...strict, "--exactOptionalPropertyTypes"];
// No types but the ones of a browser, which TypeScript brings along.
const browser = ["--typeRoots", "none"];
const resolutions = [
  ["--module", "nodenext"],
  ["--module", "node16", "--moduleResolution", "node16"],
  ["--module", "esnext", "--moduleResolution", "bundler"],
];
// Who has no types of a browser has those of another runtime.
const runtimes = ["@types/node", "@cloudflare/workers-types"].map((name) => [
  ...["--module", "esnext", "--moduleResolution", "bundler", "--lib", "es2022"],
  ...["--types", installed(name)],
]);

const tsc = (compiler, ...options) => [compiler === newest ? "TypeScript 7" : "TypeScript 5", compiler, ...options];
// The same files as modules and, by their name, as CommonJS.
const asModules = readdirSync(fromRoot("tests", "npm"))
  .filter((name) => /^types.*\.ts$/.test(name))
  .map((name) => join("tests", name));
const asCommonJs = asModules.map((path) => path.replace(/ts$/, "cts"));
const files = [...asModules, ...asCommonJs];

const checks = [
  ["publint", installed("publint", "src", "cli.js"), "run", tarball, "--strict"],
  ["are the types wrong", installed("@arethetypeswrong", "cli", "dist", "index.js"), tarball, "--no-color"],
  ...resolutions.map((resolution) => tsc(newest, ...exact, ...browser, ...resolution, ...files)),
  tsc(newest, ...strict, ...browser, ...resolutions[0], ...files),
  tsc(older, ...exact, ...browser, ...resolutions[0], ...files),
  tsc(older, ...strict, ...browser, "--module", "commonjs", "--moduleResolution", "node10", ...asModules),
  ...runtimes.map((options) => tsc(newest, ...exact, ...options, ...asModules)),
];

// Not every finding is an exit code.
const praise = { publint: "All good!", "are the types wrong": "No problems found" };

export default async function checkTarball() {
  for (const [index, path] of asModules.entries()) {
    copyFileSync(join(consumer, path), join(consumer, asCommonJs[index]));
  }
  for (const [name, ...command] of checks) {
    const { stdout, stderr, status } = spawnSync(process.execPath, command, { cwd: consumer, encoding: "utf8" });
    const silent = praise[name] === undefined || stdout.includes(praise[name]);
    if (status !== 0 || !silent)
      throw new Failure(`${stdout}${stderr}\n${name} found something: node ${command.join(" ")}`);
    console.log(`${name} has nothing to say: ${command.slice(1).join(" ")}`.replaceAll(`${fromRoot()}/`, ""));
  }
}
