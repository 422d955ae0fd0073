import { readFileSync, writeFileSync } from "node:fs";
import { Failure } from "./failure.mjs";
import { fromRoot } from "./paths.mjs";

const path = fromRoot("README.md");

/** Replaces what README.md has between `<!-- name -->` and `<!-- /name -->`. */
export function writeBetween(name, text) {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const readme = readFileSync(path, "utf8");
  const marked = new RegExp(`${begin}[^]*${end}`);
  if (!marked.test(readme)) throw new Failure(`README.md has no ${begin} ... ${end} to write between.`);
  writeFileSync(
    path,
    readme.replace(marked, () => `${begin}\n${text}\n${end}`),
  );
}
