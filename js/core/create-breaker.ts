import { StateError } from "./errors.js";
import { AREA, instantiate, numeric } from "./instantiate.js";
import { ABOVE_0, MAX, number, word } from "./options.js";
import type {
  BreakerStatus,
  BreakerVerdict,
  Call,
  CallResult,
  ConsecutiveBreakerOptions,
  ConsecutiveBreakerState,
  CoreBreaker,
  RecoveryState,
  Reported,
  RollingBreakerOptions,
  RollingBreakerState,
} from "./types.js";

/** What `export_breaker!` in js/boundary/src/lib.rs exports; `a` takes a call and a state, in the order given there. */
interface Program {
  memory: WebAssembly.Memory;
  b?(): number;
  c?(): void;
  a(operation: number, now: number, ...rest: number[]): number;
}

/** Options in the order of the program, and the source of randomness that it draws from. */
export type Numbers = number[] & { random?: () => number };

/** Adds to the options of a breaker, and gives the methods that it has besides; `join` merges what lies in `area`. */
export type Extend = (
  numbers: Numbers,
  options: object,
  run: (operation: number, state: unknown, now: number) => void,
  write: () => unknown,
  area: Float64Array,
  join: () => void,
) => object;

/** A state as it comes back; the fields from `prevSlow` on are left out while they are 0. */
const FIELDS = [
  "status",
  "changedAt",
  "probes",
  "successes",
  "start",
  "prevOk",
  "prevFail",
  "currOk",
  "currFail",
  "prevSlow",
  "currSlow",
  "openings",
  "openForMs",
  "aheadMs",
] as string[];
const STATUS: readonly BreakerStatus[] = ["closed", "open", "halfOpen"];
const REPORTED: readonly Reported[] = ["counted", "ignored", "stale"];
const RESULTS: readonly CallResult[] = ["success", "failure", "ignored"];

/** The breakers of a program; `extend` knows what it has beyond `/breaker`. */
export const createBreakers = (module: WebAssembly.Module, extend?: Extend) => {
  let loaded: Numbers | undefined;
  const {
    memory,
    a: step,
    b: area,
    c: join,
  } = instantiate<Program>(module, {
    // A forced opening has no time of its own, and draws for none.
    a: () => (loaded ? loaded.random!() : 0),
  });
  const numbers = new Float64Array(memory.buffer, area ? area() : AREA);

  /**
   * One step: its code, or an error that names the field which it found wrong. What is the caller's is read before anything of
   * ours is set, for a getter may use a breaker itself.
   */
  const run = (
    operation: number,
    given: unknown,
    now: number,
    call: Call | undefined,
    options: Numbers | undefined,
    consecutive: boolean,
  ): number => {
    const state = (given ?? 0) as ConsecutiveBreakerState & RollingBreakerState;
    const { status, changedAt, probes, successes, openings = 0, openForMs = 0, aheadMs = 0 } = state;
    // Each is read of states of one shape, which engines do twice as fast.
    let start, prevOk, prevFail, currOk, currFail, prevSlow, currSlow;
    if (consecutive) ({ failures: currFail } = state);
    else ({ start, prevOk, prevFail, currOk, currFail, prevSlow = 0, currSlow = 0 } = state);
    const epoch = numeric(call?.epoch);
    const durationMs = numeric(call?.durationMs);
    now = +now;
    if (loaded !== options) {
      if (options) numbers.set(options, 16);
      loaded = options;
    }
    const code = step(
      operation,
      now,
      epoch,
      durationMs,
      status === "closed" ? 0 : STATUS.indexOf(status),
      numeric(changedAt),
      numeric(probes),
      numeric(successes),
      numeric(start),
      numeric(prevOk),
      numeric(prevFail),
      numeric(currOk),
      numeric(currFail),
      numeric(prevSlow),
      numeric(currSlow),
      numeric(openings),
      numeric(openForMs),
      numeric(aheadMs),
    );
    if (code < 0) {
      const field = consecutive && code === -9 ? "failures" : FIELDS[-1 - code]!;
      throw new StateError(field, (state as object as Record<string, unknown>)[field]);
    }
    return code;
  };

  /** Adds the optional fields from the one at `index` on. */
  const complete = <S>(state: S, index: number): S => {
    for (; numbers[15] && index < 14; index++) {
      if (numbers[index]) (state as Record<string, number>)[FIELDS[index]!] = numbers[index]!;
    }
    return state;
  };

  const breaker =
    <Options extends object, S>(consecutive: boolean) =>
    (given: Options): CoreBreaker<S> => {
      given ??= {} as Options;
      const openMs = number(given, "openMs", 1, MAX);
      const probes = number(given, "halfOpenProbes", 1, MAX, 1, "whole ");
      const options: Numbers = [
        openMs,
        probes,
        number(given, "successThreshold", 1, probes, probes, "whole "),
        number(given, "halfOpenMs", 1, MAX, openMs),
        ...(consecutive
          ? [number(given, "failureThreshold", 1, MAX, undefined, "whole "), 1, 1, 1]
          : [
              0,
              number(given, "windowMs", 1, MAX),
              number(given, "failureRatio", ABOVE_0, 1, 0.5),
              number(given, "minimumThroughput", 1, MAX, 20, "whole "),
            ]),
      ];
      const take = (operation: number, state: unknown, now: number, call?: Call): number =>
        run(operation, state, now, call, options, consecutive);
      // Written out: Node.js 20 takes 6 µs for a spread into so large an object.
      const write = (): S => {
        const { 0: code, 1: changedAt, 2: probes, 3: successes, 4: start } = numbers;
        const { 5: prevOk, 6: prevFail, 7: currOk, 8: currFail } = numbers;
        const status = STATUS[code!];
        const state = consecutive
          ? { status, changedAt, probes, successes, failures: currFail }
          : { status, changedAt, probes, successes, start, prevOk, prevFail, currOk, currFail };
        return complete(state as S, 9);
      };
      const request = (state: S, now: number): { state: S; verdict: BreakerVerdict } => {
        const code = take(0, state, now);
        const verdict = { ok: code > 0, status: STATUS[numbers[0]!]!, retryAfterMs: numbers[14]! };
        return { state: code > 1 ? write() : state, verdict };
      };
      const record =
        (operation: number) =>
        (state: S, now: number, call?: Call): S =>
          take(operation, state, now, call) > 2 ? write() : state;
      return Object.freeze({
        init: (now: number): S => {
          step(6, now);
          return write();
        },
        request,
        succeed: record(1),
        fail: record(2),
        ignore: record(3),
        peek: (state: S, now: number) => request(state, now).verdict,
        report: (state: S, now: number, result: CallResult, call?: Call) => {
          const code = take(1 + word({ result }, "result", RESULTS), state, now, call);
          return { state: code > 2 ? write() : state, reported: REPORTED[code % 3]! };
        },
        // Closed, with no failure to forget; a rolling breaker counts successes, too.
        isAtRest: (state: S) => {
          const { status, failures } = state as RecoveryState & { failures?: number };
          return status === "closed" && failures === 0;
        },
        ...extend?.(options, given, take, write, numbers, join!),
      });
    };

  const force =
    (operation: number) =>
    <S>(given: S, now: number): S => {
      const state = { probes: 0, successes: 0, ...given };
      run(operation, state, now, undefined, undefined, true);
      const { openings: _openings, openForMs: _openForMs, aheadMs: _aheadMs, ...rest } = state as S & RecoveryState;
      const [status, changedAt, probes, successes] = numbers;
      return complete({ ...rest, status: STATUS[status!]!, changedAt, probes, successes } as S, 11);
    };

  return {
    /** Trips after `failureThreshold` failures in a row; any success resets the count. */
    consecutiveBreaker: breaker<ConsecutiveBreakerOptions, ConsecutiveBreakerState>(true),
    /** Trips on the share of failed calls over a trailing window. */
    rollingBreaker: breaker<RollingBreakerOptions, RollingBreakerState>(false),
    /**
     * Opens a breaker whatever it has counted: for an admin endpoint or a feature flag. The state may be of a breaker of your
     * own, if it has `status` and `changedAt` as ours have; else a `StateError` says so. What comes back is a plain object with
     * all its fields, of which `status`, `changedAt`, `probes` and `successes` are set.
     */
    forceOpen: force(4),
    /** Closes a breaker in the same way, and leaves its ledger as it is; `init` forgets that too. */
    forceClose: force(5),
  };
};

/** `/breaker` on a module that you have compiled yourself. */
export const createBreaker = (module: WebAssembly.Module) => createBreakers(module);
