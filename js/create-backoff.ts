import { optionError, StateError } from "./errors.js";
import { instantiate, numeric } from "./instantiate.js";
import { ABOVE_0, callable, MAX, number, word } from "./options.js";
import type { BackoffOptions, Decision, DelayFor, Outcome, Policy, RetryState, StopReason } from "./types.js";

/** What js/boundary/src/bin/backoff.rs exports. */
interface Program {
  memory: WebAssembly.Memory;
  a(): number;
  b(now: number): number;
  c(maxDelayMs: number): number;
  d(
    curve: number,
    baseMs: number,
    factor: number,
    jitter: number,
    maxAttempts: number,
    deadlineMs: number,
    maxDelayMs: number,
    attempts: number,
    startedAt: number,
    prevDelayMs: number,
    now: number,
    retryable: boolean,
    retryAfterMs: number,
  ): number;
}

/** What a negative answer means, counted from the end: a wrong field of the state, or the reason of a stop. */
const ANSWERS = ["prevDelayMs", "startedAt", "attempts", "deadline", "maxAttempts", "nonRetryable"] as string[];

/** `/backoff` on a module that you have compiled yourself. */
export const createBackoff = (module: WebAssembly.Module) => {
  let random: () => number;
  let curve: (attempt: number, prevDelayMs: number) => number;
  const {
    memory,
    a,
    b: time,
    c: cap,
    d: decide,
  } = instantiate<Program>(module, {
    a: () => random(),
    b: (attempt: number, prevDelayMs: number) => curve(attempt, prevDelayMs),
  });
  const numbers = new Float64Array(memory.buffer, a());

  const policy = (
    kind: number,
    given: BackoffOptions | undefined,
    base: string,
    growth?: number,
    delayFor?: DelayFor,
  ): Policy => {
    const options = given ?? {};
    const baseMs = base ? number(options, base, 0, MAX) : 0;
    const factor = growth ? number(options, "factor", 1, Number.MAX_VALUE, growth) : 0;
    const none = NaN;
    const maxAttempts = number(options, "maxAttempts", 1, Infinity, none, "whole ");
    const deadlineMs = number(options, "deadlineMs", ABOVE_0, Infinity, none);
    if (maxAttempts !== maxAttempts && deadlineMs !== deadlineMs) {
      throw optionError(TypeError, "maxAttempts", "given when there is no deadlineMs (Infinity for no end)");
    }
    const attemptsLimit = maxAttempts || Infinity;
    const deadline = deadlineMs || Infinity;
    const maxDelayMs = cap(number(options, "maxDelayMs", 0, Infinity, 30_000));
    const jitterMode = word(options, "jitter", ["none", "full", "equal"], "full");
    const jitter = kind === 1 ? 0 : jitterMode;
    const { random: source = Math.random } = options;
    const draw = callable("random", source);
    const shape = (attempt: number, prevDelayMs: number) => {
      const delayMs = delayFor!(attempt, prevDelayMs, draw);
      // A curve may have asked another policy.
      random = draw;
      return delayMs;
    };

    const next = (state: RetryState, now: number, outcome?: Outcome): { state: RetryState; decision: Decision } => {
      const { attempts, startedAt, prevDelayMs } = state ?? (0 as never);
      const retryAfterMs = outcome?.retryAfterMs;
      random = draw;
      curve = shape;
      const delayMs = decide(
        kind,
        baseMs,
        factor,
        jitter,
        attemptsLimit,
        deadline,
        maxDelayMs,
        numeric(attempts),
        numeric(startedAt),
        numeric(prevDelayMs),
        now,
        outcome?.retryable !== false,
        numeric(retryAfterMs),
      );
      if (delayMs < -3) {
        const field = ANSWERS.at(delayMs) as keyof RetryState;
        throw new StateError(field, (state ?? (0 as never))[field]);
      }
      const made = numbers[0]!;
      const remainingMs = numbers[1]!;
      if (delayMs >= 0) {
        return {
          state: { attempts: made, startedAt, prevDelayMs: delayMs },
          decision: { retry: true, delayMs, attempts: made, remainingMs },
        };
      }
      const reason = ANSWERS.at(delayMs) as StopReason;
      const decision: Decision = { retry: false, delayMs: 0, attempts: made, remainingMs, reason };
      if (retryAfterMs !== undefined) decision.retryAfterMs = retryAfterMs;
      return { state, decision };
    };

    return Object.freeze({
      init: (now: number): RetryState => ({ attempts: 0, startedAt: time(now), prevDelayMs: 0 }),
      next,
      peek: (state: RetryState, now: number, outcome?: Outcome): Decision => next(state, now, outcome).decision,
    });
  };

  return {
    /** Waits `baseMs * factor^(n - 1)`, `factor` 2 by default: for anything remote that can be overloaded. */
    exponential: (options: { baseMs: number; factor?: number } & BackoffOptions): Policy =>
      policy(0, options, "baseMs", 2),
    /** Waits between `baseMs` and `factor` times the previous wait, `factor` 3 by default. */
    decorrelatedJitter: (options: { baseMs: number; factor?: number } & BackoffOptions): Policy =>
      policy(1, options, "baseMs", 3),
    /** Waits `baseMs * 1, 1, 2, 3, 5, 8, ...`. */
    fibonacci: (options: { baseMs: number } & BackoffOptions): Policy => policy(2, options, "baseMs"),
    /** Waits `baseMs * n`. */
    linear: (options: { baseMs: number } & BackoffOptions): Policy => policy(3, options, "baseMs"),
    /** Waits `delayMs` every time. */
    constant: (options: { delayMs: number } & BackoffOptions): Policy => policy(4, options, "delayMs"),
    /** Waits as long as `delayFor` says. A negative wait is 0; one that is no number, or too large, is the cap. */
    backoff: (delayFor: DelayFor, options?: BackoffOptions): Policy =>
      policy(5, options, "", 0, callable("delayFor", delayFor)),
  };
};
