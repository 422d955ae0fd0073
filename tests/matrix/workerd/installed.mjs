// workerd on the files of the installed package as they are: each is a module of the worker, no bundler touches them.
import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { consumer } from "../../../scripts/lib/npm-consumer.mjs";
import { esmSuite } from "../suite.mjs";

const installed = join(consumer, "node_modules", "retry-primitives-wasm");

/** Imports of the package become those of its files, by the condition that its `exports` names for workerd. */
const exportsOfWorkerd = {
  name: "exports-of-workerd",
  setup(building) {
    building.onResolve({ filter: /^retry-primitives-wasm/ }, async ({ path, kind, pluginData }) => {
      if (pluginData === exportsOfWorkerd) return undefined;
      const options = { kind, resolveDir: consumer, pluginData: exportsOfWorkerd };
      const { path: file, errors } = await building.resolve(path, options);
      if (errors.length > 0) return { errors };
      return { path: `./${relative(consumer, file)}`, external: true };
    });
  },
};

/** The text of a worker's main module, with all but the package bundled into it. */
export async function workerText(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: consumer },
    bundle: true,
    format: "esm",
    conditions: ["workerd"],
    external: ["cloudflare:*"],
    plugins: [exportsOfWorkerd],
    write: false,
    logLevel: "error",
  });
  return outputFiles[0].text;
}

/** Every file of the installed package that workerd may import, by its path in the consumer's folder. */
export function installedModules() {
  const files = readdirSync(join(installed, "dist"), { recursive: true, withFileTypes: true });
  return files
    .filter(({ name }) => /\.(js|wasm)$/.test(name))
    .map(({ parentPath, name }) => {
      const path = relative(consumer, join(parentPath, name));
      const contents = readFileSync(join(parentPath, name));
      return name.endsWith(".wasm")
        ? { type: "CompiledWasm", path: `${path}?module`, contents }
        : { type: "ESModule", path, contents: contents.toString() };
    })
    .filter(({ type, path }) => type === "CompiledWasm" || path.includes("/edge/"));
}

/** The answer of a worker made of these modules, the first of them its main one. */
export async function askWorkerd(modules, compatibilityDate = "2026-01-01") {
  const options = {
    modules,
    compatibilityDate,
    cf: false,
    telemetry: { enabled: false },
    log: new Log(LogLevel.NONE),
  };
  const runtime = new Miniflare(convertV4MiniflareOptions(options));
  try {
    const response = await runtime.dispatchFetch("http://localhost/");
    return await response.json();
  } finally {
    await runtime.dispose();
  }
}

/** A worker that answers with the results of the suite. */
export const suiteWorker = `
  import { run } from ${JSON.stringify(esmSuite)};
  export default { fetch: async () => Response.json(await run()) };
`;

export async function runInstalledOnWorkerd() {
  const main = { type: "ESModule", path: "worker.mjs", contents: await workerText(suiteWorker) };
  return askWorkerd([main, ...installedModules()]);
}
