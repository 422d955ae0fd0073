import { StateError } from "./errors.js";
import { instantiate, numeric } from "./instantiate.js";
import { ABOVE_0, callable, MAX, number, word } from "./options.js";
import type {
  BreakerStatus,
  BreakerVerdict,
  Call,
  CallResult,
  ConsecutiveBreakerOptions,
  ConsecutiveBreakerState,
  CoreBreaker,
  OpenGrowth,
  RecoveryOptions,
  RecoveryState,
  Reported,
  RollingBreakerOptions,
  RollingBreakerState,
} from "./types.js";

/** What js/boundary/src/bin/breaker.rs exports; `c` takes a state, a call and all options, in the order given there. */
interface Program {
  memory: WebAssembly.Memory;
  a(): number;
  b(now: number): number;
  c(...values: number[]): number;
}

const STATUS: readonly BreakerStatus[] = ["closed", "open", "halfOpen"];
const REPORTED: readonly Reported[] = ["counted", "ignored", "stale"];
const RESULTS: readonly CallResult[] = ["success", "failure", "ignored"];
const GROWTH = ["none", "exponential", "decorrelatedJitter", "fibonacci", "linear"];
/** In the order of the buffer. */
const CONSECUTIVE = ["status", "changedAt", "probes", "successes", "openings", "openForMs", "aheadMs"] as string[];
const ROLLING = [...CONSECUTIVE, "start", "prevOk", "prevFail", "currOk", "currFail", "prevSlow", "currSlow"];
CONSECUTIVE[11] = "failures";

type Step<S> = (operation: number, state: S, now: number, call?: Call) => number;

/** `/breaker` on a module that you have compiled yourself. */
export const createBreaker = (module: WebAssembly.Module) => {
  let random: () => number;
  const { memory, a, b: time, c: step } = instantiate<Program>(module, { a: () => random() });
  const numbers = new Float64Array(memory.buffer, a());

  const statusCode = (status: unknown) => (status === "closed" ? 0 : STATUS.indexOf(status as BreakerStatus));

  /** The code of a step, or an error that names the field which it found wrong. */
  const checked = (code: number, state: unknown, fields: readonly string[]): number => {
    if (code < 0) {
      const field = fields[-1 - code]!;
      throw new StateError(field, ((state ?? 0) as Record<string, unknown>)[field]);
    }
    return code;
  };

  /** Fields that are left out while they are 0. */
  const optional = (state: object, fields: readonly string[]): void => {
    for (const index of [4, 5, 6, 12, 13]) {
      const field = fields[index];
      if (field) {
        if (numbers[index]) (state as Record<string, number>)[field] = numbers[index]!;
        else delete (state as Record<string, number>)[field];
      }
    }
  };

  const recoveryOptions = (options: RecoveryOptions) => {
    const openMs = number(options, "openMs", 1, MAX);
    const { openGrowth } = options;
    const grows = Object(openGrowth) as OpenGrowth;
    const growth = openGrowth === undefined ? 0 : word(grows, "curve", GROWTH);
    const factor = number(grows, "factor", 1, Number.MAX_VALUE, growth === 2 ? 3 : 2);
    const maxOpenMs = number(grows, "maxOpenMs", openMs, MAX, growth ? undefined : openMs);
    const openJitter = number(options, "openJitter", 0, 1, 0);
    const probes = number(options, "halfOpenProbes", 1, MAX, 1, "whole ");
    const successes = number(options, "successThreshold", 1, probes, probes, "whole ");
    const halfOpenMs = number(options, "halfOpenMs", 1, MAX, openMs);
    const { random: draw = Math.random } = options;
    return {
      openMs,
      growth,
      factor,
      maxOpenMs,
      openJitter,
      probes,
      successes,
      halfOpenMs,
      draw: callable("random", draw),
    };
  };

  const breaker = <S extends RecoveryState>(run: Step<S>, write: () => S, init: (now: number) => S): CoreBreaker<S> => {
    const request = (state: S, now: number): { state: S; verdict: BreakerVerdict } => {
      const code = run(0, state, now);
      const verdict = { ok: code > 0, status: STATUS[numbers[0]!]!, retryAfterMs: numbers[14]! };
      return { state: code === 2 ? write() : state, verdict };
    };
    const record =
      (operation: number) =>
      (state: S, now: number, call?: Call): S =>
        run(operation, state, now, call) > 2 ? write() : state;
    return Object.freeze({
      init,
      request,
      succeed: record(1),
      fail: record(2),
      ignore: record(3),
      peek: (state: S, now: number) => request(state, now).verdict,
      report: (state: S, now: number, result: CallResult, call?: Call) => {
        const code = run(1 + word({ result }, "result", RESULTS), state, now, call);
        return { state: code > 2 ? write() : state, reported: REPORTED[code % 3]! };
      },
    });
  };

  /** Trips after `failureThreshold` failures in a row; any success resets the count. */
  const consecutiveBreaker = (options: ConsecutiveBreakerOptions): CoreBreaker<ConsecutiveBreakerState> => {
    options ??= {} as never;
    const threshold = number(options, "failureThreshold", 1, MAX, undefined, "whole ");
    const {
      openMs,
      growth,
      factor,
      maxOpenMs,
      openJitter,
      probes: limit,
      successes: needed,
      halfOpenMs,
      draw,
    } = recoveryOptions(options);
    return breaker<ConsecutiveBreakerState>(
      (operation, state, now, call) => {
        const {
          status,
          changedAt,
          probes,
          successes,
          failures,
          openings = 0,
          openForMs = 0,
          aheadMs = 0,
        } = state ?? (0 as never);
        random = draw;
        return checked(
          step(
            statusCode(status),
            numeric(changedAt),
            numeric(probes),
            numeric(successes),
            numeric(openings),
            numeric(openForMs),
            numeric(aheadMs),
            0,
            0,
            0,
            0,
            numeric(failures),
            0,
            0,
            operation,
            now,
            call?.epoch ?? NaN,
            NaN,
            openMs,
            growth,
            factor,
            maxOpenMs,
            openJitter,
            limit,
            needed,
            halfOpenMs,
            threshold,
            1,
            1,
            1,
            1,
            1,
          ),
          state,
          CONSECUTIVE,
        );
      },
      () => {
        const state: ConsecutiveBreakerState = {
          status: STATUS[numbers[0]!]!,
          changedAt: numbers[1]!,
          probes: numbers[2]!,
          successes: numbers[3]!,
          failures: numbers[11]!,
        };
        if (numbers[15]) optional(state, CONSECUTIVE);
        return state;
      },
      (now) => ({ status: "closed", changedAt: time(now), probes: 0, successes: 0, failures: 0 }),
    );
  };

  /** Trips on the share of failed calls over a trailing window. */
  const rollingBreaker = (options: RollingBreakerOptions): CoreBreaker<RollingBreakerState> => {
    options ??= {} as never;
    const windowMs = number(options, "windowMs", 1, MAX);
    const failureRatio = number(options, "failureRatio", ABOVE_0, 1, 0.5);
    const minimumThroughput = number(options, "minimumThroughput", 1, MAX, 20, "whole ");
    const slowCallMs = number(options, "slowCallMs", 1, Infinity, Infinity);
    const slowRatio = number(options, "slowRatio", ABOVE_0, 1, 1);
    const {
      openMs,
      growth,
      factor,
      maxOpenMs,
      openJitter,
      probes: limit,
      successes: needed,
      halfOpenMs,
      draw,
    } = recoveryOptions(options);
    return breaker<RollingBreakerState>(
      (operation, state, now, call) => {
        const {
          status,
          changedAt,
          probes,
          successes,
          start,
          prevOk,
          prevFail,
          currOk,
          currFail,
          prevSlow = 0,
          currSlow = 0,
          openings = 0,
          openForMs = 0,
          aheadMs = 0,
        } = state ?? (0 as never);
        random = draw;
        return checked(
          step(
            statusCode(status),
            numeric(changedAt),
            numeric(probes),
            numeric(successes),
            numeric(openings),
            numeric(openForMs),
            numeric(aheadMs),
            numeric(start),
            numeric(prevOk),
            numeric(prevFail),
            numeric(currOk),
            numeric(currFail),
            numeric(prevSlow),
            numeric(currSlow),
            operation,
            now,
            call?.epoch ?? NaN,
            call?.durationMs ?? NaN,
            openMs,
            growth,
            factor,
            maxOpenMs,
            openJitter,
            limit,
            needed,
            halfOpenMs,
            0,
            windowMs,
            failureRatio,
            minimumThroughput,
            slowCallMs,
            slowRatio,
          ),
          state,
          ROLLING,
        );
      },
      () => {
        const state: RollingBreakerState = {
          status: STATUS[numbers[0]!]!,
          changedAt: numbers[1]!,
          probes: numbers[2]!,
          successes: numbers[3]!,
          start: numbers[7]!,
          prevOk: numbers[8]!,
          prevFail: numbers[9]!,
          currOk: numbers[10]!,
          currFail: numbers[11]!,
        };
        if (numbers[15]) optional(state, ROLLING);
        return state;
      },
      (now) => ({
        status: "closed",
        changedAt: time(now),
        probes: 0,
        successes: 0,
        start: time(now),
        prevOk: 0,
        prevFail: 0,
        currOk: 0,
        currFail: 0,
      }),
    );
  };

  const force =
    (operation: number) =>
    <S>(state: S, now: number): S => {
      const {
        status,
        changedAt,
        probes = 0,
        successes = 0,
        openings = 0,
        openForMs = 0,
        aheadMs = 0,
      } = (state ?? 0) as Partial<RecoveryState>;
      const given = [changedAt, probes, successes, openings, openForMs, aheadMs].map(numeric);
      const code = step(
        statusCode(status),
        ...given,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        operation,
        now,
        NaN,
        NaN,
        1,
        0,
        1,
        1,
        0,
        1,
        1,
        1,
        1,
        1,
        1,
        1,
        1,
        1,
      );
      checked(code, state, CONSECUTIVE);
      const next = {
        ...state,
        status: STATUS[numbers[0]!]!,
        changedAt: numbers[1]!,
        probes: numbers[2]!,
        successes: numbers[3]!,
      };
      optional(next as object, CONSECUTIVE);
      return next;
    };

  return {
    consecutiveBreaker,
    rollingBreaker,
    /** Opens a breaker whatever it has counted: for an admin endpoint or a feature flag. */
    forceOpen: force(4),
    /** Closes a breaker, and leaves its ledger as it is; `init` forgets that too. */
    forceClose: force(5),
  };
};
