import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const folder = mkdtempSync(join(tmpdir(), "claim-test-"));
const claimed = join(folder, "claimed-by");
after(() => rmSync(folder, { recursive: true }));

const module = new URL("../../scripts/lib/claim.mjs", import.meta.url);
const program = `import { claim } from ${JSON.stringify(module.href)}; claim(${JSON.stringify(folder)}); console.log("claimed");`;
const run = () => spawnSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" });

test("a folder is claimed for as long as the process runs", () => {
  assert.equal(run().stdout.trim(), "claimed");
  assert.equal(existsSync(claimed), false);
});

test("a folder that a running process has claimed is refused, and the process named", () => {
  writeFileSync(claimed, String(process.pid));
  const { status, stderr } = run();
  assert.notEqual(status, 0);
  assert.match(stderr, new RegExp(`end process ${process.pid} first`));
  assert.equal(readFileSync(claimed, "utf8"), String(process.pid));
});

test("what a killed process or a broken write left behind is taken over", () => {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  for (const left of [String(pid), "", "junk", "-1"]) {
    writeFileSync(claimed, left);
    assert.equal(run().stdout.trim(), "claimed", left);
  }
});
