import { exponential } from "../backoff.js";
import { MAX_CAUSES, property } from "../core/causes.js";
import { classifyProgram } from "../core/classify-program.js";
import { wasm } from "../modules/classify.js";
import type { BackoffOptions, Policy } from "../core/types.js";

const { program, kind, isIdempotentMethod, parseRetryAfter: wait } = classifyProgram(wasm);
export { isIdempotentMethod };

const errorCodes = (): string[] =>
  String.fromCharCode(...new Uint8Array(program.memory.buffer, program.d(), program.e())).match(/.+/g)!;

/** What a failure is judged by. */
export interface FailureRules {
  /** Statuses worth repeating. Default `DEFAULT_RETRYABLE_STATUSES`. */
  retryableStatuses?: Iterable<number> | undefined;
  /** Codes of errors worth repeating. Default `DEFAULT_RETRYABLE_ERROR_CODES`. */
  retryableErrorCodes?: Iterable<string> | undefined;
}

/** The shape of the backoff, in milliseconds. */
export interface BackoffShape {
  /** The first window: from 0. Default 200. */
  baseMs?: number | undefined;
  /** Growth per retry: from 1. Default 2. */
  factor?: number | undefined;
  /** The ceiling on a window: from 0. Default 30,000. */
  maxDelayMs?: number | undefined;
  /** The source of randomness, in [0, 1). Default `Math.random`. */
  random?: (() => number) | undefined;
}

/** The statuses that are repeated: 408, 429, 500, 502, 503, 504. */
export const DEFAULT_RETRYABLE_STATUSES: ReadonlySet<number> = /* @__PURE__ */ new Set([408, 429, 500, 502, 503, 504]);

/** The codes of errors that are repeated: those that the core knows as the network's or a timeout's. */
export const DEFAULT_RETRYABLE_ERROR_CODES: ReadonlySet<string> = /* @__PURE__ */ new Set(/* @__PURE__ */ errorCodes());

/** The HTTP status of a failure: its `status` or `statusCode`, or those of its `response`. */
export const extractStatus = (failure: unknown): number | undefined =>
  [failure, property(failure, "response")]
    .flatMap((source) => [property(source, "status"), property(source, "statusCode")] as number[])
    .find((status) => Number.isInteger(status) && status >= 100 && status < 600);

/** A deliberate cancellation: never to be repeated. */
export const isAbort = (error: unknown): boolean => kind(error) > 3;

/** Whether one of an error's codes, or its causes', is in the set; `undefined` when they have none. */
const hasCode = (error: unknown, codes: ReadonlySet<unknown>): boolean | undefined => {
  let found: boolean | undefined;
  for (let depth = 0; depth <= MAX_CAUSES; depth++, error = property(error, "cause")) {
    const code = property(error, "code");
    if (typeof code === "string") found ||= codes.has(code);
  }
  return found;
};

/**
 * Whether a failure is worth repeating: by its HTTP status if it has one, else as a failure of the network or a timeout. An
 * abort never is.
 */
export const isRetryable = (
  error: unknown,
  { retryableStatuses = DEFAULT_RETRYABLE_STATUSES, retryableErrorCodes }: FailureRules = {},
): boolean => {
  if (isAbort(error)) return false;
  const status = extractStatus(error);
  if (status) return new Set(retryableStatuses).has(status);
  return (retryableErrorCodes && hasCode(error, new Set(retryableErrorCodes))) ?? kind(error) > 0;
};

/** Milliseconds that a `Retry-After` value asks for: whole seconds, or an HTTP-date. `undefined` when it is neither. */
export const parseRetryAfter = (value: string | null | undefined, now = Date.now()): number | undefined =>
  wait(value, now);

/** The same for headers: a `Headers`, or a plain object with names in lower case, as Node.js has them. */
export const retryAfterFromHeaders = (headers: unknown, now?: number): number | undefined => {
  const all = Object(headers);
  return parseRetryAfter(all.get?.("retry-after") ?? all["retry-after"], now);
};

/** Full jitter on an exponential curve, within limits. */
export const ladder = ({ baseMs = 200, factor, maxDelayMs, random }: BackoffShape, limits: BackoffOptions): Policy =>
  exponential({ baseMs, factor, maxDelayMs, random, ...limits } as never);

const delayOf = (jitter: "none" | "full", retry: number, shape: BackoffShape = {}) =>
  ladder(shape, { maxAttempts: Infinity, jitter }).peek({ attempts: retry, startedAt: 0, prevDelayMs: 0 }, 0).delayMs;

/** The window before retry number `retry`, 0 for the first: `min(maxDelayMs, baseMs * factor ** retry)`, in whole milliseconds. */
export const backoffWindow = (retry: number, shape?: BackoffShape): number => delayOf("none", retry, shape);

/** A random point in that window. */
export const jitteredDelay = (retry: number, shape?: BackoffShape): number => delayOf("full", retry, shape);
