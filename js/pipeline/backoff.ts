import type { BackoffFormula } from "./backoff-options.js";
import { readBackoff } from "./backoff-options.js";
import { wait } from "./core.js";
import { duration, type Duration } from "./duration.js";
import { optionError } from "../core/errors.js";

/** A 0-based attempt number, or what hooks are told, which has one. */
export type Attempt = number | { readonly attemptNumber: number };

/** The wait after an attempt, in milliseconds. */
export type Schedule = (attempt: Attempt) => number;

const numberOf = (attempt: Attempt): number => {
  const given = typeof attempt === "number" ? attempt : attempt?.attemptNumber;
  if (given >= 0 && given === Math.floor(given)) return Math.min(given, Number.MAX_SAFE_INTEGER - 1);
  throw optionError("attempt", "a whole number from 0", given, "number");
};

const schedule =
  (backoffType: BackoffFormula["backoffType"]) =>
  (options: Omit<BackoffFormula, "backoffType"> = {}): Schedule => {
    const formula = readBackoff({ ...options, backoffType: backoffType! });
    return (attempt) => wait(...formula, numberOf(attempt), NaN, NaN, NaN, 0, Infinity);
  };

/**
 * Schedules as plain functions of the attempt number, for `delayGenerator`, for `waitFor({ interval })`, and for loops of
 * your own. Each call of a jittered one draws anew; Polly's decorrelated jitter is drawn for this wait alone.
 */
export const backoff = {
  /** `delay` after every attempt. */
  constant: /* @__PURE__ */ schedule("constant"),
  /** `delay * (attempt + 1)`. */
  linear: /* @__PURE__ */ schedule("linear"),
  /** `delay * factor^attempt`. */
  exponential: /* @__PURE__ */ schedule("exponential"),
  /** A list of waits, of which the last repeats. */
  sequence: (delays: readonly Duration[]): Schedule => {
    const waits = Array.from(delays, (delay, index) =>
      duration({ [`delays[${index}]`]: delay }, `delays[${index}]`, 0),
    );
    if (!waits.length) throw optionError("delays", "a list of at least one duration", delays, typeof delays);
    return (attempt) => waits[Math.min(numberOf(attempt), waits.length - 1)]!;
  },
};
