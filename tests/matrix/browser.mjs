// The suite in Chromium: on the package's own modules, which an import map names, and as Vite builds it.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { consumer } from "../../scripts/lib/npm-consumer.mjs";
import { resultsOfPages } from "./chromium.mjs";
import { serveFolder } from "./static-server.mjs";
import { buildSuite, folder, report } from "./suite.mjs";

const name = "retry-primitives-wasm";
const pages = {
  "Chromium, script type=module": "/suite/page.html",
  "Chromium, Vite's build": "/suite/vite/dist/index.html",
};

export default async function checkBrowser(serverUrl) {
  await buildSuite(serverUrl);
  writeFileSync(join(folder, "page.html"), page("./suite.mjs", `<script type="importmap">${importMap()}</script>`));
  await buildWithVite();
  const server = await serveFolder(consumer);
  try {
    const results = await resultsOfPages(Object.values(pages).map((path) => server.url + path));
    for (const [index, where] of Object.keys(pages).entries()) await report(where, results[index]);
  } finally {
    await server.close();
  }
}

const page = (suite, head = "") => `<!doctype html>
<meta charset="utf-8">
${head}
<script type="module">
  import { run } from "${suite}";
  run().then((results) => (globalThis.results = results));
</script>
`;

/** What `exports` offers a browser. */
function importMap() {
  const manifest = JSON.parse(readFileSync(join(consumer, "node_modules", name, "package.json"), "utf8"));
  const target = (entry) => {
    if (typeof entry === "string") return entry;
    const condition = Object.keys(entry).find((key) => ["browser", "import", "default"].includes(key));
    return condition && target(entry[condition]);
  };
  const imports = Object.entries(manifest.exports).map(([subpath, entry]) => [
    join(name, subpath),
    `/node_modules/${join(name, target(entry))}`,
  ]);
  return JSON.stringify({ imports: Object.fromEntries(imports) });
}

async function buildWithVite() {
  const root = join(folder, "vite");
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "index.html"), page("../suite.mjs"));
  await build({ root, configFile: false, base: "./", logLevel: "warn", build: { chunkSizeWarningLimit: 4_096 } });
}
