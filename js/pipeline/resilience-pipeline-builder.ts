import { circuitBreakerStrategy, type CircuitBreakerStrategyOptions } from "./circuit-breaker-strategy.js";
import type { Duration } from "./duration.js";
import type { BrokenCircuitError, TimeoutRejectedError } from "./errors.js";
import { PipelineBuilder } from "./pipeline-builder.js";
import { retryStrategy, type RetryStrategyOptions } from "./retry-strategy.js";
import type { Strategy } from "./strategy.js";
import { timeoutStrategy, type TimeoutStrategyOptions } from "./timeout-strategy.js";

/** A `PipelineBuilder` with a method for each strategy. It bundles all of them. */
export class ResiliencePipelineBuilder<Errors = never> extends PipelineBuilder<Errors> {
  declare add: <More>(strategy: Strategy<More>) => ResiliencePipelineBuilder<Errors | More>;

  /** See `retryStrategy`. */
  addRetry<T = any>(options?: RetryStrategyOptions<T>): ResiliencePipelineBuilder<Errors> {
    return this.add(retryStrategy(options));
  }

  /** See `timeoutStrategy`. */
  addTimeout(options?: Duration | TimeoutStrategyOptions): ResiliencePipelineBuilder<Errors | TimeoutRejectedError> {
    return this.add(timeoutStrategy(options));
  }

  /** See `circuitBreakerStrategy`. */
  addCircuitBreaker<T = any>(
    options?: CircuitBreakerStrategyOptions<T>,
  ): ResiliencePipelineBuilder<Errors | BrokenCircuitError> {
    return this.add(circuitBreakerStrategy(options));
  }
}
