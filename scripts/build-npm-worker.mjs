// Bundles the Worker that shows the installed package's /workers to its tests, once its types are right.
import { exitOnFailure } from "./lib/failure.mjs";
import { installConsumer } from "./lib/npm-consumer.mjs";
import { buildNpmWorker, checkWorkerTypes } from "./lib/npm-worker.mjs";
import { fromRoot } from "./lib/paths.mjs";

await exitOnFailure(async () => {
  await installConsumer();
  checkWorkerTypes(["DurableRetry", "KvBreaker"]);
  await buildNpmWorker(fromRoot("tests", "npm-workers", "worker", "index.mjs"), fromRoot("target", "npm-worker"));
});
