// Workers draw nothing, start no timer and compile no bytes while a module loads: workerd refuses all three there.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { consumer } from "../../../scripts/lib/npm-consumer.mjs";
import { askWorkerd, installedModules, workerText } from "./installed.mjs";

const name = "retry-primitives-wasm";
const manifest = JSON.parse(readFileSync(join(consumer, "node_modules", name, "package.json"), "utf8"));
const subpaths = Object.keys(manifest.exports)
  .filter((subpath) => !/\.(wasm|json)$/.test(subpath))
  .map((subpath) => join(name, subpath));

const emptyProgram = "new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])";
const forbidden = {
  getRandomValues: "crypto.getRandomValues(new Uint8Array(1))",
  setTimeout: "setTimeout(() => {}, 1)",
  Module: `new WebAssembly.Module(${emptyProgram})`,
};
const suspect = {
  ...forbidden,
  compile: `WebAssembly.compile(${emptyProgram})`,
  fetch: 'fetch("http://localhost/")',
  now: "Date.now()",
  random: "Math.random()",
  randomUUID: "crypto.randomUUID()",
  setInterval: "setInterval(() => {}, 1)",
};

// Loaded before anything else: what is called from then on, until `stop` puts everything back.
const watch = `
  export const called = [];
  const owners = [globalThis, Math, Date, crypto, WebAssembly];
  const originals = [];
  for (const key of ${JSON.stringify(Object.keys(suspect))}) {
    const owner = owners.find((one) => typeof one[key] === "function");
    originals.push([owner, key, owner[key]]);
    owner[key] = function () { called.push(key); };
  }
  export const stop = () => { for (const [owner, key, original] of originals) owner[key] = original; };
`;

const watched = (...loaded) => [
  {
    type: "ESModule",
    path: "worker.mjs",
    contents: `
      import { called } from "./watch.mjs";
      ${loaded.map((path) => `import "${path}";`).join("\n")}
      import { stop } from "./watch.mjs";
      stop();
      export default { fetch: () => Response.json(called) };
    `,
  },
  { type: "ESModule", path: "watch.mjs", contents: watch },
];

test("every subpath loads without any of it", async () => {
  const imports = subpaths.map((subpath, index) => `export * as part${index} from "${subpath}";`);
  const everything = { type: "ESModule", path: "everything.mjs", contents: await workerText(imports.join("\n")) };
  assert.ok(subpaths.length >= 6);
  assert.deepEqual(await askWorkerd([...watched("./everything.mjs"), everything, ...installedModules()]), []);
});

test("all of it would be seen", async () => {
  const guilty = { type: "ESModule", path: "guilty.mjs", contents: `${Object.values(suspect).join(";\n")};` };
  assert.deepEqual(await askWorkerd([...watched("./guilty.mjs"), guilty]), Object.keys(suspect));
});

for (const [what, call] of Object.entries(forbidden)) {
  test(`workerd refuses ${what} while a module loads`, async () => {
    const contents = `${call};\nexport default { fetch: () => Response.json("loaded") };`;
    // From June 2025 on, workerd lets a module compile bytes while it loads.
    const answer = askWorkerd([{ type: "ESModule", path: "worker.mjs", contents }], "2025-01-01");
    await assert.rejects(answer, /Disallowed operation called within global scope|disallowed by embedder/);
  });
}
