import { installNodeModules } from "./node-modules.mjs";
import { installTargets, installTools } from "./rust.mjs";
import { buildWorker } from "./worker-build.mjs";

/** What every check needs. */
export async function prepare() {
  await installNodeModules();
  await installTargets();
}

/** What running a worker needs, down to the built worker itself: the example, or the one in another folder. */
export async function prepareWorker(folder = "worker-example") {
  await prepare();
  await installTools();
  await buildWorker(folder);
}
