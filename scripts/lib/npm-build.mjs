import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { encodeSmallest } from "./npm-inline.mjs";
import { buildPrograms, programs } from "./npm-wasm.mjs";
import { fromRoot } from "./paths.mjs";

const dist = fromRoot("dist");

// What an import of a `.wasm` gives where it gives anything.
const wasmDeclaration = "declare const program: WebAssembly.Module;\nexport = program;\n";

/**
 * dist/wasm   the programs
 * dist/esm    the facade as modules, with the programs inlined
 * dist/cjs    the same for `require`
 * dist/edge   the same as modules, where a program is an import of its own
 */
export async function buildPackage() {
  rmSync(dist, { recursive: true, force: true });
  buildPrograms(join(dist, "wasm"));
  const compiler = fromRoot("node_modules", "typescript", "bin", "tsc");
  execFileSync(process.execPath, [compiler, "-p", fromRoot("js")], { stdio: "inherit" });
  await writeCommonJs();
  const isDecoder = (path) => basename(path).startsWith("decode.");
  cpSync(join(dist, "esm"), join(dist, "edge"), { recursive: true, filter: (path) => !isDecoder(path) });

  for (const name of Object.keys(programs)) {
    const script = await minified(facadeOf(name));
    const { text, shift, rotation } = encodeSmallest(readFileSync(join(dist, "wasm", `${name}.wasm`)), script);
    const inlined = `decode(${JSON.stringify(text)}, ${rotation}, ${shift})`;
    const declaration = readFileSync(fromRoot("js", "modules", `${name}.d.ts`));
    const write = (format, lines) => {
      mkdirSync(join(dist, format, "modules"), { recursive: true });
      writeFileSync(join(dist, format, "modules", `${name}.js`), `${lines.join("\n")}\n`);
      writeFileSync(join(dist, format, "modules", `${name}.d.ts`), declaration);
    };
    write("esm", ['import { decode } from "../core/decode.js";', `export const wasm = /* @__PURE__ */ ${inlined};`]);
    write("cjs", ['"use strict";', 'const { decode } = require("../core/decode.js");', `exports.wasm = ${inlined};`]);
    writeFileSync(join(dist, "wasm", `${name}.wasm.d.cts`), wasmDeclaration);
    // `?module` is what Vercel asks for and Cloudflare takes as well.
    write("edge", [`import wasm from "../../wasm/${name}.wasm?module";`, "export { wasm };"]);
  }
}

/** What a program is seldom bundled without, or what is like it. */
function facadeOf(name) {
  const facade = (of) => join(dist, "esm", "core", `create-${of}.js`);
  return existsSync(facade(name)) ? facade(name) : facade("backoff");
}

/** JavaScript as it stands beside a program. */
async function minified(path) {
  const { outputFiles } = await build({ entryPoints: [path], bundle: true, minify: true, format: "esm", write: false });
  return outputFiles[0].text;
}

/** Each file by itself, since a bundle for each subpath would give two of them two copies of what they share. */
async function writeCommonJs() {
  const folder = join(dist, "cjs");
  cpSync(join(dist, "esm"), folder, { recursive: true, filter: (path) => !/\.js(\.map)?$/.test(path) });
  const sources = readdirSync(fromRoot("js"), { recursive: true }).filter((name) => /(?<!\.d)\.ts$/.test(name));
  await build({
    absWorkingDir: fromRoot(),
    entryPoints: sources.map((name) => fromRoot("js", name)),
    outdir: folder,
    format: "cjs",
    target: "es2022",
    sourcemap: true,
    logLevel: "error",
  });
  writeFileSync(join(folder, "package.json"), '{ "type": "commonjs" }\n');
}
