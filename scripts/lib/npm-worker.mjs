import { execFileSync } from "node:child_process";
import { build } from "esbuild";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Failure } from "./failure.mjs";
import { fromRoot } from "./paths.mjs";

const consumer = fromRoot("target", "npm-consumer");

/** The example of README.md that shows a class of `/workers`, under `readme:` and its name. */
export function readmeExample(name, readme = readFileSync(fromRoot("README.md"), "utf8")) {
  const blocks = [...readme.matchAll(/```ts\n([^]*?)```/g)].map(([, code]) => code);
  const found = blocks.filter((code) => code.includes(`new ${name}`));
  if (found.length !== 1) throw new Failure(`README.md shows ${name} in ${found.length} examples of TypeScript.`);
  return found[0];
}

/** Bundles a Worker on the installed package as wrangler does: a `.wasm` stays an import, of a module that is uploaded beside. */
export async function buildNpmWorker(entry, output) {
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  const installed = {
    name: "installed",
    setup({ onResolve, onLoad, resolve }) {
      onResolve({ filter: /\.wasm(\?module)?$/ }, ({ path, resolveDir }) => {
        const [file] = path.split("?", 1);
        const name = basename(file);
        writeFileSync(join(output, name), readFileSync(join(resolveDir, file)));
        return { path: `./${name}`, external: true };
      });
      // Seen from within this repository the package's name means its sources.
      onResolve({ filter: /^retry-primitives-wasm/ }, ({ path, kind, resolveDir }) =>
        resolveDir === consumer ? undefined : resolve(path, { kind, resolveDir: consumer }),
      );
      onResolve({ filter: /^readme:/ }, ({ path }) => ({ path: path.slice("readme:".length), namespace: "readme" }));
      onLoad({ filter: /.*/, namespace: "readme" }, ({ path }) => ({
        contents: readmeExample(path),
        loader: "ts",
        resolveDir: consumer,
      }));
    },
  };
  await build({
    entryPoints: [entry],
    outfile: join(output, "index.js"),
    bundle: true,
    format: "esm",
    target: "es2022",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*"],
    plugins: [installed],
    logLevel: "error",
  });
}

/** Compiles, without a result, what the types of the installed package promise to a Worker, and the examples of README.md. */
export function checkWorkerTypes(examples) {
  const folder = join(consumer, "worker-types");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  cpSync(fromRoot("tests", "npm-workers", "types.ts"), join(folder, "types.ts"));
  writeFileSync(
    join(folder, "environment.d.ts"),
    '/// <reference types="@cloudflare/workers-types" />\ninterface Env {\n  BREAKERS: KVNamespace;\n}\n',
  );
  for (const name of examples) writeFileSync(join(folder, `${name}.ts`), readmeExample(name));
  const files = ["types", "environment.d", ...examples].map((name) => join(folder, `${name}.ts`));
  const options = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--types", "", "--target", "es2022"];
  options.push("--lib", "es2022", "--module", "esnext", "--moduleResolution", "bundler");
  const compiler = fromRoot("node_modules", "typescript", "bin", "tsc");
  execFileSync(process.execPath, [compiler, ...options, ...files], { stdio: "inherit" });
}
