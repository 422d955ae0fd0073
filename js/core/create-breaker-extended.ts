import { createBreakers } from "./create-breaker.js";
import { ABOVE_0, callable, MAX, number, word } from "./options.js";
import type {
  ConsecutiveBreakerState,
  ExtendedBreaker,
  ExtendedConsecutiveBreakerOptions,
  ExtendedRecoveryOptions,
  ExtendedRollingBreakerOptions,
  OpenGrowth,
  RollingBreakerState,
} from "./types.js";

const CURVES = ["none", "exponential", "decorrelatedJitter", "fibonacci", "linear"];

/** `/breaker/extended` on a module that you have compiled yourself. */
export const createExtendedBreaker = (module: WebAssembly.Module) => {
  const { consecutiveBreaker, rollingBreaker, ...force } = createBreakers(module, (numbers, options, run, write) => {
    const openMs = numbers[0]!;
    const { openGrowth, random = Math.random } = options as ExtendedRecoveryOptions;
    const growth = Object(openGrowth) as OpenGrowth;
    const curve = openGrowth === undefined ? 0 : word(growth, "curve", CURVES);
    numbers.push(
      curve,
      number(growth, "factor", 1, Number.MAX_VALUE, curve === 2 ? 3 : 2),
      number(growth, "maxOpenMs", openMs, MAX, curve ? undefined : openMs),
      number(options, "openJitter", 0, 1, 0),
      number(options, "slowCallMs", 1, Infinity, Infinity),
      number(options, "slowRatio", ABOVE_0, 1, 1),
    );
    numbers.random = callable("random", random);
    return {
      merge(a: unknown, b: unknown) {
        run(7, a, 0);
        run(8, b, 0);
        return write();
      },
    };
  });
  return {
    ...force,
    /** Trips after `failureThreshold` failures in a row; any success resets the count. */
    consecutiveBreaker: consecutiveBreaker as (
      options: ExtendedConsecutiveBreakerOptions,
    ) => ExtendedBreaker<ConsecutiveBreakerState>,
    /** Trips on the share of failed calls, or of slow ones, over a trailing window. */
    rollingBreaker: rollingBreaker as (options: ExtendedRollingBreakerOptions) => ExtendedBreaker<RollingBreakerState>,
  };
};
