// The installed package, unbundled, on every runtime that has a command line, and on workerd.
import { consumerTests } from "../../scripts/lib/npm-consumer.mjs";
import { fromRoot } from "../../scripts/lib/paths.mjs";
import { buildSuite, report, runOnNode, runProcess } from "./suite.mjs";
import { runInstalledOnWorkerd } from "./workerd/installed.mjs";

const installed = (...path) => fromRoot("tests", "matrix", "node_modules", ...path);

export default async function checkRuntimes(serverUrl) {
  await buildSuite(serverUrl);
  const { neutral, node } = consumerTests();
  for (const name of ["node18", "node20", "node22", "node24"]) {
    const program = installed(name, "bin", "node");
    console.log(`${name}, import: ${await runOnNode(program, [...neutral, ...node])} tests passed, on its own runner`);
    await report(`${name}, require`, await runProcess(program, ["main.cjs"]));
  }
  await report(
    "Deno",
    await runProcess(installed(".bin", "deno"), ["run", "--quiet", "--allow-net=127.0.0.1", "main.mjs"]),
  );
  await report("Bun", await runProcess(installed(".bin", "bun"), ["run", "main.mjs"]));
  await report("workerd", await runInstalledOnWorkerd());
}
