// Needs --expose-gc.
import assert from "node:assert/strict";
import { test } from "node:test";
import { exponential } from "retry-primitives-wasm/backoff";

test("a million policies leave nothing behind", () => {
  const make = (count) => {
    for (let index = 0; index < count; index++) {
      const policy = exponential({ baseMs: index, maxAttempts: 3 });
      policy.next(policy.init(0), 0);
    }
    globalThis.gc();
    const { heapUsed, arrayBuffers, external } = process.memoryUsage();
    return heapUsed + arrayBuffers + external;
  };
  const before = make(10_000);
  assert.ok(make(1_000_000) - before < 2_000_000);
});
