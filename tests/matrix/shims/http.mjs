// `node:http` where there is none: no server can be started, so tests use the one that the runner has started.
export function createServer() {
  throw new Error("set globalThis.SERVER_URL");
}
