import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";
import { Failure } from "../../scripts/lib/failure.mjs";
import { fromRoot } from "../../scripts/lib/paths.mjs";
import { runWithProgress } from "../../scripts/lib/run.mjs";

const names = ["chromium", "chromium-browser", "google-chrome"];
const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The browser that is there: `CHROMIUM_BIN`, or the first of its names on the path. */
function findChromium() {
  if (process.env.CHROMIUM_BIN) return process.env.CHROMIUM_BIN;
  return names.flatMap((name) => findProgram(name) ?? [])[0];
}

function findProgram(name) {
  return process.env.PATH.split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** As `findChromium`; on a Debian where we may, it is installed first. */
async function installChromium() {
  const found = findChromium();
  if (found) return found;
  if (process.getuid?.() !== 0 || !findProgram("apt-get")) {
    throw new Failure(
      `Chromium was not found: install it (on Debian, the package chromium) as one of ${names.join(", ")}, or name it in CHROMIUM_BIN.`,
    );
  }
  const environment = { DEBIAN_FRONTEND: "noninteractive" };
  const command = "apt-get update && apt-get install -y --no-install-recommends chromium";
  await runWithProgress("Installing Chromium", "about a minute", "sh", ["-c", command], environment);
  return findChromium();
}

/** Opens each page in a browser with nothing of its own, and gives what `globalThis.results` holds there once it is set. */
export async function resultsOfPages(urls) {
  const executablePath = await installChromium();
  const profile = mkdtempSync(fromRoot("target", "chromium-"));
  const context = await chromium.launchPersistentContext(profile, { executablePath, args: flags, headless: true });
  try {
    console.log(`Chromium ${context.browser()?.version() ?? ""}`.trim());
    const all = [];
    for (const url of urls) all.push(await resultsOf(await context.newPage(), url));
    return all;
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

async function resultsOf(page, url) {
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.stack ?? String(error)));
  page.on("requestfailed", (request) => problems.push(`${request.url()}: ${request.failure()?.errorText}`));
  page.on("response", (response) => response.ok() || problems.push(`${response.url()}: ${response.status()}`));
  await page.goto(url);
  const loaded = page.waitForFunction(() => globalThis.results !== undefined, undefined, { timeout: 60_000 });
  const handle = await loaded.catch((error) => {
    throw new Failure([`${url}: no results.`, ...problems, error.message].join("\n"));
  });
  await handle.dispose();
  return page.evaluate(() => globalThis.results);
}
