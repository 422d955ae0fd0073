import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildPackage } from "./npm-build.mjs";
import { readIfPresent } from "./node-modules.mjs";
import { stagePackage, staged } from "./npm-stage.mjs";
import { fromRoot, root } from "./paths.mjs";
import { fingerprint } from "./worker-build.mjs";

/** A folder that has installed the packed tarball, as a user's would have; tests run in it. */
export const consumer = fromRoot("target", "npm-consumer");
export const tarball = join(consumer, "package.tgz");

const stamp = join(consumer, "installed-from");
const sources = [
  "Cargo.lock",
  "Cargo.toml",
  "LICENSE",
  "README.md",
  "js",
  "package-lock.json",
  "package.json",
  "scripts/lib",
  "src",
];

const run = (program, args, cwd) => execFileSync(program, args, { cwd, stdio: ["ignore", "inherit", "inherit"] });

/** Packs what npm would publish and installs it, unless that is what is there; the tests are always copied. */
export async function installConsumer() {
  const wanted = fingerprint(root, sources);
  if (readIfPresent(stamp) !== wanted || !existsSync(fromRoot("dist"))) {
    await buildPackage();
    stagePackage();
    rmSync(consumer, { recursive: true, force: true });
    mkdirSync(consumer, { recursive: true });
    run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", consumer], staged);
    const [packed] = readdirSync(consumer);
    cpSync(join(consumer, packed), tarball);
    writeFileSync(join(consumer, "package.json"), '{ "name": "consumer", "private": true, "type": "module" }\n');
    run("npm", ["install", "--offline", "--no-audit", "--no-fund", "--silent", "./package.tgz"], consumer);
    writeFileSync(stamp, wanted);
  }
  rmSync(join(consumer, "tests"), { recursive: true, force: true });
  cpSync(fromRoot("tests", "npm"), join(consumer, "tests"), { recursive: true });
  cpSync(fromRoot("tests", "vectors"), join(consumer, "tests", "vectors"), { recursive: true });
}

// What is about documents, or takes its time to say the same on every Node.js.
const once = /^migrating\.|-(readme|soak)\./;

/**
 * The tests of the package: `neutral`, for any runtime; `node`, which need what only Node.js has and are named
 * `*.node.test.mjs`; and those of them that are run on one Node.js, `once`.
 */
export function consumerTests() {
  const tests = readdirSync(join(consumer, "tests"))
    .filter((name) => name.endsWith(".test.mjs"))
    .sort();
  const needsNode = (name) => name.endsWith(".node.test.mjs");
  const node = tests.filter(needsNode);
  return {
    neutral: tests.filter((name) => !needsNode(name)),
    node: node.filter((name) => !once.test(name)),
    once: node.filter((name) => once.test(name)),
  };
}
