import assert from "node:assert/strict";
import { test } from "node:test";
import vm from "node:vm";
import { isNetworkError } from "retry-primitives-wasm/classify";

test("errors of another realm", () => {
  const foreign = vm.runInNewContext(
    `Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error(), { code: "ECONNRESET" }) })`,
  );
  assert.ok(!(foreign instanceof Error));
  assert.ok(isNetworkError(foreign));
});
