import { optionError } from "./errors.js";

type Options = Readonly<Record<string, unknown>>;

/** Above 0, as a lower bound. */
export const ABOVE_0 = Number.MIN_VALUE;
export const MAX = Number.MAX_SAFE_INTEGER;

/** An option that is a number in a range; each is read once. `high` is allowed even when it is infinite. */
export const number = <Fallback>(
  options: object,
  name: string,
  low: number,
  high: number,
  fallback?: Fallback,
  whole = "",
): number | (undefined extends Fallback ? never : Fallback) => {
  const value = (options as Options)[name];
  if (value === undefined && fallback !== undefined) return fallback as never;
  if (typeof value === "number" && value >= low && value <= high && !(whole && value % 1)) return value;
  const bound = low === ABOVE_0 ? "above 0, up to " : `from ${low} to `;
  throw optionError(name, `a ${whole}number ${bound}${high}`, value, "number");
};

/** An option that is one of some words, as its index. */
export const word = (options: object, name: string, words: readonly string[], fallback?: string): number => {
  const { [name]: value = fallback } = options as Options;
  const index = words.indexOf(value as string);
  if (index < 0) throw optionError(name, words.join(" or "), value, "string");
  return index;
};

/** An option that is a function. */
export const callable = <F>(name: string, value: F): F => {
  if (typeof value !== "function") throw optionError(name, "a function", value);
  return value;
};
