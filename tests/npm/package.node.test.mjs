// What npm publishes, as users install it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";

const require = createRequire(import.meta.url);
const manifestPath = require.resolve("retry-primitives-wasm/package.json");
const folder = dirname(manifestPath);
const manifest = JSON.parse(readFileSync(manifestPath, "utf8"));
const subpaths = Object.keys(manifest.exports).filter((name) => !/json|\.wasm$/.test(name));
const nameOf = (subpath) => join("retry-primitives-wasm", subpath);

test("it was installed from the tarball", () => assert.match(folder, /node_modules/));

test("every path in exports is there, and so is its source map's file", () => {
  const paths = JSON.stringify(manifest.exports).match(/\.\/dist\/[^"]+/g);
  for (const path of [manifest.main, manifest.module, manifest.types, ...paths])
    assert.ok(existsSync(join(folder, path)), path);
});

const files = readdirSync(folder, { recursive: true })
  .filter((path) => statSync(join(folder, path)).isFile())
  .sort();
const read = (path) => readFileSync(join(folder, path), "utf8");

test("nothing but the build is in it, and all of that can be reached", () => {
  for (const key of ["dependencies", "devDependencies", "scripts", "private"]) assert.ok(!(key in manifest), key);
  const reached = new Set(["LICENSE", "README.md", "package.json", "dist/cjs/package.json"]);
  const visit = (path) => {
    if (reached.has(path)) return;
    reached.add(path);
    if (path.endsWith(".wasm")) return visit(`${path}.d.cts`);
    if (path.endsWith(".js")) {
      if (existsSync(join(folder, `${path}.map`))) reached.add(`${path}.map`);
      visit(path.replace(/js$/, "d.ts"));
    }
    for (const [, target] of read(path).matchAll(/(?:from|import\(|require\()\s*"(\.[^"]+)"/g)) {
      visit(join(dirname(path), target.replace("?module", "")));
    }
  };
  for (const path of JSON.stringify(manifest.exports).match(/dist\/[^"]+/g)) visit(path);
  assert.deepEqual(files, [...reached].sort());
});

test("source maps hold their source", () => {
  const maps = files.filter((path) => path.endsWith(".map"));
  const facade = files.filter((path) => path.endsWith(".js") && !path.includes("/modules/"));
  assert.deepEqual(
    maps,
    facade.map((path) => `${path}.map`),
  );
  for (const path of facade) {
    assert.ok(read(path).includes(`//# sourceMappingURL=${path.split("/").at(-1)}.map`), path);
    const { sources, sourcesContent } = JSON.parse(read(`${path}.map`));
    assert.ok(sources.length === 1 && sources[0].endsWith(".ts") && sourcesContent[0].length > 0, path);
  }
});

test("import and require give the same names", async () => {
  for (const subpath of subpaths) {
    const names = Object.keys(await import(nameOf(subpath))).sort();
    const required = Object.keys(require(nameOf(subpath))).filter((name) => name !== "default");
    assert.ok(names.length > 0, subpath);
    assert.deepEqual(required.sort(), names, subpath);
  }
});

test("an error of one format is known to the other", async () => {
  const [imported, required] = [
    await import("retry-primitives-wasm/breaker"),
    require("retry-primitives-wasm/breaker"),
  ];
  const error = new required.CircuitOpenError({ ok: false, status: "open", retryAfterMs: 1 });
  assert.ok(imported.isCircuitOpenError(error));
});

test("importing leaves no global, no timer, no draw", () => {
  const script = `
    const before = Object.getOwnPropertyNames(globalThis).length;
    Math.random = Date.now = globalThis.setTimeout = globalThis.fetch = () => { throw new Error("at load"); };
    Promise.all(${JSON.stringify(subpaths.map(nameOf))}.map((name) => import(name))).then(() => {
      if (Object.getOwnPropertyNames(globalThis).length !== before) throw new Error("a global");
    });
  `;
  execFileSync(process.execPath, ["--input-type=module", "--eval", script], { cwd: new URL(".", import.meta.url) });
});

test("/wasm: a module of one's own", async () => {
  const { createBackoff, createBreaker, createBudget, createClassify, createExtendedBreaker } =
    await import("retry-primitives-wasm/wasm");
  const compile = (name) => new WebAssembly.Module(readFileSync(require.resolve(`retry-primitives-wasm/${name}.wasm`)));
  const { exponential } = createBackoff(compile("backoff"));
  const policy = exponential({ baseMs: 5, maxAttempts: 2, jitter: "none" });
  assert.equal(policy.peek(policy.init(0), 0).delayMs, 5);
  assert.equal(
    createBreaker(compile("breaker")).consecutiveBreaker({ failureThreshold: 1, openMs: 1 }).init(5).changedAt,
    5,
  );
  const extended = createExtendedBreaker(compile("breaker-extended"));
  assert.equal(extended.rollingBreaker({ windowMs: 1, openMs: 1 }).init(5).start, 5);
  assert.deepEqual(createBudget(compile("budget")).tokenBucket().init(5), { tokens: 500 });
  assert.equal(createClassify(compile("classify")).parseRetryAfter("5", 0), 5_000);
});

test("the wasm holds no allocator and no panic, and has one page of memory", () => {
  for (const name of readdirSync(join(folder, "dist", "wasm")).filter((file) => file.endsWith(".wasm"))) {
    const bytes = readFileSync(join(folder, "dist", "wasm", name));
    assert.doesNotMatch(bytes.toString("latin1"), /panic|alloc|grow|rust|\.rs/, name);
    const module = new WebAssembly.Module(bytes);
    assert.deepEqual(WebAssembly.Module.customSections(module, "producers"), []);
    for (const { kind } of WebAssembly.Module.imports(module)) assert.equal(kind, "function");
    const limit = name === "workers.wasm" ? 12_288 : 8_192;
    assert.ok(statSync(join(folder, "dist", "wasm", name)).size < limit, name);
  }
});
