// /pipeline as a package: what importing it does, and the README's example, which says in a comment what it prints.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { CircuitBreakerManualControl, circuitBreakerStrategy, PipelineBuilder } from "retry-primitives-wasm/pipeline";

const cwd = new URL(".", import.meta.url);
const run = (script) =>
  execFileSync(process.execPath, ["--input-type=module", "--eval", script], { cwd, encoding: "utf8" });

test("Case 28: importing draws no number, sets no timer, reads no clock", () => {
  run(`
    const refuse = () => {
      throw new Error("at load");
    };
    Math.random = Date.now = globalThis.setTimeout = globalThis.setImmediate = refuse;
    Object.defineProperty(globalThis, "performance", { value: { now: refuse } });
    await import("retry-primitives-wasm/pipeline");
  `);
});

test("the README's example prints what it says", () => {
  const manifest = createRequire(import.meta.url).resolve("retry-primitives-wasm/package.json");
  const readme = readFileSync(join(dirname(manifest), "README.md"), "utf8");
  const examples = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);
  const [example] = examples.filter((code) => code.includes('"retry-primitives-wasm/pipeline"'));
  const [, promised] = /console\.log\(text\); \/\/ (.*)/.exec(example);
  assert.equal(run(example), `${promised}\n`);
});

// Needs --expose-gc.
test("a manual control keeps no pipeline that nobody else does, and reaches those that are in use", async () => {
  const manualControl = new CircuitBreakerManualControl();
  const build = (onOpened) => new PipelineBuilder().add(circuitBreakerStrategy({ manualControl, onOpened })).build();
  const forgotten = Array.from({ length: 100 }, () => new WeakRef(build(() => {})));
  let opened = 0;
  const used = build(() => opened++);
  // What is reached through a WeakRef lives to the end of its turn.
  await new Promise((resolve) => setImmediate(resolve));
  globalThis.gc();
  await manualControl.isolate();
  assert.equal(opened, 1);
  await assert.rejects(
    used.execute(() => 1),
    { code: "CIRCUIT_ISOLATED" },
  );
  assert.equal(forgotten.filter((pipeline) => pipeline.deref()).length, 0);
  assert.equal(manualControl.circuits.size, 1);
});
