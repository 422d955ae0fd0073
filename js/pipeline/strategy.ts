import type { Settled } from "../executor/loop.js";
import type { Context, ResilienceContext } from "./context.js";
import type { TimeProvider } from "./time-provider.js";

/** What is further in: the next strategy, or the callback. */
export type Next = (context: Context) => unknown;

/** A strategy at work, with its state. */
export interface Layer {
  (next: Next, context: Context): unknown;
  /** No `NonRetryableError` comes out of it. */
  givesOriginalErrors?: boolean;
}

/**
 * A strategy for `PipelineBuilder.add`. It is made into a layer, with a state of its own, when the pipeline is built, which
 * is also when its options are checked. `Errors` are those that it raises itself.
 */
export interface Strategy<Errors = never> {
  (time: TimeProvider): Layer;
  readonly raises?: Errors;
}

/** What every hook is told. */
export interface HookArguments<T = any> {
  readonly outcome: Settled<T>;
  readonly context: ResilienceContext;
  /** Of the attempt that ended so. */
  readonly attemptNumber: number;
}

export type MaybePromise<T> = T | PromiseLike<T>;
export type Hook<Arguments> = (given: Arguments) => MaybePromise<void>;
export type Predicate<T = any> = (given: HookArguments<T>) => MaybePromise<boolean>;

/** A predicate, or what builds one. */
export type ShouldHandle<T = any> = Predicate<T> | { build(): Predicate<T> };
