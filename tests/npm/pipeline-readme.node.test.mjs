// The README's example of /pipeline says in a comment what it prints.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";

test("the README's example prints what it says", () => {
  const manifest = createRequire(import.meta.url).resolve("retry-primitives-wasm/package.json");
  const readme = readFileSync(join(dirname(manifest), "README.md"), "utf8");
  const examples = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);
  const [example] = examples.filter((code) => code.includes('"retry-primitives-wasm/pipeline"'));
  const [, promised] = /console\.log\(text\); \/\/ (.*)/.exec(example);
  const cwd = new URL(".", import.meta.url);
  const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", example], { cwd, encoding: "utf8" });
  assert.equal(printed, `${promised}\n`);
});
