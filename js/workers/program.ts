import { instantiate, numeric } from "../core/instantiate.js";
import { wasm } from "../modules/workers.js";

/** What js/boundary/src/bin/workers.rs exports. */
interface Program {
  memory: WebAssembly.Memory;
  a(): number;
  b(step: number): number;
  c(): number;
  d(step: number, openMs: number, isRolling: boolean): number;
  e(what: number, one: number, two: number, three: number): number;
}

const { memory, a, b, c, d, e } = instantiate<Program>(wasm, {});

let at = a();
const numbers = (length: number): Float64Array => {
  const view = new Float64Array(memory.buffer, at, length);
  at += view.byteLength;
  return view;
};

/** The buffer, in the order of `Numbers` in src/wasm/workers. */
export const given = numbers(8);
export const answer = numbers(4);
export const operationNumbers = numbers(7);
export const stateNumbers = numbers(14);
export const otherNumbers = numbers(14);
export const paceNumbers = numbers(8);

export { b as operationStep, c as checkRecord, d as replicaStep };

/** What the platform takes, and what an HTTP status says: `platform` in src/wasm/workers. */
export const queueSeconds = (delayMs: number): number => e(0, delayMs, 0, 0);
export const attemptsBefore = (deliveries: number): number => e(1, deliveries, 0, 0);
export const putOffUntil = (now: number, retryAfterMs: number, random: number): number =>
  e(2, now, numeric(retryAfterMs) || 0, numeric(random));
export const secondsToLive = (keepMs: number, retryAfterMs: number): number => e(3, keepMs, retryAfterMs, 0);
export const isHostIll = (status: number | undefined, ok: boolean): boolean => e(4, status ?? NaN, ok ? 1 : 0, 0) === 1;
export const wholeMs = (ms: number): number => e(5, ms, 0, 0);
export const deadManMs = (timeoutMs: number): number => e(6, timeoutMs, 0, 0);
