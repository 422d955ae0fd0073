import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, delimiter, dirname, join, relative } from "node:path";
import { readIfPresent } from "./node-modules.mjs";
import { fromRoot, root, toolsFolder } from "./paths.mjs";
import { runWithProgress } from "./run.mjs";
import { toolPath } from "./rust.mjs";

const ignored = new Set(["build", "node_modules", "target"]);

/** Builds the worker in a folder of this repository for the Workers runtime, unless its sources are those of the last build. */
export async function buildWorker(folder) {
  const crate = [`${folder}/Cargo.toml`, `${folder}/src`];
  const wanted = fingerprint(root, ["Cargo.toml", "Cargo.lock", "package-lock.json", "src", ...crate]);
  const output = fromRoot(folder, "build", "index_bg.wasm");
  const stamp = fromRoot("target", `${basename(folder)}.built-from`);
  if (existsSync(output) && readIfPresent(stamp) === wanted) return;
  const binaries = fromRoot("node_modules", ".bin");
  await runWithProgress(
    `Building ${folder}`,
    "a minute or two at first, then seconds",
    toolPath("worker-build"),
    ["--profile", "wasm", folder],
    {
      PATH: [join(toolsFolder, "bin"), process.env.PATH].join(delimiter),
      WASM_BINDGEN_BIN: toolPath("wasm-bindgen"),
      WASM_OPT_BIN: join(binaries, "wasm-opt"),
      ESBUILD_BIN: join(binaries, "esbuild"),
      RUST_BACKTRACE: "0",
    },
  );
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
}

/** A hash of the names and contents of all files under the given paths. */
export function fingerprint(folder, paths) {
  const hash = createHash("sha256");
  for (const path of paths) {
    for (const file of filesUnder(join(folder, path))) {
      const content = readFileSync(file);
      hash.update(`${relative(folder, file)}\n${content.length}\n`).update(content);
    }
  }
  return hash.digest("hex");
}

function filesUnder(path) {
  let entries;
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (error.code === "ENOTDIR") return [path];
    throw error;
  }
  return entries
    .filter((entry) => !ignored.has(entry.name))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) => filesUnder(join(path, entry.name)));
}
