import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fromRoot } from "./paths.mjs";

/** The folder that npm publishes: `npm publish target/npm-package`. */
export const staged = fromRoot("target", "npm-package");

// What a user's npm has no use for.
const ofThisRepository = ["private", "scripts", "devDependencies", "allowScripts"];

/** Puts together what npm publishes, once dist/ is built: that, a manifest, and a README about the package alone. */
export function stagePackage() {
  rmSync(staged, { recursive: true, force: true });
  mkdirSync(staged, { recursive: true });
  cpSync(fromRoot("dist"), join(staged, "dist"), { recursive: true });
  cpSync(fromRoot("LICENSE"), join(staged, "LICENSE"));
  const manifest = JSON.parse(readFileSync(fromRoot("package.json"), "utf8"));
  for (const key of ofThisRepository) delete manifest[key];
  writeFileSync(join(staged, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(staged, "README.md"), npmReadme(readFileSync(fromRoot("README.md"), "utf8"), manifest));
}

/** The parts of README.md between `<!-- npm -->` and `<!-- /npm -->`. Its links lead to files that npm does not have. */
export function npmReadme(readme, { name, description }) {
  const parts = [...readme.matchAll(/<!-- npm -->\n([^]*?)<!-- \/npm -->/g)].map(([, part]) => part.trim());
  const text = [`# ${name}`, `${description}.`, `    npm install ${name}`, ...parts].join("\n\n");
  return `${text.replaceAll(/\[([^\]]+)\]\((?!https?:)[^)]*\)/g, "$1").replaceAll(/<!-- \/?[\w-]+ -->\n/g, "")}\n`;
}
