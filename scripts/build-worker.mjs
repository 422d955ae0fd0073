// wrangler's build command, and the same step by hand: node scripts/build-worker.mjs
// With --tests also the worker of the end-to-end tests.
import { checkPrerequisites } from "./lib/prerequisites.mjs";

checkPrerequisites();
const { exitOnFailure } = await import("./lib/failure.mjs");
const { prepareWorker, prepareWorkers } = await import("./lib/bootstrap.mjs");
await exitOnFailure(process.argv.includes("--tests") ? prepareWorkers : prepareWorker);
