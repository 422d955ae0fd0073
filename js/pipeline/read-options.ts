import { optionError } from "../core/errors.js";

/** Options as they are now: what a caller changes later does not matter. */
export const readOptions = <Options extends object>(given: Options | undefined): Options => {
  if (given !== undefined && Object(given) !== given) throw optionError("options", "an object", given);
  return { ...given } as Options;
};
