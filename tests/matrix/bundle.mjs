import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import * as esbuild from "esbuild";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import { rollup } from "rollup";
import webpack from "webpack";
import { Failure } from "../../scripts/lib/failure.mjs";

/** Vercel's form of an import of WebAssembly, which gives a compiled module. */
const wasmModules = {
  name: "wasm-modules",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\.wasm\?module$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.replace("?module", "")),
      namespace: "wasm-modules",
    }));
    onLoad({ filter: /./, namespace: "wasm-modules" }, ({ path }) => ({
      contents: `export default new WebAssembly.Module(new Uint8Array([${readFileSync(path).join()}]));`,
    }));
  },
};

/** Each writes to `outfile` what it makes of `entry`, without configuration of ours. */
export const bundlers = {
  async esbuild(entry, outfile) {
    await esbuild.build({ entryPoints: [entry], bundle: true, outfile, logLevel: "error" });
  },
  async "esbuild, as CommonJS for Node.js"(entry, outfile) {
    await esbuild.build({ entryPoints: [entry], bundle: true, platform: "node", outfile, logLevel: "error" });
  },
  async "esbuild, as for Vercel's edge runtime"(entry, outfile) {
    const plugins = [wasmModules];
    const options = { bundle: true, conditions: ["edge-light"], plugins, outfile, metafile: true };
    const { metafile } = await esbuild.build({ entryPoints: [entry], ...options });
    const imported = Object.keys(metafile.inputs).filter((path) => path.startsWith("wasm-modules:"));
    if (imported.length === 0) throw new Failure("esbuild found no WebAssembly to import");
  },
  async webpack(entry, outfile) {
    const output = { path: dirname(outfile), filename: basename(outfile) };
    const stats = await new Promise((resolve, reject) => {
      const done = (error, result) => (error ? reject(error) : resolve(result));
      webpack({ entry, mode: "production", output, performance: { hints: false } }, done);
    });
    if (stats.hasErrors() || stats.hasWarnings()) throw new Failure(stats.toString());
  },
  async rollup(entry, outfile) {
    const onwarn = ({ message }) => {
      throw new Failure(`rollup: ${message}`);
    };
    const bundle = await rollup({ input: entry, plugins: [nodeResolve()], onwarn });
    await bundle.write({ file: outfile, format: "es" });
  },
};
