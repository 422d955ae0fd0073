// A server that fails on request, for any runtime's fetch. A URL says how:
//
//   /?key=K&fail=N&how=H&retry-after=V   the first N requests of key K fail as H says, the next ones are answered with 200
//   /seen?key=K                          what came in for K: method, body, and whether the client hung up
//
// H is a status, or: reset (the connection is cut), hang (no answer), drip (a 503 whose body never ends).
import { createServer } from "node:http";

/** Starts it on a free port of loopback: `{ url, close }`. */
export async function startFlakyServer() {
  const keys = new Map();
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, "http://localhost");
    const key = url.searchParams.get("key");
    // No connection outlives its request: where tests share a process, another one's clock may have replaced its timers.
    const allow = {
      "access-control-allow-origin": "*",
      "access-control-expose-headers": "*",
      connection: "close",
    };
    if (request.method === "OPTIONS" && request.headers["access-control-request-method"]) {
      response.writeHead(204, { ...allow, "access-control-allow-methods": "*", "access-control-allow-headers": "*" });
      response.end();
      return;
    }
    if (!keys.has(key)) keys.set(key, []);
    const seen = keys.get(key);
    if (url.pathname === "/seen") {
      response.writeHead(200, { ...allow, "content-type": "application/json" });
      response.end(JSON.stringify(seen));
      return;
    }
    const entry = { method: request.method, body: "", at: performance.now(), hungUp: false };
    seen.push(entry);
    const number = seen.length;
    response.on("close", () => (entry.hungUp = !response.writableFinished));
    for await (const chunk of request) entry.body += chunk;
    if (number > Number(url.searchParams.get("fail"))) {
      response.writeHead(200, allow);
      response.end(`answer ${number}`);
      return;
    }
    const how = url.searchParams.get("how") ?? "503";
    const retryAfter = url.searchParams.get("retry-after");
    const headers = retryAfter === null ? allow : { ...allow, "retry-after": retryAfter };
    if (how === "reset") request.socket.destroy();
    else if (how === "drip") response.writeHead(503, headers).write("a beginning");
    else if (how !== "hang") response.writeHead(Number(how), headers).end(`failure ${number}`);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    return closed;
  };
  return { url: `http://127.0.0.1:${server.address().port}`, close };
}
