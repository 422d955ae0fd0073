// Packs what npm would publish, installs that tarball in a folder of its own, and tests it there on this Node.js:
// node scripts/test-package.mjs
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { exitOnFailure } from "./lib/failure.mjs";
import { consumer, consumerTests, installConsumer } from "./lib/npm-consumer.mjs";

await exitOnFailure(async () => {
  await installConsumer();
  const files = Object.values(consumerTests())
    .flat()
    .map((name) => join("tests", name));
  const options = ["--expose-gc", "--test", "--test-reporter=spec", ...files];
  execFileSync(process.execPath, options, { cwd: consumer, stdio: "inherit" });
});
