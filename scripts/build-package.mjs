// Builds what npm publishes into dist/, and the packages' wasm on the way: node scripts/build-package.mjs
import { exitOnFailure } from "./lib/failure.mjs";
import { buildPackage } from "./lib/npm-build.mjs";

await exitOnFailure(buildPackage);
