import { callable } from "../core/options.js";
import type { HookArguments, Predicate } from "./strategy.js";

type ErrorClass<E> = abstract new (...values: never[]) => E;
type Guard<E> = (error: unknown) => error is E extends unknown ? E : never;

const isErrorClass = (kind: unknown): boolean =>
  kind === Error || (kind as { prototype?: unknown } | undefined)?.prototype instanceof Error;

/**
 * Builds a predicate for `shouldHandle`: an outcome that any of its rules names is handled.
 * `new PredicateBuilder().handle(HttpError, (error) => error.status >= 500).handleResult((result) => result.status === 429)`
 */
export class PredicateBuilder<T = any> {
  readonly #rules: ((given: HookArguments<T>) => boolean)[] = [];

  /** Errors of a class, or that a function such as `isRateLimitError` knows; with `when`, those that it says yes to. */
  handle<E = unknown>(
    kind: ErrorClass<E> | Guard<E> | ((error: unknown) => boolean),
    when: (error: E) => boolean = () => true,
  ): this {
    callable("handle", kind);
    callable("when", when);
    const is = isErrorClass(kind)
      ? (error: unknown) => error instanceof (kind as never)
      : (kind as (error: unknown) => boolean);
    this.#rules.push(({ outcome }) => !outcome.ok && is(outcome.error) && when(outcome.error as E));
    return this;
  }

  /** Errors whose chain of causes holds one of a class, itself included. */
  handleInner<E>(kind: ErrorClass<E>, when: (error: E) => boolean = () => true): this {
    callable("handleInner", kind);
    callable("when", when);
    this.#rules.push(({ outcome }) => {
      if (outcome.ok) return false;
      const seen = new Set<unknown>();
      let error = outcome.error as { cause?: unknown } | undefined;
      for (; Object(error) === error && !seen.has(error) && seen.size < 100; error = error!.cause as never) {
        if (error instanceof kind && when(error as E)) return true;
        seen.add(error);
      }
      return false;
    });
    return this;
  }

  /** Results that a function says yes to, or that are this value. */
  handleResult(result: ((value: T) => boolean) | T): this {
    const is =
      typeof result === "function" ? (result as (value: T) => boolean) : (value: T) => Object.is(value, result);
    this.#rules.push(({ outcome }) => outcome.ok && is(outcome.value));
    return this;
  }

  /** The predicate; an option `shouldHandle` takes the builder as well. */
  build(): Predicate<T> {
    const rules = [...this.#rules];
    return (given) => rules.some((rule) => rule(given));
  }
}
