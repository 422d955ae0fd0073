import { callable, number, word } from "../core/options.js";
import { duration, type Duration } from "./duration.js";

/** How a wait is spread: not at all, from 0 to `d`, from `d / 2` to `d`, or as Polly does. */
export type UseJitter = boolean | "full" | "equal";

export interface BackoffFormula {
  /** The first wait; from 0. Default 2 s. */
  delay?: Duration;
  /** Default `"constant"`. */
  backoffType?: "constant" | "linear" | "exponential";
  /** The growth of an exponential backoff: from 1. Default 2. */
  factor?: number;
  /** The ceiling on a wait; from 0. Default: none. */
  maxDelay?: Duration;
  /** Default `false`. */
  useJitter?: UseJitter;
  /** The source of randomness, in [0, 1). Default `Math.random`. */
  randomizer?: () => number;
}

const JITTERS = [false, "full", "equal", true] as never[];

/** The first arguments of `wait`: random source, curve, jitter, base, factor and cap. */
export const readBackoff = (options: BackoffFormula) => {
  const { randomizer = Math.random } = options;
  return [
    callable("randomizer", randomizer),
    word(options, "backoffType", ["constant", "linear", "exponential"], "constant"),
    word(options, "useJitter", JITTERS, JITTERS[0]),
    duration(options, "delay", 0, 2_000),
    number(options, "factor", 1, Number.MAX_VALUE, 2),
    duration(options, "maxDelay", 0, Infinity),
  ] as const;
};
