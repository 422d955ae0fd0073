import { optionError } from "../core/errors.js";
import { callable } from "../core/options.js";
import type { Policy } from "../core/types.js";

/** The thing, if it has all of these methods. */
export const capable = <T>(name: string, thing: T, ...methods: string[]): T => {
  for (const method of methods) callable(`${name}.${method}`, (Object(thing) as Record<string, unknown>)[method]);
  return thing;
};

export const checkedPolicy = (policy: Policy): Policy => capable("policy", policy, "init", "next");

/** The functions among some options, each with its default. */
export const functions = <F extends Record<string, () => number>>(options: object, defaults: F): F => {
  if (typeof options !== "object" || options === null) throw optionError("options", "an object", options);
  const given = options as Partial<F>;
  const entries = Object.entries(defaults).map(([name, fallback]) => {
    const { [name]: value = fallback } = given;
    return [name, callable(name, value)];
  });
  return Object.fromEntries(entries) as F;
};
