import { spawn, spawnSync } from "node:child_process";
import { describeDuration } from "./duration.mjs";
import { Failure } from "./failure.mjs";
import { root } from "./paths.mjs";

const reportEveryMs = 30_000;
const endingSignals = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Runs a long command quietly, under one line that says what happens and how long it takes.
 * Its own output appears only when it fails.
 */
export async function runWithProgress(title, expected, command, commandArguments, environment = {}) {
  const startedAt = performance.now();
  const elapsed = () => describeDuration(performance.now() - startedAt);
  const live = process.stdout.isTTY;
  console.log(`${title} (${expected}) ...`);
  const ticker = setInterval(
    () => (live ? process.stdout.write(`\r  ${elapsed()} `) : console.log(`  still at it after ${elapsed()}`)),
    live ? 1000 : reportEveryMs,
  );

  const output = [];
  const child = spawn(command, commandArguments, {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.on("data", (chunk) => output.push(chunk));
  child.stderr.on("data", (chunk) => output.push(chunk));
  // Ended from outside, this process takes the command with it.
  const stop = (signal) => {
    child.kill(signal);
    process.exit(1);
  };
  for (const signal of endingSignals) process.once(signal, stop);
  const code = await exitCode(child);
  for (const signal of endingSignals) process.off(signal, stop);
  clearInterval(ticker);
  if (live) process.stdout.write("\r");
  if (code !== 0) {
    console.error(Buffer.concat(output).toString());
    throw new Failure(`${title} failed: ${[command, ...commandArguments].join(" ")} (output above).`);
  }
  console.log(`  done in ${elapsed()}`);
}

/** Exit code of a child process; 127 when it could not be started, 128 and more when a signal ended it. */
export function exitCode(child) {
  return new Promise((resolve) => {
    child.on("error", (error) => {
      console.error(error.message);
      resolve(127);
    });
    child.on("close", (code, signal) => resolve(signal ? 128 : code));
  });
}

/** Standard output of a short command, or undefined when it fails. */
export function outputOf(command, commandArguments) {
  const result = spawnSync(command, commandArguments, { cwd: root, encoding: "utf8" });
  return result.status === 0 ? result.stdout : undefined;
}
