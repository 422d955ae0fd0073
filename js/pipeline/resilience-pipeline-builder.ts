import { bulkheadStrategy, type BulkheadStrategyOptions } from "./bulkhead-strategy.js";
import { circuitBreakerStrategy, type CircuitBreakerStrategyOptions } from "./circuit-breaker-strategy.js";
import type { Duration } from "./duration.js";
import type {
  BrokenCircuitError,
  BulkheadRejectedError,
  RateLimiterRejectedError,
  TimeoutRejectedError,
} from "./errors.js";
import { fallbackStrategy, type FallbackStrategyOptions } from "./fallback-strategy.js";
import { hedgingStrategy, type HedgingStrategyOptions } from "./hedging-strategy.js";
import { PipelineBuilder } from "./pipeline-builder.js";
import { rateLimiterStrategy, type RateLimiterStrategyOptions } from "./rate-limiter-strategy.js";
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

  /** See `hedgingStrategy`. */
  addHedging<T = any>(options?: HedgingStrategyOptions<T>): ResiliencePipelineBuilder<Errors> {
    return this.add(hedgingStrategy(options));
  }

  /** See `rateLimiterStrategy`. */
  addRateLimiter(options: RateLimiterStrategyOptions): ResiliencePipelineBuilder<Errors | RateLimiterRejectedError> {
    return this.add(rateLimiterStrategy(options));
  }

  /** See `bulkheadStrategy`. */
  addBulkhead(options: BulkheadStrategyOptions): ResiliencePipelineBuilder<Errors | BulkheadRejectedError> {
    return this.add(bulkheadStrategy(options));
  }

  /** See `fallbackStrategy`. */
  addFallback<T = any>(options: FallbackStrategyOptions<T>): ResiliencePipelineBuilder<Errors> {
    return this.add(fallbackStrategy(options));
  }
}
