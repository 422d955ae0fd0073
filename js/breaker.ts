import { createBreaker } from "./create-breaker.js";
import { wasm } from "./modules/breaker.js";

export { CircuitOpenError, isCircuitOpenError } from "./circuit-open-error.js";
export { StateError } from "./errors.js";
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
} from "./types.js";

export const { consecutiveBreaker, rollingBreaker, forceOpen, forceClose } = createBreaker(wasm);
