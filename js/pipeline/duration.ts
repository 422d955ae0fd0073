import { optionError } from "../core/errors.js";
import { ABOVE_0 } from "../core/options.js";

/** Milliseconds, or a string of a number and its unit: `'250ms'`, `'30s'`, `'5m'`, `'1h'`, `'1d'`, `'2w'`. */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h" | "d" | "w"}`;

const UNITS: Record<string, number> = { ms: 1, s: 1e3, m: 6e4, h: 36e5, d: 864e5, w: 6048e5 };

/** Milliseconds; NaN of anything that is no duration. */
export const toMs = (value: unknown): number => {
  if (typeof value === "number") return value;
  const [, count, unit] = (typeof value === "string" && /^(\d+(?:\.\d+)?)(ms|[smhdw])$/.exec(value)) || [];
  return +count! * UNITS[unit!]!;
};

/** An option that is a duration, in milliseconds; `low` is 0 or `ABOVE_0`. */
export const duration = (options: object, name: string, low: number, fallback?: number): number => {
  const given = (options as Record<string, unknown>)[name];
  const ms = given === undefined ? fallback! : toMs(given);
  if (ms >= low) return ms;
  const bound = low === ABOVE_0 ? "above" : "from";
  throw optionError(
    name,
    `milliseconds or a string such as '30s', ${bound} 0`,
    given,
    typeof given === "string" ? "string" : "number",
  );
};
