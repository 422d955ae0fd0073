import type { Settled } from "../executor/loop.js";
import { property } from "../core/causes.js";

/** The codes of the errors that a pipeline raises. */
export type CodeOf<Errors> = Errors extends { readonly code: infer Code extends string } ? Code : never;

/** Of these errors, those that can have this code. */
export type WithCode<Errors, Code> = Errors extends { readonly code: infer Own }
  ? Code extends Own
    ? Errors
    : never
  : never;

/** One function for each way to end. `failure` is asked about errors whose code has no function of its own. */
export type OutcomeHandlers<T, Errors, Result> = {
  success(value: T): Result;
  failure(error: unknown): Result;
} & { [Code in CodeOf<Errors>]?: (error: WithCode<Errors, Code>) => Result };

/** What one of some handlers gives back. */
export type ResultOf<Handlers> =
  NonNullable<Handlers[keyof Handlers]> extends (given: never) => infer Result ? Result : never;

/** How an execution ended; `Errors` are those that its pipeline raises, beside those of the callback. */
export type Outcome<T, Errors = never> = (
  | { readonly ok: true; readonly value: T; readonly error?: undefined }
  | { readonly ok: false; readonly error: unknown; readonly value?: undefined }
) & {
  /** Calls the function that fits, and gives back what that does. */
  match<Result>(handlers: OutcomeHandlers<T, Errors, Result>): Result;
  match<Handlers extends OutcomeHandlers<T, Errors, unknown>>(
    handlers: Handlers & Record<Exclude<keyof Handlers, keyof OutcomeHandlers<T, Errors, unknown>>, never>,
  ): ResultOf<Handlers>;
};

export const Outcome = {
  /** As the method `match`, of any settled result. */
  match<T, Errors, Result>(outcome: Outcome<T, Errors>, handlers: OutcomeHandlers<T, Errors, Result>): Result {
    return outcome.match(handlers);
  },
};

type AnyHandlers = Record<string, ((given: unknown) => never) | undefined> & {
  success(value: unknown): never;
  failure(error: unknown): never;
};

/** An outcome of what an execution settled with. */
export const outcomeOf = <T, Errors>(settled: Settled<T>): Outcome<T, Errors> =>
  Object.freeze({
    ...settled,
    match(handlers: AnyHandlers) {
      if (settled.ok) return handlers.success(settled.value);
      const { error } = settled;
      const code = property(error, "code");
      const isOwn = typeof code === "string" && code !== "success" && Object.hasOwn(handlers, code);
      const own = isOwn && handlers[code];
      return own ? own(error) : handlers.failure(error);
    },
  }) as never;
