import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { exampleWorkerOptions, runtimeOptions } from "../../../scripts/lib/worker-options.mjs";
import { recordLaunch } from "./launch.mjs";

/**
 * Starts a worker on a real workerd with its data on disk.
 *
 * `variables` are added to the built example's bindings; `worker` replaces the example by other Miniflare worker
 * options. Without `dataFolder` the data goes to a temporary folder, which `dispose` removes.
 */
export async function startWorkerd({ variables = {}, worker = exampleWorkerOptions(variables), dataFolder } = {}) {
  const temporaryFolder = await mkdtemp(join(tmpdir(), "workerd-test-"));
  const instance = new Workerd(temporaryFolder);
  try {
    await instance.start({ worker, port: 0, dataFolder: dataFolder ?? join(temporaryFolder, "data") });
  } catch (error) {
    await instance.dispose();
    throw error;
  }
  return instance;
}

class Workerd {
  /** Origin of the running worker; its port changes with each restart. */
  url;
  /** What the worker has logged so far: `{ level, message }`. */
  logs = [];

  #temporaryFolder;
  #miniflare;
  #launch;

  constructor(temporaryFolder) {
    this.#temporaryFolder = temporaryFolder;
  }

  async start(options) {
    this.#launch = await recordLaunch(async () => {
      this.#miniflare = new Miniflare(
        convertV4MiniflareOptions({
          ...runtimeOptions(options),
          log: new Log(LogLevel.NONE),
          handleStructuredLogs: (entry) => this.logs.push(entry),
        }),
      );
      this.url = (await this.#miniflare.ready).origin;
    });
  }

  /** Process id of the workerd that runs, or ran last. */
  get pid() {
    return this.#launch.pid;
  }

  /** `fetch` of a path on the running worker; one that gets no answer fails. */
  fetch(path, init) {
    return fetch(new URL(path, this.url), { signal: AbortSignal.timeout(30_000), ...init });
  }

  /** Ends workerd with SIGKILL and resolves when it has gone. */
  async kill() {
    await this.#launch.kill();
  }

  /** Starts workerd on the same data, after killing the one that may still run. */
  async restart() {
    await this.kill();
    const port = await this.#launch.repeat("entry", (line) => this.logs.push(parseLog(line)));
    this.url = `http://127.0.0.1:${port}`;
  }

  /** Ends everything and removes the temporary folder. */
  async dispose() {
    await this.#launch?.kill();
    this.#launch?.release();
    await this.#miniflare?.dispose().catch(() => {});
    await rm(this.#temporaryFolder, { recursive: true, force: true });
  }
}

function parseLog(line) {
  try {
    const { level, message } = JSON.parse(line);
    return { level, message };
  } catch {
    return { level: "error", message: line };
  }
}
