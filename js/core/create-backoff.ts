import { optionError, StateError } from "./errors.js";
import { AREA, instantiate, numeric } from "./instantiate.js";
import { ABOVE_0, callable, MAX, number, word } from "./options.js";
import type { BackoffOptions, Decision, DelayFor, Outcome, Policy, RetryState, StopReason } from "./types.js";

/** What js/boundary/src/bin/backoff.rs exports. */
interface Program {
  memory: WebAssembly.Memory;
  a(now: number): number;
  b(
    attempts: number,
    startedAt: number,
    prevDelayMs: number,
    now: number,
    retryable: boolean,
    retryAfterMs: number,
  ): number;
}

/** Options in the order of the program, and what it calls: its source of randomness, and a curve of the caller's. */
type Numbers = number[] & { random: () => number; delayFor: DelayFor | undefined };

/** What a negative answer means, counted from the end: a wrong field of the state, or the reason of a stop. */
const ANSWERS = ["prevDelayMs", "startedAt", "attempts", "deadline", "maxAttempts", "nonRetryable"] as string[];

/** `/backoff` on a module that you have compiled yourself. */
export const createBackoff = (module: WebAssembly.Module) => {
  let loaded: Numbers;
  const load = (options: Numbers) => {
    if (loaded === options) return;
    numbers.set(options, 2);
    // Not before they are there: the call may find no room on the engine's stack.
    loaded = options;
  };
  const {
    memory,
    a: time,
    b: decide,
  } = instantiate<Program>(module, {
    a: () => loaded.random(),
    b: (attempt: number, prevDelayMs: number) => {
      const options = loaded;
      const delayMs = options.delayFor!(attempt, prevDelayMs, options.random);
      // A curve may have asked another policy.
      load(options);
      return delayMs;
    },
  });
  const numbers = new Float64Array(memory.buffer, AREA);

  const policy =
    <Options extends BackoffOptions>(kind: number, base: string, growth?: number) =>
    (options: Options, delayFor?: DelayFor): Policy => {
      const given = (options ?? {}) as BackoffOptions;
      const { random = Math.random } = given;
      const maxAttempts = number(given, "maxAttempts", 1, Infinity, NaN, "whole ");
      const deadlineMs = number(given, "deadlineMs", ABOVE_0, Infinity, NaN);
      if (maxAttempts !== maxAttempts && deadlineMs !== deadlineMs) {
        throw optionError("maxAttempts or deadlineMs", "given");
      }
      const own: Numbers = Object.assign(
        [
          kind,
          base ? number(given, base, 0, MAX) : 0,
          growth ? number(given, "factor", 1, Number.MAX_VALUE, growth) : 0,
          word(given, "jitter", ["none", "full", "equal"], "full"),
          maxAttempts,
          deadlineMs || Infinity,
          number(given, "maxDelayMs", 0, Infinity, 30_000),
        ],
        { random: callable("random", random), delayFor },
      );

      const next = (state: RetryState, now: number, outcome?: Outcome): { state: RetryState; decision: Decision } => {
        const { attempts, startedAt, prevDelayMs } = state ?? (0 as never);
        const retryable = outcome?.retryable !== false;
        const retryAfterMs = numeric(outcome?.retryAfterMs);
        now = +now;
        // A getter may have asked another policy.
        load(own);
        const delayMs = decide(
          numeric(attempts),
          numeric(startedAt),
          numeric(prevDelayMs),
          now,
          retryable,
          retryAfterMs,
        );
        const answer = ANSWERS.at(delayMs)!;
        if (delayMs < -3) throw new StateError(answer, (state ?? (0 as never))[answer as keyof RetryState]);
        const decision: Decision = {
          retry: delayMs >= 0,
          delayMs,
          attempts: numbers[0]!,
          remainingMs: numbers[1]!,
        };
        if (delayMs >= 0) return { state: { attempts: numbers[0]!, startedAt, prevDelayMs: delayMs }, decision };
        decision.delayMs = 0;
        decision.reason = answer as StopReason;
        if (retryAfterMs === retryAfterMs) decision.retryAfterMs = retryAfterMs;
        return { state, decision };
      };

      return Object.freeze({
        init: (now: number): RetryState => ({ attempts: 0, startedAt: time(now), prevDelayMs: 0 }),
        next,
        peek: (state: RetryState, now: number, outcome?: Outcome): Decision => next(state, now, outcome).decision,
      });
    };
  const custom = policy(5, "");

  return {
    /** Waits `baseMs * factor^(n - 1)`, `factor` 2 by default: for anything remote that can be overloaded. */
    exponential: policy<{ baseMs: number; factor?: number } & BackoffOptions>(0, "baseMs", 2),
    /** Waits between `baseMs` and `factor` times the previous wait, `factor` 3 by default. */
    decorrelatedJitter: policy<{ baseMs: number; factor?: number } & BackoffOptions>(1, "baseMs", 3),
    /** Waits `baseMs * 1, 1, 2, 3, 5, 8, ...`. */
    fibonacci: policy<{ baseMs: number } & BackoffOptions>(2, "baseMs"),
    /** Waits `baseMs * n`. */
    linear: policy<{ baseMs: number } & BackoffOptions>(3, "baseMs"),
    /** Waits `delayMs` every time. */
    constant: policy<{ delayMs: number } & BackoffOptions>(4, "delayMs"),
    /** Waits as long as `delayFor` says. A negative wait is 0; one that is no number, or too large, is the cap. */
    backoff: (delayFor: DelayFor, options?: BackoffOptions): Policy => custom(options!, callable("delayFor", delayFor)),
  };
};
