import { Failure } from "./failure.mjs";

/** The steps that `--only a,b` names, in the table's order; all of them without it. */
export function selectSteps(steps, only) {
  if (only === undefined) return steps;
  const names = only.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !steps.some((step) => step.name === name));
  if (unknown.length > 0) {
    const known = steps.map((step) => step.name).join(", ");
    throw new Failure(`There is no step "${unknown.join('", "')}": the steps are ${known}.`);
  }
  return steps.filter((step) => names.includes(step.name));
}
