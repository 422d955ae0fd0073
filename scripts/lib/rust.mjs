import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "./failure.mjs";
import { fromRoot, toolsFolder } from "./paths.mjs";
import { outputOf, runWithProgress } from "./run.mjs";

const targets = ["wasm32-unknown-unknown", "wasm32v1-none"];

export async function installTargets() {
  const installed = (outputOf("rustup", ["target", "list", "--installed"]) ?? "").split("\n");
  const missing = targets.filter((target) => !installed.includes(target));
  if (missing.length === 0) return;
  await runWithProgress("Adding Rust targets", "seconds", "rustup", ["target", "add", ...missing]);
}

/** The version of a crate that Cargo.lock names: the tools follow the crates, never the other way round. */
export function lockedVersion(crate, lock = readFileSync(fromRoot("Cargo.lock"), "utf8")) {
  const entry = new RegExp(`^name = "${crate}"\nversion = "([^"]+)"`, "m").exec(lock);
  if (!entry) throw new Failure(`Cargo.lock does not name ${crate}.`);
  return entry[1];
}

export const toolPath = (name) => join(toolsFolder, "bin", name);

export async function installTools() {
  const tools = [
    { program: "wasm-bindgen", crate: "wasm-bindgen-cli", version: lockedVersion("wasm-bindgen"), minutes: 2 },
    { program: "worker-build", crate: "worker-build", version: lockedVersion("worker"), minutes: 4 },
  ];
  const missing = tools.filter(({ program, version }) => !isInstalled(program, version));
  if (missing.length === 0) return;

  const buildFolder = join(toolsFolder, "build");
  for (const { program, crate, version, minutes } of missing) {
    await runWithProgress(
      `Compiling ${program} ${version}, once`,
      `about ${minutes} minutes on two cores`,
      "cargo",
      // No --locked: the lock file inside wasm-bindgen-cli names a version that is no longer published.
      ["install", crate, "--version", version, "--bin", program, "--root", toolsFolder, "--force"],
      // Built once and run for a second at a time: quick to compile matters more than quick to run.
      { CARGO_TARGET_DIR: buildFolder, CARGO_PROFILE_RELEASE_OPT_LEVEL: "1", CARGO_PROFILE_RELEASE_LTO: "off" },
    );
  }
  rmSync(buildFolder, { recursive: true, force: true });
}

function isInstalled(program, version) {
  const path = toolPath(program);
  return existsSync(path) && (outputOf(path, ["--version"]) ?? "").includes(version);
}
