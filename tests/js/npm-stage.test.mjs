import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { npmReadme } from "../../scripts/lib/npm-stage.mjs";
import { fromRoot } from "../../scripts/lib/paths.mjs";

const manifest = { name: "a-name", description: "What it is" };

test("npm's README has the marked parts, and no link into this repository", () => {
  const readme =
    "a\n<!-- npm -->\nb [c](d.md) [e](https://example.com)\n<!-- /npm -->\nf\n<!-- npm -->\ng\n<!-- /npm -->\n";
  const expected = "# a-name\n\nWhat it is.\n\n    npm install a-name\n\nb c [e](https://example.com)\n\ng\n";
  assert.equal(npmReadme(readme, manifest), expected);
});

test("every marked part of README.md ends, and npm is told of every subpath with an entry", () => {
  const readme = readFileSync(fromRoot("README.md"), "utf8");
  assert.equal(readme.split("<!-- npm -->").length, readme.split("<!-- /npm -->").length);
  const { exports } = JSON.parse(readFileSync(fromRoot("package.json"), "utf8"));
  const text = npmReadme(readme, manifest);
  const subpaths = Object.keys(exports).filter((path) => path.startsWith("./") && !/\.(wasm|json)$/.test(path));
  for (const path of subpaths) assert.ok(text.includes(`\`${path.slice(1)}\``), path);
});
