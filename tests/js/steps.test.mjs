import assert from "node:assert/strict";
import { test } from "node:test";
import { selectSteps } from "../../scripts/lib/select-steps.mjs";
import { countSkippedTests } from "../../scripts/lib/skipped-tests.mjs";
import { steps } from "../../scripts/steps.mjs";

const table = [{ name: "rustfmt" }, { name: "clippy" }, { name: "e2e" }];

test("without a selection every step runs", () => {
  assert.equal(selectSteps(table, undefined), table);
});

test("a selection keeps the order of the table", () => {
  assert.deepEqual(selectSteps(table, "e2e, rustfmt"), [{ name: "rustfmt" }, { name: "e2e" }]);
});

test("an unknown step is named, with those that exist", () => {
  assert.throws(() => selectSteps(table, "clipy"), {
    message: 'There is no step "clipy": the steps are rustfmt, clippy, e2e.',
  });
});

test("step names are unique and every step has a command", () => {
  assert.equal(new Set(steps.map(({ name }) => name)).size, steps.length);
  for (const { commands } of steps) assert.ok(commands.every((command) => command.length > 1));
});

test("tests that a runner left out are counted", () => {
  const cargo = "test result: ok. 3 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.01s\n";
  assert.equal(countSkippedTests(cargo.repeat(2)), 4);
  assert.equal(countSkippedTests("# pass 4\n# fail 0\n# skipped 1\n# todo 1\n"), 2);
  assert.equal(countSkippedTests("# skipped 0\nℹ todo 0\n"), 0);
});
