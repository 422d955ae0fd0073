import type {
  AdaptiveThrottle,
  AdaptiveThrottleOptions,
  AdaptiveThrottleState,
  Allowance,
  Budget,
  Failure,
  GrpcThrottleOptions,
  GrpcThrottleState,
  RetryBudget,
  RetryBudgetOptions,
  RetryBudgetState,
  TokenBucketOptions,
  TokenBucketState,
} from "./budget-types.js";
import { optionError, StateError } from "./errors.js";
import { instantiate, numeric } from "./instantiate.js";
import { callable, MAX, number, word } from "./options.js";

/** What js/boundary/src/bin/budget.rs exports; the five are a budget's options, in the order of its builder in Rust. */
interface Program {
  memory: WebAssembly.Memory;
  a(): number;
  b(
    operation: number,
    now: number,
    failure: number,
    isDrawn: number,
    drawn: number,
    budget: number,
    one: number,
    two: number,
    three: number,
    four: number,
    five: number,
  ): number;
}

const FAILURES: readonly Failure[] = ["transient", "timeout", "throttling", "nonRetryable"];
const SLOTS = 10;
/** Where the figures begin, behind the state. */
const FIGURES = 1 + 2 * SLOTS;

const isList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length === SLOTS;

/** Every option has a default, so there may be no object at all. */
const given = <O extends object>(options: O | undefined): O => {
  if (options === undefined) return {} as O;
  if (Object(options) !== options) throw optionError("options", "an object", options);
  return options;
};

type Fields<S> = readonly (keyof S & string)[];

/** `/budget` on a module that you have compiled yourself. */
export const createBudget = (module: WebAssembly.Module) => {
  const { memory, a, b: step } = instantiate<Program>(module, {});
  const numbers = new Float64Array(memory.buffer, a());

  /** A list of another length is one that no check lets pass. */
  const collect = (state: Record<string, unknown>, fields: readonly string[]): number[] => {
    const given = [numeric(state[fields[0]!])];
    for (let field = 1; field < fields.length; field++) {
      const list = state[fields[field]!];
      const isRight = isList(list);
      for (let slot = 0; slot < SLOTS; slot++) given.push(isRight ? numeric(list[slot]) : NaN);
    }
    return given;
  };

  /** `fields`: the number, then the lists. */
  const budget = <S extends object>(
    kind: number,
    fields: Fields<S>,
    [one = 0, two = 0, three = 0, four = 0, five = 0]: readonly number[],
    random: () => number = Math.random,
  ): { steps: Budget<S>; look: (state: S, now: number) => Float64Array } => {
    const run = (operation: number, state: S, now: number, failure = -1): number => {
      const stored = (state ?? 0) as Record<string, unknown>;
      now = +now;
      // Getters and the source of randomness may take a step of their own: what is ours is set after them.
      const given = operation ? collect(stored, fields) : [];
      let code = 4;
      for (let drawn = 0; code === 4; drawn++) {
        const draw = drawn ? numeric(random()) : 0;
        // Faster than `set`, for so few.
        for (let index = 0; index < given.length; index++) numbers[index] = given[index]!;
        code = step(operation, now, failure, drawn, draw, kind, one, two, three, four, five);
      }
      if (code < 0) {
        const index = -2 - code;
        const field = fields[index < 0 ? 0 : index < SLOTS ? 1 : 2]!;
        const value = stored[field];
        throw new StateError(field, isList(value) ? value[index % SLOTS] : value);
      }
      return code;
    };
    const read = (): S => {
      const state: Record<string, unknown> = { [fields[0]!]: numbers[0]! };
      for (let field = 1; field < fields.length; field++) {
        const list: number[] = (state[fields[field]!] = []);
        for (let slot = 0; slot < SLOTS; slot++) list.push(numbers[1 + (field - 1) * SLOTS + slot]!);
      }
      return state as S;
    };
    const kept = (code: number, state: S): S => (code & 2 ? read() : state);
    const allowance = (code: number, state: S): Allowance<S> => ({
      state: kept(code, state),
      allowed: (code & 1) > 0,
    });
    const failed = (failure: Failure | undefined) => word({ failure }, "failure", FAILURES, "transient");

    const steps: Budget<S> = {
      init: (now) => {
        run(0, {} as S, now);
        return read();
      },
      request: (state, now) => allowance(run(2, state, now), state),
      retry: (state, now, failure) => allowance(run(3, state, now, failed(failure)), state),
      succeed: (state, now, retried) =>
        kept(run(4, state, now, retried === undefined ? -1 : word({ retried }, "retried", FAILURES)), state),
      fail: (state, now, failure) => kept(run(5, state, now, failed(failure)), state),
      peek: (state, now, failure) => (run(3, state, now, failed(failure)) & 1) > 0,
    };
    const look = (state: S, now: number) => {
      run(1, state, now);
      return numbers.subarray(FIGURES);
    };
    return { steps, look };
  };

  return {
    /** Allows a retry while `retries < minRetriesPerSecond * window in s + ratio * requests`, over a sliding window. */
    retryBudget: (options?: RetryBudgetOptions): RetryBudget => {
      const from = given(options);
      const { steps, look } = budget<RetryBudgetState>(
        0,
        ["start", "requests", "retries"],
        [
          number(from, "ratio", 0, 1_000, 0.2),
          number(from, "minRetriesPerSecond", 0, MAX, 10),
          number(from, "windowMs", SLOTS, MAX, 10_000),
        ],
      );
      return Object.freeze({
        ...steps,
        stats: (state: RetryBudgetState, now: number) => {
          const [requests, retries] = look(state, now) as unknown as [number, number];
          return { requests, retries };
        },
        balance: (state: RetryBudgetState, now: number) => look(state, now)[2]!,
      });
    },
    /** Holds back an attempt with probability `max(0, (requests - multiplier * accepts) / (requests + 1))`. */
    adaptiveThrottle: (options?: AdaptiveThrottleOptions): AdaptiveThrottle => {
      const from = given(options);
      const { random = Math.random } = from;
      const { steps, look } = budget<AdaptiveThrottleState>(
        1,
        ["start", "requests", "accepts"],
        [number(from, "multiplier", 1, MAX, 2), number(from, "windowMs", SLOTS, MAX, 120_000)],
        callable("random", random),
      );
      return Object.freeze({
        ...steps,
        stats: (state: AdaptiveThrottleState, now: number) => {
          const [requests, accepts] = look(state, now) as unknown as [number, number];
          return { requests, accepts };
        },
        rejectionProbability: (state: AdaptiveThrottleState, now: number) => look(state, now)[2]!,
      });
    },
    /** Allows a retry while the bucket holds what it costs; a success gives tokens back, time does not. */
    tokenBucket: (options?: TokenBucketOptions): Budget<TokenBucketState> => {
      const from = given(options) as Record<string, unknown>;
      // A default must be in its range too: it ends at the capacity.
      const tokens = (name: string, low: number, high: number, fallback: number) => {
        const { [name]: value = fallback } = from;
        return number({ [name]: value }, name, low, high, undefined, "whole ");
      };
      const capacity = tokens("capacity", 1, 2 ** 32 - 1, 500);
      const { steps } = budget<TokenBucketState>(
        2,
        ["tokens"],
        [
          capacity,
          tokens("retryCost", 1, capacity, 5),
          tokens("timeoutRetryCost", 1, capacity, 10),
          tokens("throttlingRetryCost", 1, capacity, 5),
          tokens("noRetryIncrement", 0, capacity, 1),
        ],
      );
      return Object.freeze(steps);
    },
    /** Allows a retry while more than half of the tokens are there: a failure takes one, a success earns `tokenRatio`. */
    grpcThrottle: (options?: GrpcThrottleOptions): Budget<GrpcThrottleState> => {
      const from = given(options);
      const { steps } = budget<GrpcThrottleState>(
        3,
        ["milliTokens"],
        [number(from, "maxTokens", 1, 1_000, 10, "whole "), number(from, "tokenRatio", 0.001, 1_000, 0.1)],
      );
      return Object.freeze(steps);
    },
  };
};
