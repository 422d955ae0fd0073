import { callable } from "../core/options.js";
import type { Predicate, ShouldHandle } from "./strategy.js";

/** The option `shouldHandle`. */
export const predicate = <T>(
  { shouldHandle }: { readonly shouldHandle?: ShouldHandle<T> | undefined },
  fallback: Predicate<T>,
): Predicate<T> =>
  shouldHandle === undefined
    ? fallback
    : callable(
        "shouldHandle",
        (Object(shouldHandle) as { build?(): Predicate<T> }).build?.() ?? (shouldHandle as Predicate<T>),
      );
