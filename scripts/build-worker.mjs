// wrangler's build command, and the same step by hand: node scripts/build-worker.mjs [folder of a worker]
import { checkPrerequisites } from "./lib/prerequisites.mjs";

checkPrerequisites();
const { exitOnFailure } = await import("./lib/failure.mjs");
const { prepareWorker } = await import("./lib/bootstrap.mjs");
await exitOnFailure(() => prepareWorker(process.argv[2]));
