// The installed package, unbundled, on every runtime that has a command line, and on workerd.
import { consumerTests } from "../../scripts/lib/npm-consumer.mjs";
import { fromRoot } from "../../scripts/lib/paths.mjs";
import { buildSuite, report, runOnNode, runProcess } from "./suite.mjs";
import { runInstalledOnWorkerd } from "./workerd/installed.mjs";

const installed = (...path) => fromRoot("tests", "matrix", "node_modules", ...path);

export default async function checkRuntimes(serverUrl) {
  await buildSuite(serverUrl);
  for (const name of ["node18", "node20", "node22", "node24"]) {
    const program = installed(name, "bin", "node");
    // They wait more than they compute.
    const [imported, required] = await Promise.all(["main.mjs", "main.cjs"].map((main) => runProcess(program, [main])));
    await report(`${name}, import`, imported);
    await report(`${name}, require`, required);
    console.log(`${name}: ${await runOnNode(program, consumerTests().node)} tests of Node.js' own passed`);
  }
  await report(
    "Deno",
    await runProcess(installed(".bin", "deno"), ["run", "--quiet", "--allow-net=127.0.0.1", "main.mjs"]),
  );
  await report("Bun", await runProcess(installed(".bin", "bun"), ["run", "main.mjs"]));
  await report("workerd", await runInstalledOnWorkerd());
}
