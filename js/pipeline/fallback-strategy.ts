import { optionError } from "../core/errors.js";
import type { Settled } from "../executor/loop.js";
import { callable } from "../core/options.js";
import { isAbortError } from "./errors.js";
import { predicate } from "./predicate.js";
import { readOptions } from "./read-options.js";
import type { Hook, HookArguments, MaybePromise, Predicate, ShouldHandle, Strategy } from "./strategy.js";

export interface FallbackStrategyOptions<T = any> {
  /** What is given in place of a failure: a value, or a function that makes one. */
  fallback: T | ((given: HookArguments<T>) => MaybePromise<T>);
  /** Which outcomes are replaced. Default: every error but an abort. */
  shouldHandle?: ShouldHandle<T>;
  /** Before the fallback is made. */
  onFallback?: Hook<HookArguments<T>>;
}

const isFailure: Predicate = ({ outcome, context }) =>
  !outcome.ok && !context.signal.aborted && !isAbortError(outcome.error);

/** Gives something else in place of a failure. */
export const fallbackStrategy =
  <T = any>(given: FallbackStrategyOptions<T>): Strategy =>
  () => {
    const options = readOptions(given);
    const { fallback, onFallback } = options;
    if (!("fallback" in options)) throw optionError("fallback", "given");
    if (onFallback !== undefined) callable("onFallback", onFallback);
    const shouldHandle = predicate(options, isFailure);

    return async (next, context) => {
      let outcome: Settled<T>;
      try {
        outcome = { ok: true, value: (await next(context)) as T };
        if (shouldHandle === isFailure) return outcome.value;
      } catch (error) {
        outcome = context.failed(error);
      }
      const told = { outcome, context, attemptNumber: context.attemptNumber };
      if (await context.within(shouldHandle(told))) {
        if (outcome.ok) await context.discard(outcome.value);
        await context.within(onFallback?.(told));
        const made =
          typeof fallback === "function"
            ? await context.within((fallback as (given: unknown) => unknown)(told))
            : fallback;
        const { stream } = context.execution;
        return stream ? stream.open(made as never) : made;
      }
      if (outcome.ok) return outcome.value;
      throw outcome.error;
    };
  };
