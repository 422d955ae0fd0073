import { optionError } from "../core/errors.js";

/** Options as they are now: what a caller changes later does not matter. Those of a class have getters on its prototype. */
export const readOptions = <Options extends object>(given: Options | undefined): Options => {
  if (given !== undefined && Object(given) !== given) throw optionError("options", "an object", given);
  const read: Record<string, unknown> = {};
  for (let owner = given as any; owner && owner !== Object.prototype; owner = Object.getPrototypeOf(owner)) {
    for (const name of Object.getOwnPropertyNames(owner)) if (!(name in read)) read[name] = (given as any)[name];
  }
  return read as Options;
};
