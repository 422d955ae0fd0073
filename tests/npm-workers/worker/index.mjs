// A Worker that shows the npm package's `/workers` to its tests, with the routes of tests/workers/src/lib.rs.
import { WorkerEntrypoint } from "cloudflare:workers";
import { exponential } from "retry-primitives-wasm/backoff";
import { reportFetch, settle as settleMessage } from "retry-primitives-wasm/workers";
import { route } from "./breakers.mjs";
import { settle } from "./fake-message.mjs";
import guarded from "readme:KvBreaker";

export { Breaker } from "./breakers.mjs";
export { Probe } from "./probe.mjs";
export { Webhook } from "readme:DurableRetry";

const object = (namespace, name, request) => namespace.get(namespace.idFromName(name)).fetch(request);

export default class extends WorkerEntrypoint {
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    const [first, ...rest] = pathname.split("/").slice(1);
    const { env, ctx } = this;
    switch (first) {
      case "probe":
        return object(env.PROBE, rest[0], request);
      case "webhook":
        return object(env.WEBHOOK, rest[0], request);
      case "queue":
        await env.QUEUE.send(await request.text());
        return new Response();
      case "settle":
        return Response.json(settle(await request.json()));
      case "breakers":
        return Response.json(await route(rest, searchParams, env, ctx));
      case "guarded":
        return guarded.fetch(request, env, ctx);
      case "random":
        return Response.json(Array.from({ length: 8 }, Math.random));
      default:
        return new Response("no such route", { status: 404 });
    }
  }

  async queue(batch) {
    const policy = exponential({ baseMs: 1_000, maxAttempts: 3 });
    for (const message of batch.messages) {
      const settled = settleMessage(message, policy, await reportFetch((async () => fetch(message.body))()));
      if (settled.status === "gaveUp") {
        console.error(`giving up on ${message.id}: ${settled.reason}`);
        message.retry(); // with `max_retries = 2` the queue now moves it to its dead-letter queue
      }
    }
  }
}
