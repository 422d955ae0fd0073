// Compiled, never run: the real objects of the platform are accepted, and the examples of README.md are what they look like.
/// <reference types="@cloudflare/workers-types" />
import { exponential } from "retry-primitives-wasm/backoff";
import { consecutiveBreaker, rollingBreaker } from "retry-primitives-wasm/breaker";
import { BreakerObject, DurableRetry, KvBreaker, ObjectBreaker, settle } from "retry-primitives-wasm/workers";
import type { Operation, Report, SharedBreaker, Snapshot } from "retry-primitives-wasm/workers";

interface Environment {
  BREAKERS: KVNamespace;
  BREAKER: DurableObjectNamespace;
  BUCKET: R2Bucket;
  OPTIONAL?: string;
}

declare const environment: Environment;
declare const context: ExecutionContext;
declare const state: DurableObjectState;
declare const batch: MessageBatch<string>;

const policy = exponential({ baseMs: 100, maxAttempts: 5 });
const breaker = consecutiveBreaker({ failureThreshold: 5, openMs: 30_000 });

const retry = new DurableRetry<{ url: string }>(state, policy, { requestTimeoutMs: 5_000 });
const started: Promise<Operation> = retry.start({ url: "https://example.com" });
const attempt = async ({ payload, signal }: { payload: { url: string }; signal: AbortSignal }): Promise<Report> => {
  const { ok, status } = await fetch(payload.url, { signal });
  return { ok, status };
};
const ended: Promise<Operation | undefined> = retry.onAlarm(attempt);

const shared: SharedBreaker = new KvBreaker(environment, "BREAKERS", breaker, context, { keepMs: 60_000 });
new KvBreaker(environment, "BREAKERS", rollingBreaker({ windowMs: 5, openMs: 5 }), state);
const exact: SharedBreaker = new ObjectBreaker(environment, "BREAKER");
const listed: Promise<Snapshot[]> = exact.list();
const behind = retry.onAlarmBehind({ breaker: shared, name: "example.com" }, attempt);
const object = new BreakerObject(state, breaker);
const handle = (request: Request): Promise<Response> => object.handle(request);

for (const message of batch.messages) {
  const settled = settle(message, policy, { ok: false, outcome: { retryAfterMs: 5 } });
  if (settled.status === "retrying") settled.delaySeconds.toFixed();
}

// @ts-expect-error no KV namespace
new KvBreaker(environment, "BUCKET", breaker, context);
// @ts-expect-error no such binding
new ObjectBreaker(environment, "BREAKERS");
// @ts-expect-error a payload of another type
retry.start("https://example.com");
// @ts-expect-error no report
retry.onAlarm(async () => "done");

export { behind, ended, handle, listed, started };
