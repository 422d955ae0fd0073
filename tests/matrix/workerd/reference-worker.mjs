// The reference's examples for Workers, in our words: an object that delivers, and a breaker whose state lies in KV.
import { DurableObject } from "cloudflare:workers";
import { exponential } from "retry-primitives-wasm/backoff";
import { consecutiveBreaker } from "retry-primitives-wasm/breaker";
import { httpOutcome } from "retry-primitives-wasm/classify";

// Drawn low, so that a test has little to wait for.
const policy = exponential({ baseMs: 1_000, maxAttempts: 8, deadlineMs: 3_600_000, random: () => 0.01 });

export class Courier extends DurableObject {
  async deliver(message) {
    await this.ctx.storage.put({ message, retry: policy.init(Date.now()) });
    await this.attempt();
  }

  async alarm() {
    await this.attempt();
  }

  async attempt() {
    const { storage } = this.ctx;
    const body = JSON.stringify(await storage.get("message"));
    const response = await fetch(this.env.RECEIVER, { method: "POST", body });
    if (response.ok) return storage.deleteAll();

    const now = Date.now();
    const { state, decision } = policy.next(await storage.get("retry"), now, httpOutcome(response, now));
    if (!decision.retry) return storage.put("gaveUp", decision.reason);
    await storage.put("retry", state);
    await storage.setAlarm(now + decision.delayMs);
  }

  async look() {
    return { ...Object.fromEntries(await this.ctx.storage.list()), alarm: await this.ctx.storage.getAlarm() };
  }
}

const breaker = consecutiveBreaker({ failureThreshold: 5, openMs: 30_000 });

async function throughBreaker({ STATES, RECEIVER }, now) {
  const stored = await STATES.get("breaker", "json");
  const { state, verdict } = breaker.request(stored ?? breaker.init(now), now);
  if (!verdict.ok) {
    const seconds = Math.ceil(verdict.retryAfterMs / 1_000);
    return new Response("not now", { status: 503, headers: { "retry-after": String(seconds) } });
  }
  const keep = (next) => STATES.put("breaker", JSON.stringify(next));
  try {
    const response = await fetch(RECEIVER);
    await keep(breaker.succeed(state, now));
    return response;
  } catch {
    await keep(breaker.fail(state, now));
    return new Response("no answer", { status: 502 });
  }
}

export default {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    const courier = env.COURIER.getByName(searchParams.get("name"));
    switch (pathname) {
      case "/deliver":
        await courier.deliver(await request.json());
        return new Response(null, { status: 202 });
      case "/look":
        return Response.json(await courier.look());
      case "/call":
        return throughBreaker(env, Number(searchParams.get("now")));
      default:
        return Response.json(await env.STATES.get("breaker", "json"));
    }
  },
};
