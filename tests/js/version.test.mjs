import assert from "node:assert/strict";
import { test } from "node:test";
import { compareVersions, findVersion, isAtLeast } from "../../scripts/lib/version.mjs";

test("versions compare by number, not by letter", () => {
  assert.ok(compareVersions("20.9.0", "20.10.0") < 0);
  assert.ok(compareVersions("100.0.0", "22.12.0") > 0);
  assert.equal(compareVersions("1.91", "1.91.0"), 0);
});

test("a version is at least itself", () => {
  assert.ok(isAtLeast("22.12.0", "22.12.0"));
  assert.ok(!isAtLeast("22.11.9", "22.12.0"));
});

test("a version is found in what programs print", () => {
  assert.equal(findVersion("cargo 1.95.0 (f2d3ce0bd 2026-03-21)"), "1.95.0");
  assert.equal(findVersion("v22.23.3\n"), "22.23.3");
  assert.equal(findVersion("no number here"), undefined);
});
