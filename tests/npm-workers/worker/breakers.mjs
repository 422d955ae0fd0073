// Calls through shared breakers as the tests tell it: the routes of tests/workers/src/breakers.rs.
import { DurableObject } from "cloudflare:workers";
import { consecutiveBreaker } from "retry-primitives-wasm/breaker";
import { BreakerObject, KvBreaker, ObjectBreaker } from "retry-primitives-wasm/workers";

const options = ({ FAILURES = 5, OPEN_MS = 30_000, PROBES = 1 }) =>
  consecutiveBreaker({ failureThreshold: Number(FAILURES), openMs: Number(OPEN_MS), halfOpenProbes: Number(PROBES) });

export class Breaker extends DurableObject {
  breaker = new BreakerObject(this.ctx, options(this.env));

  fetch(request) {
    return this.breaker.handle(request);
  }
}

async function call(breaker, name, query) {
  const admission = await breaker.request(name);
  const { ok, status, blind, retryAfterMs } = admission;
  if (!ok) return { ok, status, retryAfterMs };
  const url = query.get("url");
  const works = url
    ? await fetch(url).then(
        (response) => response.status < 500,
        () => false,
      )
    : query.get("ok") !== "false";
  const reported = await breaker.report(admission, works ? "success" : "failure");
  return { ok, status, blind, reported: reported[0].toUpperCase() + reported.slice(1) };
}

export async function route([kind, name, action], query, environment, context) {
  const breaker =
    kind === "kv"
      ? new KvBreaker(environment, "BREAKERS", options(environment), context)
      : new ObjectBreaker(environment, "BREAKER");
  if (!name) return breaker.list();
  if (action === "peek") return breaker.peek(name);
  if (action === "request") {
    const { ok, status } = await breaker.request(name);
    return { ok, status };
  }
  if (action !== "call") return breaker.force(name, action);
  const calls = [];
  for (let time = Number(query.get("times") ?? 1); time > 0; time--) calls.push(await call(breaker, name, query));
  return calls;
}
