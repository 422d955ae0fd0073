import { createExtendedBreaker } from "./core/create-breaker-extended.js";
import { wasm } from "./modules/breaker-extended.js";

export { CircuitOpenError, isCircuitOpenError } from "./core/circuit-open-error.js";
export { StateError } from "./core/errors.js";
export type {
  Breaker,
  BreakerStatus,
  BreakerVerdict,
  Call,
  CallResult,
  ConsecutiveBreakerState,
  CoreBreaker,
  ExtendedBreaker,
  ExtendedConsecutiveBreakerOptions as ConsecutiveBreakerOptions,
  ExtendedRecoveryOptions as RecoveryOptions,
  ExtendedRollingBreakerOptions as RollingBreakerOptions,
  OpenGrowth,
  RecoveryState,
  Reported,
  RollingBreakerState,
} from "./core/types.js";

export const { consecutiveBreaker, rollingBreaker, forceOpen, forceClose } = createExtendedBreaker(wasm);
