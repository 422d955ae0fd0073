// Builds the npm package: its wasm and dist/, and from them target/npm-package, which is what npm publishes:
// node scripts/build-package.mjs
import { exitOnFailure } from "./lib/failure.mjs";
import { buildPackage } from "./lib/npm-build.mjs";
import { stagePackage } from "./lib/npm-stage.mjs";

await exitOnFailure(async () => {
  await buildPackage();
  stagePackage();
});
