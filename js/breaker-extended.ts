import { createExtendedBreaker } from "./create-breaker-extended.js";
import { wasm } from "./modules/breaker-extended.js";

export { CircuitOpenError, isCircuitOpenError } from "./circuit-open-error.js";
export { StateError } from "./errors.js";
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
} from "./types.js";

export const { consecutiveBreaker, rollingBreaker, forceOpen, forceClose } = createExtendedBreaker(wasm);
