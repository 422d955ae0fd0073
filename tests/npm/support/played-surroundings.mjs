// Loaded before a block of MIGRATING.md: the network answers with a cut connection, then a 503, then the order, and time
// goes by a hundred times faster.
const { setTimeout: real } = globalThis;
globalThis.setTimeout = (callback, ms, ...more) => real(callback, ms / 100, ...more);

let calls = 0;
globalThis.fetch = async () => {
  calls += 1;
  if (calls === 1) {
    throw new TypeError("fetch failed", { cause: Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }) });
  }
  return calls === 2 ? new Response("busy", { status: 503 }) : Response.json({ id: 7 });
};
