import { until } from "./until.mjs";

// A runner whose runtime can't start a server puts the URL of flaky-server.mjs into globalThis.SERVER_URL.
let server;
let keys = 0;

export async function startServer() {
  if (globalThis.SERVER_URL) return;
  const { startFlakyServer } = await import("./flaky-server.mjs");
  server = await startFlakyServer();
}
export const stopServer = () => server?.close();

/** An address of its own for each test, and what the server saw there. */
export function place(query = {}) {
  const base = globalThis.SERVER_URL ?? server.url;
  const key = `${Date.now()}-${++keys}`;
  const url = `${base}/?${new URLSearchParams({ key, ...query })}`;
  const seen = async () => (await fetch(`${base}/seen?key=${key}`)).json();
  /** The server's side of connections closes a moment after ours. */
  const hungUp = (number) => until(async () => (await seen()).filter(({ hungUp }) => hungUp).length >= number);
  return { url, seen, hungUp };
}
