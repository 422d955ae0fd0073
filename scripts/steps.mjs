import { testFiles } from "./lib/test-files.mjs";
import { modernNode } from "./lib/modern-node.mjs";
import { fromRoot } from "./lib/paths.mjs";

const wrangler = fromRoot("node_modules", "wrangler", "bin", "wrangler.js");
const prettier = fromRoot("node_modules", "prettier", "bin", "prettier.cjs");

// Features of the core that must build where there is no std.
const coreFeatures = ["serde", "operation", "executor"];
const buildCore = (...options) =>
  ["cargo", "build", "--package", "retry-primitives", "--target", "wasm32v1-none", "--no-default-features"].concat(
    options,
  );

const onMatrix = (part) => [modernNode, fromRoot("scripts", "test-matrix.mjs"), part];

const workers = ["--package", "worker-example", "--package", "integration-worker"];

/**
 * Every check of this repository, in the order of `npm test`: cheap ones first.
 *
 * `commands` run one after another; `worker` is the folder of the worker that must be built first; `environment` is added to ours.
 */
export const steps = [
  {
    name: "rustfmt",
    title: "Rust is formatted",
    commands: [["cargo", "fmt", "--all", "--check"]],
  },
  {
    name: "prettier",
    title: "JavaScript, TypeScript and JSON are formatted",
    commands: [[process.execPath, prettier, "--check", "."]],
  },
  {
    name: "js",
    title: "Unit tests in JavaScript",
    commands: [[process.execPath, "--test", "--test-reporter=spec", ...testFiles("tests/js")]],
  },
  {
    name: "package",
    title: "The npm package: packed, installed and used from there",
    commands: [[process.execPath, fromRoot("scripts", "test-package.mjs")], onMatrix("publish")],
  },
  {
    name: "runtimes",
    title: "The installed package on Node.js 18 to 24, Deno, Bun and workerd",
    commands: [
      onMatrix("runtimes"),
      [modernNode, "--test", "--test-reporter=spec", "--test-concurrency=2", ...testFiles("tests/matrix/workerd")],
    ],
  },
  {
    name: "bundlers",
    title: "The installed package through esbuild, webpack, Rollup and wrangler",
    commands: [
      onMatrix("bundlers"),
      [modernNode, "--test", "--test-reporter=spec", ...testFiles("tests/matrix/bundles")],
    ],
  },
  {
    name: "browser",
    title: "The installed package in Chromium, as it is and through Vite",
    commands: [onMatrix("browser")],
  },
  {
    name: "size",
    title: "What the npm package adds to a bundle",
    commands: [[process.execPath, fromRoot("scripts", "package-size.mjs")]],
  },
  {
    name: "core",
    title: "The core builds without std, clock or I/O",
    commands: [buildCore(), ...coreFeatures.map((feature) => buildCore("--features", feature))],
  },
  {
    name: "clippy",
    title: "Lints, on this machine's target and on wasm",
    commands: [
      ["cargo", "clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"],
      ["cargo", "clippy", ...workers, "--target", "wasm32-unknown-unknown", "--", "-D", "warnings"],
    ],
  },
  {
    name: "docs",
    title: "Rust documentation builds without a warning",
    commands: [["cargo", "doc", "--workspace", "--all-features", "--no-deps"]],
    environment: { RUSTDOCFLAGS: "-D warnings" },
  },
  {
    name: "rust",
    title: "Rust tests, doc-tests among them",
    commands: [["cargo", "test", "--workspace", "--all-features"]],
  },
  {
    name: "parity",
    title: "Shared vectors, and native against wasm bit for bit",
    commands: [[process.execPath, fromRoot("tests", "parity", "run.mjs")]],
  },
  {
    name: "workers",
    title: "The Workers integration on a real workerd",
    // They wait for alarms more than they compute.
    commands: [[modernNode, "--test", "--test-reporter=spec", "--test-concurrency=4", ...testFiles("tests/workers")]],
    worker: "tests/workers",
  },
  {
    name: "npm-workers",
    title: "The npm package's Workers integration on a real workerd, and state handed from Rust to it and back",
    // The tests are those of the Rust integration, and some more.
    commands: [
      [process.execPath, fromRoot("scripts", "build-npm-worker.mjs")],
      [
        modernNode,
        "--test",
        "--test-reporter=spec",
        "--test-concurrency=4",
        ...testFiles("tests/npm-workers"),
        // Panics and the executor are Rust's.
        ...testFiles("tests/workers").filter((name) => !/lost-attempts|executor/.test(name)),
      ],
    ],
    environment: { INTEGRATION_WORKER: "npm" },
    worker: "tests/workers",
  },
  {
    name: "e2e",
    title: "The built example on a real workerd",
    commands: [[modernNode, "--test", "--test-reporter=spec", ...testFiles("tests/e2e")]],
    worker: "worker-example",
  },
  {
    name: "wrangler",
    title: "wrangler.toml could be deployed",
    commands: [[modernNode, wrangler, "deploy", "--dry-run", "--outdir", fromRoot("target", "wrangler")]],
    environment: { WRANGLER_SEND_METRICS: "false", WRANGLER_LOG_PATH: fromRoot("target", "wrangler-logs") },
    worker: "worker-example",
  },
];
