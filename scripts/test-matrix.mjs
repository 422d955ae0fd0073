// The installed package on other runtimes, through bundlers, and as a package: node scripts/test-matrix.mjs runtimes
import { startFlakyServer } from "../tests/npm/support/flaky-server.mjs";
import { exitOnFailure, Failure } from "./lib/failure.mjs";
import { installNodeModules } from "./lib/node-modules.mjs";
import { installConsumer } from "./lib/npm-consumer.mjs";
import { fromRoot } from "./lib/paths.mjs";

const parts = {
  publish: () => import("../tests/matrix/publish.mjs"),
  runtimes: () => import("../tests/matrix/runtimes.mjs"),
  bundlers: () => import("../tests/matrix/bundlers.mjs"),
  browser: () => import("../tests/matrix/browser.mjs"),
};

await exitOnFailure(async () => {
  const name = process.argv[2];
  if (!Object.hasOwn(parts, name)) throw new Failure(`Name one of ${Object.keys(parts).join(", ")}.`);
  await installNodeModules(fromRoot("tests", "matrix"), "Installing runtimes and bundlers");
  await installConsumer();
  const { default: check } = await parts[name]();
  const server = await startFlakyServer();
  await check(server.url).finally(() => server.close());
});
