import { readFileSync } from "node:fs";
import { startWorkerd } from "../../e2e/support/workerd.mjs";
import { integrationModules, usual } from "./integration-worker.mjs";

const compatibilityDate = "2026-03-01";

// Passes /a/... on to the worker called a.
const front = `export default {
  fetch(request, environment) {
    const url = new URL(request.url);
    const [, name, ...rest] = url.pathname.split("/");
    url.pathname = (rest[0] === "control" ? rest : ["breakers", ...rest]).join("/");
    return environment[name].fetch(new Request(url, request));
  },
};`;

function caller(name, variables, keeper, language) {
  const { modulesRoot, modules } = integrationModules(language);
  const entry = readFileSync(new URL("counted-kv.mjs", import.meta.url), "utf8");
  return {
    name,
    compatibilityDate,
    bindings: variables,
    kvNamespaces: { BREAKERS: "breakers" },
    durableObjects: { BREAKER: { className: "Breaker", scriptName: keeper, useSQLite: true } },
    modulesRoot,
    modules: [{ type: "ESModule", path: `${modulesRoot}/entry.mjs`, contents: entry }, ...modules],
  };
}

/**
 * Starts the test worker several times over, each in an isolate of its own, with one KV namespace and one class of
 * objects between them, which lies with the first. `languages` names those that are not in the usual one.
 */
export async function startCallers(names, variables = {}, languages = {}) {
  const serviceBindings = Object.fromEntries(names.map((name) => [name, name]));
  const workers = [
    { name: "front", compatibilityDate, modules: true, script: front, serviceBindings },
    ...names.map((name) => caller(name, variables, names[0], languages[name] ?? usual)),
  ];
  return new Callers(await startWorkerd({ worker: { workers } }));
}

class Callers {
  constructor(workerd) {
    this.workerd = workerd;
  }

  /** What the worker answers to `/{kv,object}/{name}/{action}`; see src/breakers.rs. */
  async ask(path, query = {}) {
    const response = await this.workerd.fetch(`${path}?${new URLSearchParams(query)}`);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  /** One call through the breaker of that path. */
  async call(path, query) {
    const [answer] = await this.ask(`${path}/call`, query);
    return answer;
  }

  /** What the KV namespace of that worker was asked so far; sets how it behaves. */
  control(name, mode) {
    return this.ask(`/${name}/control`, mode && { mode });
  }

  errors() {
    return this.workerd.logs.filter(({ level }) => level === "error").map(({ message }) => message);
  }

  dispose() {
    return this.workerd.dispose();
  }
}

/** The least time between two of these moments. */
export function leastGap(moments) {
  return Math.min(...moments.slice(1).map((moment, index) => moment - moments[index]));
}
