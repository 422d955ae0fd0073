import { compose } from "./compose.js";
import { Execution, type ExecuteOptions, type ResilienceContext } from "./context.js";
import { retryStrategy, type RetryStrategyOptions } from "./retry-strategy.js";
import type { MaybePromise } from "./strategy.js";
import { readTimeProvider, type TimeProvider } from "./time-provider.js";

export interface RetryOptions<T = any> extends RetryStrategyOptions<T>, ExecuteOptions {
  timeProvider?: TimeProvider | undefined;
}

/** Calls `fn`, and calls it again when it fails: a pipeline of one strategy, built and run. */
export const retry = async <T>(
  fn: (context: ResilienceContext) => MaybePromise<T>,
  options: RetryOptions<T> = {},
): Promise<T> =>
  compose([retryStrategy(options)(readTimeProvider(options.timeProvider))])(new Execution(fn, options)) as Promise<T>;
