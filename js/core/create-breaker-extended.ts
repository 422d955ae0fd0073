import { createBreakers } from "./create-breaker.js";
import { optionError } from "./errors.js";
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

const CURVES = ["exponential", "decorrelatedJitter", "fibonacci", "linear"];

/** `/breaker/extended` on a module that you have compiled yourself. */
export const createExtendedBreaker = (module: WebAssembly.Module) => {
  const { consecutiveBreaker, rollingBreaker, ...force } = createBreakers(
    module,
    (numbers, options, run, write, area, join) => {
      const openMs = numbers[0]!;
      const { openGrowth, random = Math.random } = options as ExtendedRecoveryOptions;
      const growth = Object(openGrowth) as OpenGrowth;
      if (openGrowth !== undefined && growth !== openGrowth) throw optionError("openGrowth", "an object", openGrowth);
      const curve = openGrowth ? 1 + word(growth, "curve", CURVES) : 0;
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
          const first = area.slice(0, 16);
          run(7, b, 0);
          area.set(first, 30);
          join();
          return write();
        },
      };
    },
  );
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
