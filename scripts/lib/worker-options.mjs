import { dirname } from "node:path";
import { unstable_getMiniflareWorkerOptions as toWorkerOptions, unstable_readConfig as readConfig } from "wrangler";
import { fromRoot } from "./paths.mjs";

/** The built example as wrangler.toml describes it, in the form that Miniflare takes, with variables added. */
export function exampleWorkerOptions(variables) {
  const config = readConfig({ config: fromRoot("wrangler.toml") });
  const { main, workerOptions } = toWorkerOptions(config);
  const modulesRoot = dirname(main);
  return {
    ...workerOptions,
    // Names the folder of its data.
    name: config.name,
    bindings: { ...workerOptions.bindings, ...variables },
    modulesRoot,
    modules: [
      { type: "ESModule", path: main },
      { type: "CompiledWasm", path: `${modulesRoot}/index_bg.wasm` },
    ],
  };
}

/** Miniflare's own options for one worker on loopback with its data in a folder; nothing asks the network. */
export function runtimeOptions({ worker, port, dataFolder }) {
  return {
    host: "127.0.0.1",
    port,
    cf: false,
    telemetry: { enabled: false },
    resourcePersistencePath: dataFolder,
    ...worker,
  };
}
