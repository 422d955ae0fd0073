import { numeric } from "../instantiate.js";
import { callable } from "../options.js";
import { isTransientStatus } from "./core.js";
import { isRejection, property } from "./errors.js";
import type { HookArguments, Predicate, ShouldHandle } from "./strategy.js";

/** Whether an error says only that somebody called the attempt off, or that a strategy did not let it start. */
export const saysNothing = (error: unknown): boolean => isRejection(error) || property(error, "name") === "AbortError";

/** Errors that the next attempt may not have: all but those of 4xx without 408 and 429, aborts and rejections. */
export const isTransient: Predicate = ({ outcome }: HookArguments): boolean => {
  if (outcome.ok) return false;
  const { error } = outcome;
  const status =
    property(error, "status") ?? property(error, "statusCode") ?? property(property(error, "response"), "status");
  return !saysNothing(error) && !!isTransientStatus(numeric(status));
};

/** The option `shouldHandle`. */
export const predicate = <T>(
  { shouldHandle }: { readonly shouldHandle?: ShouldHandle<T> | undefined },
  fallback: Predicate<T> = isTransient,
): Predicate<T> =>
  shouldHandle === undefined
    ? fallback
    : callable("shouldHandle", "build" in shouldHandle ? shouldHandle.build() : shouldHandle);
