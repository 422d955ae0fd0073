import { createBudget } from "./core/create-budget.js";
import { wasm } from "./modules/budget.js";

export { StateError } from "./core/errors.js";
export type {
  AdaptiveThrottle,
  AdaptiveThrottleOptions,
  AdaptiveThrottleState,
  Allowance,
  Budget,
  Failure,
  GrpcThrottleOptions,
  GrpcThrottleState,
  RetryBudget,
  RetryBudgetOptions,
  RetryBudgetState,
  TokenBucketOptions,
  TokenBucketState,
} from "./core/budget-types.js";

export const { retryBudget, adaptiveThrottle, tokenBucket, grpcThrottle } = createBudget(wasm);
