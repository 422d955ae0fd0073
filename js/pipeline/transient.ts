import { numeric } from "../core/instantiate.js";
import { isTransientStatus } from "./core.js";
import { property } from "../core/causes.js";
import { isAbortError, isOpenCircuit, isRejection } from "./errors.js";
import type { HookArguments, Predicate } from "./strategy.js";

/** Errors that the next attempt may not have: all but those of 4xx without 408 and 429, aborts and rejections. */
export const isTransient: Predicate = ({ outcome }: HookArguments): boolean => {
  if (outcome.ok) return false;
  const { error } = outcome;
  const status =
    property(error, "status") ?? property(error, "statusCode") ?? property(property(error, "response"), "status");
  return !isAbortError(error) && !isRejection(error) && !isOpenCircuit(error) && !!isTransientStatus(numeric(status));
};
