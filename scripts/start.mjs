// `npm start`: from a fresh clone to the example service on a local workerd.
import { checkPrerequisites } from "./lib/prerequisites.mjs";

checkPrerequisites();
// Imported only now: an old Node.js must reach the sentence above before it meets newer syntax.
const { exitOnFailure } = await import("./lib/failure.mjs");
await exitOnFailure(async () => {
  const { checkPort, readPort } = await import("./lib/port.mjs");
  const { prepareWorker } = await import("./lib/bootstrap.mjs");
  const { runScript } = await import("./lib/modern-node.mjs");
  await checkPort(readPort(process.env.PORT));
  await prepareWorker();
  process.exitCode = await runScript("serve.mjs");
});
