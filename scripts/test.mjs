// `npm test`: every check, or those named by `npm test -- --only rustfmt,e2e`.
import { checkPrerequisites } from "./lib/prerequisites.mjs";

checkPrerequisites();
const { exitOnFailure } = await import("./lib/failure.mjs");
await exitOnFailure(async () => {
  const { parseArgs } = await import("node:util");
  const { prepare, prepareWorker } = await import("./lib/bootstrap.mjs");
  const { describeDuration } = await import("./lib/duration.mjs");
  const { runStep } = await import("./lib/run-step.mjs");
  const { selectSteps } = await import("./lib/select-steps.mjs");
  const { steps } = await import("./steps.mjs");

  const { values } = parseArgs({ options: { only: { type: "string" }, list: { type: "boolean" } } });
  if (values.list) {
    for (const { name, title } of steps) console.log(`${name.padEnd(10)} ${title}`);
    return;
  }
  const selected = selectSteps(steps, values.only);
  // An incremental build writes much that a fresh clone never reads again.
  if (process.env.CI) process.env.CARGO_INCREMENTAL ??= "0";

  const results = [];
  const startedAt = performance.now();
  const measure = async (name, title, run) => {
    console.log(`\n=== ${name}: ${title}`);
    const stepStartedAt = performance.now();
    const problem = await run();
    results.push({ name, problem, took: performance.now() - stepStartedAt });
    return problem;
  };

  await measure("setup", "Packages and targets", prepare);
  for (const step of selected) {
    const build = `build ${step.worker}`;
    if (step.worker && !results.some(({ name }) => name === build)) {
      await measure(build, "Tools and the worker for workerd", () => prepareWorker(step.worker));
    }
    if (await measure(step.name, step.title, () => runStep(step))) break;
  }

  console.log(`\n=== summary (${describeDuration(performance.now() - startedAt)})`);
  for (const { name, problem, took } of results) {
    console.log(`${problem ? "FAILED" : "passed"}  ${name.padEnd(10)} ${describeDuration(took)}`);
  }
  const failed = results.filter(({ problem }) => problem);
  const notRun = selected.filter(({ name }) => !results.some((result) => result.name === name));
  if (notRun.length > 0) console.log(`not run ${notRun.map(({ name }) => name).join(", ")}`);
  for (const { name, problem } of failed) console.error(`\n${name} failed: ${problem}.`);
  console.log(`\n${results.length - failed.length} passed, ${failed.length} failed`);
  if (failed.length > 0) process.exitCode = 1;
});
