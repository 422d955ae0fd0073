// What a bundle carries: the programs of what is imported, and no other; timers only with `/async`.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { consumer } from "../../../scripts/lib/npm-consumer.mjs";
import { bundlers } from "../bundle.mjs";

const name = "retry-primitives-wasm";
const folder = join(consumer, "tree-shaking");
const modules = join(consumer, "node_modules", name, "dist", "esm", "modules");

/** A piece of each inlined program, long enough to be of no other, which no minifier writes in another way. */
const pieces = readdirSync(modules)
  .filter((file) => file.endsWith(".js"))
  .map((file) => {
    const runs = readFileSync(join(modules, file), "utf8").match(/[^\\"'`$]+/g);
    return { program: file.replace(".js", ""), piece: runs.sort((one, other) => other.length - one.length)[0] };
  });

const cases = [
  { title: "/backoff", code: `export { exponential } from "${name}/backoff";`, programs: ["backoff"] },
  { title: "one name of the root", code: `export { exponential } from "${name}";`, programs: ["backoff"] },
  { title: "/breaker", code: `export * from "${name}/breaker";`, programs: ["breaker"] },
  { title: "/classify", code: `export * from "${name}/classify";`, programs: ["classify"] },
  { title: "/operation", code: `export * from "${name}/operation";`, programs: ["workers"] },
  { title: "/async", code: `export * from "${name}/async";`, programs: [], timers: true },
  { title: "an import of nothing", code: `import "${name}";`, programs: [] },
];

before(() => mkdirSync(folder, { recursive: true }));
after(() => rmSync(folder, { recursive: true, force: true }));

for (const bundler of ["esbuild", "webpack", "rollup"]) {
  for (const [index, { title, code, programs, timers = false }] of cases.entries()) {
    test(`${bundler}: ${title}`, async () => {
      const [module, main, outfile] = ["module.mjs", "main.mjs", "out.js"].map((end) =>
        join(folder, `${bundler}-${index}.${end}`),
      );
      writeFileSync(module, code);
      // Used, for what a program does not use may be left out too.
      writeFileSync(main, `import * as all from ${JSON.stringify(module)};\nconsole.log(all);\n`);
      await bundlers[bundler](main, outfile);
      const text = readFileSync(outfile, "utf8");
      const found = pieces.filter(({ piece }) => text.includes(piece)).map(({ program }) => program);
      assert.deepEqual(found, programs);
      assert.equal(/\bsetTimeout\b/.test(text), timers);
    });
  }
}
