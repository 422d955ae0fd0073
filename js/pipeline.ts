export { backoff, type Attempt, type Schedule } from "./pipeline/backoff.js";
export type { BackoffFormula, UseJitter } from "./pipeline/backoff-options.js";
export { bulkheadStrategy, type BulkheadStrategyOptions } from "./pipeline/bulkhead-strategy.js";
export {
  CircuitBreakerManualControl,
  CircuitBreakerStateProvider,
  circuitBreakerStrategy,
  type CircuitArguments,
  type CircuitBreakerStrategyOptions,
  type CircuitState,
  type OnCircuitOpenedArguments,
} from "./pipeline/circuit-breaker-strategy.js";
export type { ExecuteOptions, ResilienceContext, TelemetryEvent } from "./pipeline/context.js";
export type { Duration } from "./pipeline/duration.js";
export {
  BrokenCircuitError,
  BulkheadRejectedError,
  isBrokenCircuitError,
  isBulkheadError,
  isNonRetryableError,
  isRateLimitError,
  isRejection,
  isTimeoutError,
  NonRetryableError,
  RateLimiterRejectedError,
  TimeoutRejectedError,
} from "./pipeline/errors.js";
export { fallbackStrategy, type FallbackStrategyOptions } from "./pipeline/fallback-strategy.js";
export { FakeTimeProvider } from "./pipeline/fake-time-provider.js";
export { hedgingStrategy, type HedgingStrategyOptions, type OnHedgingArguments } from "./pipeline/hedging-strategy.js";
export { Outcome, type OutcomeHandlers } from "./pipeline/outcome.js";
export { PipelineBuilder, type PipelineOptions } from "./pipeline/pipeline-builder.js";
export type { ResiliencePipeline } from "./pipeline/pipeline.js";
export { PredicateBuilder } from "./pipeline/predicate-builder.js";
export {
  rateLimiterStrategy,
  type OnRateLimitedArguments,
  type RateLimiterStrategyOptions,
} from "./pipeline/rate-limiter-strategy.js";
export { ResiliencePipelineBuilder } from "./pipeline/resilience-pipeline-builder.js";
export { retry, type RetryOptions } from "./pipeline/retry.js";
export { RetryBudget, type RetryBudgetOptions } from "./pipeline/retry-budget.js";
export {
  retryStrategy,
  type OnRetryArguments,
  type RetryLimit,
  type RetryStrategyOptions,
} from "./pipeline/retry-strategy.js";
export type { Hook, HookArguments, Layer, Next, Predicate, ShouldHandle, Strategy } from "./pipeline/strategy.js";
export type { OpenedStream } from "./pipeline/stream.js";
export type { TimeProvider } from "./pipeline/time-provider.js";
export { timeoutStrategy, type OnTimeoutArguments, type TimeoutStrategyOptions } from "./pipeline/timeout-strategy.js";
export { waitFor, type WaitForOptions } from "./pipeline/wait-for.js";
