// An entry of the integration worker: its KV namespace counts what it is asked, and fails as told by `/control?mode=`:
// ok, 429, throw, junk or hang. Answers there with the reads, writes and lists so far, by the moments they began.
import { WorkerEntrypoint } from "cloudflare:workers";
import Worker from "./index.js";

export { Breaker } from "./index.js";

let mode = "ok";
const counts = { get: [], put: [], list: [] };
const failed = (operation) => new Error(`KV ${operation} failed: 429 Too Many Requests`);

function counted(namespace) {
  const counting =
    (operation, junk) =>
    async (...parameters) => {
      counts[operation].push(Date.now());
      if (mode === "hang") return new Promise(() => {});
      if (mode === "429") throw failed(operation.toUpperCase());
      if (mode === "junk" && junk) return junk;
      return namespace[operation](...parameters);
    };
  const throwing = (operation) => (parameters) => {
    counts[operation].push(Date.now());
    throw new TypeError(`${operation} of ${parameters}`);
  };
  const wrap = (operation, junk) => {
    const count = counting(operation, junk);
    return (...parameters) => (mode === "throw" ? throwing(operation)(...parameters) : count(...parameters));
  };
  return {
    get: wrap("get", '{"status":"open","changedAt":"yesterday"'),
    put: wrap("put"),
    list: wrap("list"),
    getWithMetadata: namespace.getWithMetadata.bind(namespace),
    delete: namespace.delete.bind(namespace),
  };
}

export default class extends WorkerEntrypoint {
  constructor(context, environment) {
    super(context, environment);
    this.worker = new Worker(context, { ...environment, BREAKERS: counted(environment.BREAKERS) });
  }

  fetch(request) {
    const url = new URL(request.url);
    if (url.pathname !== "/control") return this.worker.fetch(request);
    mode = url.searchParams.get("mode") ?? mode;
    return Response.json(counts);
  }
}
