import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fromRoot } from "../../../scripts/lib/paths.mjs";
import { startWorkerd } from "../../e2e/support/workerd.mjs";

/** INTEGRATION_WORKER=npm runs these tests on the npm package's counterpart, which has the same routes and classes. */
export const usual = process.env.INTEGRATION_WORKER ?? "rust";

/** The modules of the integration worker in that language, as Miniflare takes them. */
export function integrationModules(language = usual) {
  const modulesRoot = language === "npm" ? fromRoot("target", "npm-worker") : fromRoot("tests", "workers", "build");
  const programs = readdirSync(modulesRoot).filter((name) => name.endsWith(".wasm"));
  const modules = [
    { type: "ESModule", path: `${modulesRoot}/index.js` },
    ...programs.map((name) => ({ type: "CompiledWasm", path: `${modulesRoot}/${name}` })),
  ];
  return { modulesRoot, modules };
}

/**
 * Starts the integration worker. `useSQLite: false` stores its Durable Objects in the older key-value backend;
 * `companions` are workers that run beside it; `language` is `rust` or `npm`.
 */
export async function startIntegrationWorker({
  useSQLite = true,
  companions = [],
  dataFolder,
  language = usual,
  ...options
} = {}) {
  const workers = [integrationWorker({ useSQLite, language, ...options }), ...companions];
  const workerd = await startWorkerd({ worker: { workers }, dataFolder });
  return Object.assign(workerd, { probe: (name) => new Probe(workerd, name) });
}

/** A worker that hands on to a receiver what it is asked to fetch, on any host, and the messages of queues. */
export function gateway({ receiver, ...options }) {
  const path = fileURLToPath(new URL("gateway.mjs", import.meta.url));
  const modules = [{ type: "ESModule", path }];
  return {
    name: "gateway",
    compatibilityDate: "2026-03-01",
    modules,
    bindings: { RECEIVER: receiver.url },
    ...options,
  };
}

const integrationWorker = ({ useSQLite, language, ...options }) => ({
  name: "integration-worker",
  compatibilityDate: "2026-03-01",
  ...integrationModules(language),
  durableObjects: {
    PROBE: { className: "Probe", useSQLite },
    WEBHOOK: { className: "Webhook", useSQLite },
  },
  ...options,
});

/** One Durable Object of the class Probe. Every call resolves to `{ operation, alarm }`. */
class Probe {
  constructor(workerd, name) {
    this.workerd = workerd;
    this.name = name;
  }

  plan(plan) {
    return this.#call("plan", JSON.stringify(plan));
  }

  start(url) {
    return this.#call("start", JSON.stringify(url));
  }

  cancel() {
    return this.#call("cancel", "");
  }

  clear() {
    return this.#call("clear", "");
  }

  /** Puts a value into the storage behind the integration's back; undefined deletes the key. */
  store(key, value) {
    return this.#call(`stored/${key}`, value === undefined ? "" : JSON.stringify(value));
  }

  armAlarm(inMs) {
    return this.#call("alarm", JSON.stringify(inMs));
  }

  async look() {
    return this.#answer(await this.workerd.fetch(`/probe/${this.name}`));
  }

  async #call(action, body) {
    return this.#answer(await this.workerd.fetch(`/probe/${this.name}/${action}`, { method: "POST", body }));
  }

  async #answer(response) {
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return response.json();
  }

  /**
   * Resolves to the operation once it has the given status, after so many failed attempts; looks again and again until
   * then. An object that is reset answers a look with an error: that is no end.
   */
  async until(status, { attempts = 0, timeoutMs = 15_000 } = {}) {
    const deadline = Date.now() + timeoutMs;
    let last;
    for (;;) {
      last = await this.look().catch((error) => error);
      const { operation } = last;
      if (operation?.phase.status === status && operation.state.attempts >= attempts) return operation;
      if (Date.now() > deadline) throw new Error(`not ${status} in time: ${last.message ?? JSON.stringify(last)}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
