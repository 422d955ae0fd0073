// Runs on any Node.js that reads modules, so it names nothing newer than that.
import { spawnSync } from "node:child_process";
import { findVersion, isAtLeast } from "./version.mjs";

export const prerequisites = [
  {
    name: "Node.js",
    minimum: "20.0.0",
    read: () => process.versions.node,
    remedy: "install a current release of Node.js, which brings npm along",
  },
  {
    name: "npm",
    minimum: "9.0.0",
    read: () => versionOf("npm"),
    remedy: "install Node.js again, or your system's npm package",
  },
  {
    name: "rustup",
    minimum: "1.0.0",
    read: () => versionOf("rustup"),
    remedy: "install Rust through rustup, which also adds the WebAssembly targets",
  },
  {
    name: "cargo",
    minimum: "1.91.0",
    read: () => versionOf("cargo"),
    remedy: "run `rustup update stable`, or install Rust through rustup",
  },
  {
    name: "cc",
    minimum: "0.0",
    read: () => versionOf("cc"),
    remedy: "install a C compiler (build-essential, gcc or Xcode's command line tools), which Rust links with",
  },
];

export function versionOf(program) {
  const result = spawnSync(program, ["--version"], { encoding: "utf8" });
  if (result.error || result.status !== 0) return undefined;
  return findVersion(result.stdout) || "0.0";
}

/** One sentence for each prerequisite that is missing or too old. */
export function missingPrerequisites(list) {
  const sentences = [];
  for (const { name, minimum, read, remedy } of list) {
    const version = read();
    if (version === undefined) {
      sentences.push(`${name} was not found: ${remedy}.`);
    } else if (!isAtLeast(version, minimum)) {
      sentences.push(`${name} ${minimum} or newer is needed and this is ${version}: ${remedy}.`);
    }
  }
  return sentences;
}

export function checkPrerequisites() {
  const sentences = missingPrerequisites(prerequisites);
  if (sentences.length === 0) return;
  for (const sentence of sentences) console.error(sentence);
  process.exit(1);
}
