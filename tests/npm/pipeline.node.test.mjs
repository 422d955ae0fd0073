// /pipeline as a package: what importing it does, and the README's example, which says in a comment what it prints.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";

const cwd = new URL(".", import.meta.url);
const run = (script) =>
  execFileSync(process.execPath, ["--input-type=module", "--eval", script], { cwd, encoding: "utf8" });

test("Case 28: importing draws no number, sets no timer, reads no clock", () => {
  run(`
    Math.random = Date.now = globalThis.setTimeout = globalThis.setImmediate = performance.now = () => {
      throw new Error("at load");
    };
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
