// `npm run soak`: what a breaker is worth to ten thousand deliveries while one of three hosts is down.
//
//   npm run soak -- [--deliveries=10000] [--down=10] [--breakers=kv,object]
//
// --down: for how many seconds the host stays down once all have been handed over; --breakers: kv by default.
import { checkPrerequisites } from "./lib/prerequisites.mjs";

checkPrerequisites();
const { exitOnFailure } = await import("./lib/failure.mjs");
await exitOnFailure(async () => {
  const { prepareWorker } = await import("./lib/bootstrap.mjs");
  const { runScript } = await import("./lib/modern-node.mjs");
  await prepareWorker();
  process.exitCode = await runScript("soak-run.mjs", ...process.argv.slice(2));
});
