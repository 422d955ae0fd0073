import { retryBudget } from "../budget.js";
import type { RetryBudget as CoreBudget, RetryBudgetState } from "../core/budget-types.js";
import { duration, type Duration } from "./duration.js";
import type { RetryLimit } from "./retry-strategy.js";
import { readTimeProvider, type TimeProvider } from "./time-provider.js";

export interface RetryBudgetOptions {
  /** Retries allowed as a fraction of the requests in the window: from 0 to 1000. Default 0.2. */
  ratio?: number;
  /** Retries always allowed per second, so that callers with little traffic can retry too: from 0. Default 10. */
  minRetriesPerSecond?: number;
  /** How long counts are kept, in ten buckets: from 10 ms. Default 10 s. */
  window?: Duration;
  /** The clock. Default: the system's. */
  timeProvider?: TimeProvider;
}

/**
 * Caps retries relative to traffic: one is allowed while `retries < minRetriesPerSecond * window in s + ratio * requests`. Share one
 * across every pipeline that calls the same dependency.
 */
export class RetryBudget implements RetryLimit {
  readonly #budget: CoreBudget;
  readonly #time: TimeProvider;
  #state: RetryBudgetState;

  constructor(options: RetryBudgetOptions = {}) {
    const { ratio, minRetriesPerSecond, timeProvider } = options;
    this.#budget = retryBudget({
      ...(ratio !== undefined && { ratio }),
      ...(minRetriesPerSecond !== undefined && { minRetriesPerSecond }),
      windowMs: duration(options, "window", 10, 10_000),
    });
    this.#time = readTimeProvider(timeProvider);
    this.#state = this.#budget.init(this.#time.now());
  }

  /** Counts an execution. */
  request(): void {
    this.#state = this.#budget.request(this.#state, this.#time.now()).state;
  }

  /** Whether a retry is allowed; if so it counts. */
  retry(): boolean {
    const { state, allowed } = this.#budget.retry(this.#state, this.#time.now());
    this.#state = state;
    return allowed;
  }

  /** Requests and retries counted in the current window. */
  stats(): { requests: number; retries: number } {
    return this.#budget.stats(this.#state, this.#time.now());
  }
}
