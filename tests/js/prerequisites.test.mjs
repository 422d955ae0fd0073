import assert from "node:assert/strict";
import { test } from "node:test";
import { missingPrerequisites, versionOf } from "../../scripts/lib/prerequisites.mjs";

const rust = (version) => ({ name: "cargo", minimum: "1.91.0", read: () => version, remedy: "install Rust" });

test("what is there and new enough is not mentioned", () => {
  assert.deepEqual(missingPrerequisites([rust("1.91.0"), rust("2.0.0")]), []);
});

test("what is missing gets one sentence with a remedy", () => {
  assert.deepEqual(missingPrerequisites([rust(undefined)]), ["cargo was not found: install Rust."]);
});

test("what is too old gets one sentence with both versions", () => {
  assert.deepEqual(missingPrerequisites([rust("1.80.1")]), [
    "cargo 1.91.0 or newer is needed and this is 1.80.1: install Rust.",
  ]);
});

test("a program that does not exist has no version", () => {
  assert.equal(versionOf("no-such-program-anywhere"), undefined);
});
