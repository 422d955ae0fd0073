import { StateError } from "../core/errors.js";
import { numeric } from "../core/instantiate.js";
import type { BreakerStatus, CoreBreaker, RecoveryState } from "../core/types.js";
import { otherNumbers, stateNumbers } from "./program.js";

export const STATUS: readonly BreakerStatus[] = ["closed", "open", "halfOpen"];
const RECOVERY = ["status", "changedAt", "probes", "successes", "openings", "openForMs", "aheadMs"];
// In the order of src/wasm/workers/breaker.rs, where a run of failures has the place of `currFail`.
const ROLLING = [...RECOVERY, "start", "prevOk", "prevFail", "currOk", "currFail", "prevSlow", "currSlow"];
const CONSECUTIVE: readonly (string | undefined)[] = [...RECOVERY, ...Array<undefined>(4), "failures"];
const OPTIONAL = new Set(["openings", "openForMs", "aheadMs", "prevSlow", "currSlow"]);

/** What the states of one breaker need to be shared. */
export interface Shape {
  readonly isRolling: boolean;
  /** The shortest opening. */
  readonly openMs: number;
}

/**
 * Asked of the breaker itself, which may be any: a trial begins no earlier than the shortest open time after the moment
 * that its opening names, also for an opening that a clock made which was far ahead.
 */
export const shapeOf = <S extends RecoveryState>(breaker: CoreBreaker<S>): Shape => {
  const fresh = breaker.init(0);
  const opened = { ...fresh, status: "open" as const, aheadMs: Number.MAX_SAFE_INTEGER };
  const { state, verdict } = breaker.request(opened, 0);
  return { isRolling: "start" in fresh, openMs: verdict.ok ? state.changedAt : verdict.retryAfterMs };
};

const fieldsOf = ({ isRolling }: Shape): readonly (string | undefined)[] => (isRolling ? ROLLING : CONSECUTIVE);

const write = (numbers: Float64Array, shape: Shape, state: unknown): void => {
  const stored = Object(state) as Record<string, unknown>;
  const fields = fieldsOf(shape);
  for (let index = 0; index < numbers.length; index++) {
    const field = fields[index];
    const value = field === undefined ? 0 : stored[field];
    if (index === 0) numbers[0] = STATUS.indexOf(value as BreakerStatus);
    else numbers[index] = value === undefined && OPTIONAL.has(field!) ? 0 : numeric(value);
  }
};

const read = <S>(numbers: Float64Array, shape: Shape): S => {
  const state: Record<string, unknown> = {};
  fieldsOf(shape).forEach((field, index) => {
    if (field === "status") state[field] = STATUS[numbers[0]!];
    else if (field && (numbers[index] || !OPTIONAL.has(field))) state[field] = numbers[index]!;
  });
  return state as S;
};

/** The two places for a state in the program's buffer. */
export const writeState = (shape: Shape, state: unknown): void => write(stateNumbers, shape, state);
export const writeOther = (shape: Shape, state: unknown): void => write(otherNumbers, shape, state);
export const readState = <S>(shape: Shape): S => read(stateNumbers, shape);
export const readOther = <S>(shape: Shape): S => read(otherNumbers, shape);

/** The code of a step, or an error that names the field which it found wrong. */
export const checked = (code: number, shape: Shape, state: unknown, other: unknown): number => {
  if (code >= 0) return code;
  const [wrong, index] = code <= -100 ? [other, -101 - code] : [state, -1 - code];
  const field = fieldsOf(shape)[index]!;
  throw new StateError(field, (Object(wrong) as Record<string, unknown>)[field]);
};
