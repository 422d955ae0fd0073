import { callable } from "../core/options.js";
import type { MaybePromise, Predicate } from "./strategy.js";

type ErrorClass<E> = abstract new (...values: never[]) => E;
type Guard<E> = (error: unknown) => error is E extends unknown ? E : never;

/** A class, which cannot be called: its prototype can't be replaced. Errors from before there were classes are some too. */
const isClass = (kind: object): boolean =>
  Object.getOwnPropertyDescriptor(kind, "prototype")?.writable === false ||
  (kind as { prototype?: unknown }).prototype instanceof Error;

/** Whether one of them passes a test that may take its time; while none does, it costs no promise. */
const some = <T>(items: readonly T[], passes: (item: T) => MaybePromise<boolean>, from = 0): MaybePromise<boolean> => {
  for (let index = from; index < items.length; index++) {
    const answer = passes(items[index]!);
    if (typeof answer === "object") return answer.then((yes) => yes || some(items, passes, index + 1));
    if (answer) return true;
  }
  return false;
};

/**
 * Builds a predicate for `shouldHandle`: an outcome that any of its rules names is handled.
 * `new PredicateBuilder().handle(HttpError, (error) => error.status >= 500).handleResult((result) => result.status === 429)`
 */
export class PredicateBuilder<T = any> {
  readonly #rules: Predicate<T>[] = [];

  /** Errors of a class, or that a function such as `isRateLimitError` knows; with `when`, those that it says yes to. */
  handle<E = unknown>(
    kind: ErrorClass<E> | Guard<E> | ((error: unknown) => MaybePromise<boolean>),
    when: (error: E) => MaybePromise<boolean> = () => true,
  ): this {
    callable("handle", kind);
    callable("when", when);
    const is: (error: unknown) => MaybePromise<boolean> = isClass(kind)
      ? (error: unknown) => error instanceof (kind as never)
      : (kind as (error: unknown) => boolean);
    this.#rules.push(({ outcome }) => {
      if (outcome.ok) return false;
      const error = outcome.error as E;
      const answer = is(error);
      return typeof answer === "object" ? answer.then((yes) => yes && when(error)) : answer && when(error);
    });
    return this;
  }

  /** Errors whose chain of causes holds one of a class, itself included. */
  handleInner<E>(kind: ErrorClass<E>, when: (error: E) => MaybePromise<boolean> = () => true): this {
    callable("handleInner", kind);
    callable("when", when);
    this.#rules.push(({ outcome }) => {
      if (outcome.ok) return false;
      const seen = new Set<unknown>();
      let error = outcome.error as { cause?: unknown } | undefined;
      for (; Object(error) === error && !seen.has(error) && seen.size < 100; error = error!.cause as never) {
        seen.add(error);
      }
      return some([...seen], (inner) => inner instanceof kind && when(inner));
    });
    return this;
  }

  /** Results that a function says yes to, or that are this value. */
  handleResult(result: ((value: T) => MaybePromise<boolean>) | T): this {
    const is =
      typeof result === "function"
        ? (result as (value: T) => MaybePromise<boolean>)
        : (value: T) => Object.is(value, result);
    this.#rules.push(({ outcome }) => outcome.ok && is(outcome.value));
    return this;
  }

  /** The predicate; an option `shouldHandle` takes the builder as well. */
  build(): Predicate<T> {
    const rules = [...this.#rules];
    return (given) => some(rules, (rule) => rule(given));
  }
}
