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

test("nothing but the build is in it", () => {
  assert.deepEqual(readdirSync(folder).sort(), ["LICENSE", "README.md", "dist", "package.json"]);
  assert.deepEqual(readdirSync(join(folder, "dist")).sort(), ["cjs", "edge", "esm", "wasm"]);
  assert.equal(manifest.dependencies, undefined);
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
    import("retry-primitives-wasm").then(() => {
      if (Object.getOwnPropertyNames(globalThis).length !== before) throw new Error("a global");
    });
  `;
  execFileSync(process.execPath, ["--input-type=module", "--eval", script], { cwd: new URL(".", import.meta.url) });
});

test("/wasm: a module of one's own", async () => {
  const { createBackoff, createBreaker, createClassify, createExtendedBreaker } =
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
  assert.equal(createClassify(compile("classify")).parseRetryAfter("5", 0), 5_000);
});

test("the wasm holds no allocator and no panic, and has one page of memory", () => {
  for (const name of readdirSync(join(folder, "dist", "wasm"))) {
    const bytes = readFileSync(join(folder, "dist", "wasm", name));
    assert.doesNotMatch(bytes.toString("latin1"), /panic|alloc|grow|rust|\.rs/, name);
    const module = new WebAssembly.Module(bytes);
    assert.deepEqual(WebAssembly.Module.customSections(module, "producers"), []);
    for (const { kind } of WebAssembly.Module.imports(module)) assert.equal(kind, "function");
    assert.ok(statSync(join(folder, "dist", "wasm", name)).size < 8_192, name);
  }
});
