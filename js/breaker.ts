import { createBreaker } from "./core/create-breaker.js";
import { wasm } from "./modules/breaker.js";

export { CircuitOpenError, isCircuitOpenError } from "./core/circuit-open-error.js";
export { StateError } from "./core/errors.js";
export type {
  Breaker,
  BreakerStatus,
  BreakerVerdict,
  Call,
  CallResult,
  ConsecutiveBreakerOptions,
  ConsecutiveBreakerState,
  CoreBreaker,
  RecoveryOptions,
  RecoveryState,
  Reported,
  RollingBreakerOptions,
  RollingBreakerState,
} from "./core/types.js";

export const { consecutiveBreaker, rollingBreaker, forceOpen, forceClose } = createBreaker(wasm);
