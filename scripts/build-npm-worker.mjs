// Bundles the Worker that shows the installed package's /workers to its tests; test-package.mjs has installed that.
import { exitOnFailure } from "./lib/failure.mjs";
import { buildNpmWorker } from "./lib/npm-worker.mjs";
import { fromRoot } from "./lib/paths.mjs";

await exitOnFailure(() =>
  buildNpmWorker(fromRoot("tests", "npm-workers", "worker", "index.mjs"), fromRoot("target", "npm-worker")),
);
