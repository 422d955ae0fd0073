// The class of tests/workers/src/probe.rs, on the npm package: the same routes, and the same storage.
import { DurableObject } from "cloudflare:workers";
import { exponential } from "retry-primitives-wasm/backoff";
import { DurableRetry } from "retry-primitives-wasm/workers";
import { make } from "./attempt.mjs";

const PLAN_KEY = "plan";
const usual = {
  baseMs: 50,
  maxDelayMs: 2 ** 40,
  maxAttempts: 5,
  jitter: "none",
  timeoutMs: 1_000,
  attempts: ["fetch"],
};

export class Probe extends DurableObject {
  async fetch(request) {
    const [, , , action, key] = new URL(request.url).pathname.split("/");
    const { storage } = this.ctx;
    const retry = await this.#retry();
    const actions = {
      plan: async () => void (await storage.put(PLAN_KEY, { ...usual, ...(await request.json()) })),
      start: async () => retry.start(await request.json()),
      cancel: () => retry.cancel(),
      clear: () => retry.clear(),
      postpone: async () => retry.postpone(await request.json()),
      stored: async () => this.#spoil(key, await request.text()),
      alarm: async () => this.#arm(await request.json()),
    };
    const operation = (await (action ? actions[action]() : retry.operation())) ?? null;
    return Response.json({ operation, alarm: await storage.getAlarm() });
  }

  async alarm() {
    const { attempts } = await this.#plan();
    const retry = await this.#retry();
    const operation = await retry.onAlarm((attempt) =>
      make(attempt, attempts[Math.min(attempt.number, attempts.length) - 1]),
    );
    if (operation?.recovered) console.log(`recovered: ${operation.recovered}`);
  }

  async #plan() {
    return (await this.ctx.storage.get(PLAN_KEY)) ?? usual;
  }

  async #retry() {
    const { timeoutMs, attempts: _, ...options } = await this.#plan();
    return new DurableRetry(this.ctx, exponential(options), { requestTimeoutMs: timeoutMs });
  }

  /** Puts what the text of JSON says under a key, `"NaN"` being the number; an empty text deletes it. */
  async #spoil(key, text) {
    if (text === "") return void (await this.ctx.storage.delete(key));
    const value = JSON.parse(text);
    if (value?.phase?.due === "NaN") value.phase.due = NaN;
    await this.ctx.storage.put(key, value);
  }

  /** Arms the alarm as an enemy would: by itself; or takes it away. */
  async #arm(inMs) {
    await (inMs === null ? this.ctx.storage.deleteAlarm() : this.ctx.storage.setAlarm(Date.now() + inMs));
  }
}
