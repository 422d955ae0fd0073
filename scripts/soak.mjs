// `npm run soak`: what a breaker is worth to ten thousand deliveries while one of three hosts is down.
//
//   npm run soak -- [--deliveries=10000] [--down=15]   seconds that the host stays down after all were handed over
import { checkPrerequisites } from "./lib/prerequisites.mjs";

checkPrerequisites();
const { exitOnFailure } = await import("./lib/failure.mjs");
await exitOnFailure(async () => {
  const { prepareWorker } = await import("./lib/bootstrap.mjs");
  const { runScript } = await import("./lib/modern-node.mjs");
  await prepareWorker();
  process.exitCode = await runScript("soak-run.mjs", ...process.argv.slice(2));
});
