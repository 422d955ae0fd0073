import { installNodeModules } from "./node-modules.mjs";
import { installTargets, installTools } from "./rust.mjs";
import { buildWorker, exampleWorker, testWorker } from "./worker-build.mjs";

/** What every check needs. */
export async function prepare() {
  await installNodeModules();
  await installTargets();
}

/** What running the example needs, down to the built worker itself. */
export async function prepareWorker() {
  await prepare();
  await installTools();
  await buildWorker(exampleWorker);
}

/** What the end-to-end tests need. */
export async function prepareWorkers() {
  await prepareWorker();
  await buildWorker(testWorker);
}
