// The installed package, unbundled, on every runtime that has a command line, and on workerd.
import { consumerTests } from "../../scripts/lib/npm-consumer.mjs";
import { fromRoot } from "../../scripts/lib/paths.mjs";
import { buildSuite, report, runOnNode, runProcess } from "./suite.mjs";
import { runInstalledOnWorkerd } from "./workerd/installed.mjs";

const installed = (...path) => fromRoot("tests", "matrix", "node_modules", ...path);

export default async function checkRuntimes() {
  await buildSuite();
  const { neutral, node } = consumerTests();
  for (const name of ["node18", "node20", "node22", "node24"]) {
    const program = installed(name, "bin", "node");
    console.log(`${name}, import: ${runOnNode(program, [...neutral, ...node])} tests passed, on its own runner`);
    report(`${name}, require`, runProcess(program, ["main.cjs"]));
  }
  report("Deno", runProcess(installed(".bin", "deno"), ["run", "--quiet", "--allow-net=127.0.0.1", "main.mjs"]));
  report("Bun", runProcess(installed(".bin", "bun"), ["run", "main.mjs"]));
  report("workerd", await runInstalledOnWorkerd());
}
