/** A value as an error shows it, whatever it is, of a text no more than its beginning: nothing of the caller's is run. */
const show = (value: unknown): string =>
  Object(value) === value
    ? typeof value
    : typeof value === "string"
      ? JSON.stringify(value.slice(0, 99))
      : String(value);

/** A state that came back from a store with a field that cannot be right. */
export class StateError extends Error {
  /**
   * The field, as JSON spells it. Of what `/workers` has stored, `operation` is all of it, and `phase`, `state` and `history` are
   * parts that are no objects, or no list.
   */
  declare readonly field: string;

  constructor(field: string, value: unknown) {
    super(`state.${field} cannot be ${show(value)}`);
    this.name = "StateError";
    this.field = field;
  }
}

/** The error for an option of the wrong type, or out of its range: then its value is of the `type` that is right. */
export const optionError = (option: string, allowed: string, value?: unknown, type?: string): Error =>
  new (typeof value === type ? RangeError : TypeError)(`${option} must be ${allowed}, got ${show(value)}`);
