// Packs what npm would publish, installs that tarball in a folder of its own, and tests it there:
// node scripts/test-package.mjs [--install-only]
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exitOnFailure } from "./lib/failure.mjs";
import { buildPackage } from "./lib/npm-build.mjs";
import { fromRoot } from "./lib/paths.mjs";

const consumer = fromRoot("target", "npm-consumer");
const run = (program, args, cwd = consumer) => execFileSync(program, args, { cwd, stdio: "inherit" });

await exitOnFailure(async () => {
  await buildPackage();
  rmSync(consumer, { recursive: true, force: true });
  mkdirSync(consumer, { recursive: true });
  run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", consumer], fromRoot());
  const [tarball] = readdirSync(consumer).filter((name) => name.endsWith(".tgz"));

  writeFileSync(join(consumer, "package.json"), '{ "name": "consumer", "private": true, "type": "module" }\n');
  run("npm", ["install", "--offline", "--no-audit", "--no-fund", "--silent", `./${tarball}`]);
  if (process.argv.includes("--install-only")) return;
  cpSync(fromRoot("tests", "npm"), join(consumer, "tests"), { recursive: true });
  cpSync(fromRoot("tests", "vectors"), join(consumer, "tests", "vectors"), { recursive: true });

  const compiler = fromRoot("node_modules", "typescript", "bin", "tsc");
  const types = ["--noEmit", "--strict", "--target", "es2022", "--types", "", join("tests", "types.ts")];
  run(process.execPath, [compiler, ...types, "--module", "nodenext"]);
  run(process.execPath, [compiler, ...types, "--module", "esnext", "--moduleResolution", "bundler"]);

  const tests = readdirSync(join(consumer, "tests")).filter((name) => name.endsWith(".test.mjs"));
  const files = tests.sort().map((name) => join("tests", name));
  run(process.execPath, ["--expose-gc", "--test", "--test-reporter=spec", ...files]);
});
