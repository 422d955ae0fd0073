// Runs the built example on workerd until a signal arrives. Needs the Node.js that modern-node.mjs names.
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { developmentVariables } from "./lib/development.mjs";
import { claim } from "./lib/claim.mjs";
import { exitOnFailure, Failure } from "./lib/failure.mjs";
import { dataFolder } from "./lib/paths.mjs";
import { readPort, portTaken } from "./lib/port.mjs";
import { exampleWorkerOptions, runtimeOptions } from "./lib/worker-options.mjs";
import { welcome } from "./lib/welcome.mjs";

await exitOnFailure(async () => {
  const port = readPort(process.env.PORT);
  const worker = exampleWorkerOptions(developmentVariables);
  const options = { ...runtimeOptions({ worker, port, dataFolder }), log: new Log(LogLevel.WARN) };
  claim(dataFolder);
  const runtime = new Miniflare(convertV4MiniflareOptions(options));

  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    await runtime.dispose();
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, stop);
  // The parent is gone without a word: so is the service.
  process.on("disconnect", stop);

  try {
    await runtime.ready;
  } catch (error) {
    if (stopping) return;
    throw error.code === "ERR_ADDRESS_IN_USE" ? new Failure(portTaken(port)) : error;
  }
  console.log(welcome(port, developmentVariables.API_TOKEN));
});
