import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { root } from "./paths.mjs";

/** `module` for everything that it exports, `module#one, other` for these. */
const reexport = (name) => {
  const [module, names] = name.split("#");
  return `export ${names ? `{ ${names} }` : "*"} from ${JSON.stringify(module)};`;
};

/** What a bundle of what these modules export weighs, minified and gzipped, wasm and all. */
export async function bundledSize(...modules) {
  const { outputFiles } = await build({
    stdin: { contents: modules.map(reexport).join("\n"), resolveDir: root },
    bundle: true,
    minify: true,
    format: "esm",
    // opossum asks for Node.js' events, and nobody else for anything.
    platform: "node",
    conditions: ["import"],
    mainFields: ["module", "main"],
    write: false,
    logLevel: "error",
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length;
}
