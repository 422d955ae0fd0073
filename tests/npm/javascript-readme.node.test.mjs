// Every example of the README in JavaScript runs, on a network that is played.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";

const manifest = createRequire(import.meta.url).resolve("retry-primitives-wasm/package.json");
const readme = readFileSync(join(dirname(manifest), "README.md"), "utf8");
const examples = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);
const surroundings = new URL("support/played-surroundings.mjs", import.meta.url).href;

test("there are examples", () => assert.ok(examples.length >= 3));

for (const [index, example] of examples.entries()) {
  test(`example ${index + 1}: ${/from "([^"]+)"/.exec(example)?.[1]}`, () => {
    const options = ["--import", surroundings, "--input-type=module", "--eval", example];
    execFileSync(process.execPath, options, { cwd: new URL(".", import.meta.url), stdio: "pipe" });
  });
}
