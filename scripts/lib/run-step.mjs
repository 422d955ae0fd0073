import { spawn } from "node:child_process";
import { exitCode } from "./run.mjs";
import { root } from "./paths.mjs";
import { countSkippedTests } from "./skipped-tests.mjs";

/** Runs a step's commands until one fails; resolves to undefined, or to the sentence that says what went wrong. */
export async function runStep({ commands, environment = {} }) {
  for (const [program, ...programArguments] of commands) {
    const shown = [program, ...programArguments].join(" ").replaceAll(`${root}/`, "");
    console.log(`$ ${shown}`);
    const output = [];
    const child = spawn(program, programArguments, {
      cwd: root,
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "inherit"],
    });
    child.stdout.on("data", (chunk) => {
      output.push(chunk);
      process.stdout.write(chunk);
    });
    const code = await exitCode(child);
    if (code !== 0) return `${shown} ended with exit code ${code}`;
    const skipped = countSkippedTests(Buffer.concat(output).toString());
    if (skipped > 0 && process.env.CI) return `${shown} left out ${skipped} tests`;
  }
  return undefined;
}
