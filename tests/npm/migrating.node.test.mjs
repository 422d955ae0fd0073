// MIGRATING.md: each block is run, before and after print the same, and the after passes TypeScript.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
// The consumer lies in target/ of the checkout, which has the peers and the compiler.
const root = here("../../../");
const page = readFileSync(`${root}MIGRATING.md`, "utf8");
const folder = here("../migrating/");
mkdirSync(folder, { recursive: true });

const pairs = page
  .split(/^## From /m)
  .slice(1)
  .flatMap((section) => {
    const name = section.split("\n", 1)[0];
    const blocks = [...section.matchAll(/^### (Before|After)[^\n]*\n[^]*?```js\n([^]*?)```/gm)];
    let before;
    return blocks.flatMap(([, kind, block], index) => {
      if (kind === "After") return [{ name: `${name}-${index}`, before, after: block }];
      before = block;
      return [];
    });
  });

const write = (name, text) => {
  writeFileSync(`${folder}${name}`, text);
  return `${folder}${name}`;
};
const run = (path) => {
  const surroundings = new URL("support/played-surroundings.mjs", import.meta.url).href;
  return execFileSync(process.execPath, ["--import", surroundings, path], { cwd: root, encoding: "utf8" });
};

test("the page has a pair for each library of JavaScript", () => {
  const names = ["p-retry", "async-retry", "exponential-backoff", "cockatiel", "opossum", "retry-ladder"];
  for (const name of names)
    assert.ok(
      pairs.some((pair) => pair.name.startsWith(`${name}-`)),
      name,
    );
  for (const { name, before } of pairs) assert.ok(before, name);
});

for (const { name, before, after } of pairs) {
  test(`${name}: before and after print the same`, () => {
    const printed = run(write(`${name}-after.mjs`, after));
    assert.match(printed, /7|unknown/);
    if (before.includes("@velkina/retry-ladder")) {
      // npm does not have it; the page says that nothing but the import changes.
      assert.equal(before.replace("@velkina/retry-ladder", "retry-primitives-wasm/ladder"), after);
    } else {
      assert.equal(run(write(`${name}-before.mjs`, before)), printed);
    }
  });
}

test("every after passes TypeScript as it stands", () => {
  const files = pairs.map(({ name, after }) => write(`${name}-after.ts`, `${after}\nexport {};\n`));
  const compiler = `${root}node_modules/typescript/bin/tsc`;
  const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--types", "", ...files];
  execFileSync(process.execPath, [compiler, ...options], { cwd: folder, stdio: "inherit" });
});
