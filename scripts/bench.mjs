// `npm run bench`: the benchmarks in Rust; what follows `--` goes to them.
import { spawn } from "node:child_process";
import { exitCode } from "./lib/run.mjs";
import { root } from "./lib/paths.mjs";
import { checkPrerequisites } from "./lib/prerequisites.mjs";

checkPrerequisites();
const benchmark = ["bench", "--package", "retry-primitives-bench", ...process.argv.slice(2)];
process.exitCode = await exitCode(spawn("cargo", benchmark, { cwd: root, stdio: "inherit" }));
