import { MAX_CAUSES, property } from "../core/causes.js";

/**
 * Throw it, or wrap an error in it, to stop retrying at once. The caller of the pipeline receives the original error: what
 * was wrapped, or an `Error` of the message.
 */
export class NonRetryableError extends Error {
  /** What the caller receives. */
  declare readonly originalError: unknown;

  constructor(error: unknown) {
    const originalError = typeof error === "string" ? new Error(error) : error;
    super(String(property(originalError, "message")));
    this.name = "NonRetryableError";
    this.originalError = originalError;
  }
}

const has = (thrown: unknown, name: string): boolean => {
  try {
    return name in (thrown as object);
  } catch {
    return false;
  }
};

/**
 * By name and by its `originalError`, so that an error of another copy of this package is one too. Another package's error
 * of that name wraps nothing, and is an error like any other.
 */
export const isNonRetryableError = (error: unknown): error is NonRetryableError =>
  property(error, "name") === "NonRetryableError" && has(error, "originalError");

/** A strategy refused the call, which never started. */
abstract class Rejection extends Error {
  /** Milliseconds until a call may be admitted, where that is known. */
  declare readonly retryAfter?: number;
  declare readonly isRejection: true;

  constructor(message: string, retryAfter?: number) {
    super(message);
    this.isRejection = true;
    if (retryAfter !== undefined) this.retryAfter = retryAfter;
  }
}

/** The circuit is open, or held open by hand. */
export class BrokenCircuitError extends Rejection {
  declare readonly code: "CIRCUIT_OPEN" | "CIRCUIT_ISOLATED";

  constructor(code: BrokenCircuitError["code"], retryAfter?: number) {
    super(code === "CIRCUIT_OPEN" ? "The circuit is open" : "The circuit is held open", retryAfter);
    this.name = "BrokenCircuitError";
    this.code = code;
  }
}

/** The rate limiter is out of permits. */
export class RateLimiterRejectedError extends Rejection {
  declare readonly code: "RATE_LIMITED";
  declare readonly retryAfter: number;

  constructor(retryAfter: number) {
    super(`The rate limiter has no permit for ${retryAfter} ms`, retryAfter);
    this.name = "RateLimiterRejectedError";
    this.code = "RATE_LIMITED";
  }
}

/** The bulkhead and its queue are full. */
export class BulkheadRejectedError extends Rejection {
  declare readonly code: "BULKHEAD_FULL";

  constructor() {
    super("The bulkhead is full");
    this.name = "BulkheadRejectedError";
    this.code = "BULKHEAD_FULL";
  }
}

/** The call took longer than it may; its signal has been aborted. */
export class TimeoutRejectedError extends Error {
  declare readonly code: "TIMEOUT";
  /** What it may take, in milliseconds. */
  declare readonly timeout: number;

  constructor(timeout: number) {
    super(`Nothing came within ${timeout} ms`);
    this.name = "TimeoutRejectedError";
    this.code = "TIMEOUT";
    this.timeout = timeout;
  }
}

/** Whether a strategy refused the call: it never started. */
export const isRejection = (
  error: unknown,
): error is BrokenCircuitError | RateLimiterRejectedError | BulkheadRejectedError =>
  property(error, "isRejection") === true;

/** Whether somebody called the attempt off: an `AbortError`, or one that has it for a cause. */
export const isAbortError = (error: unknown): boolean => {
  for (let depth = 0; error && depth <= MAX_CAUSES; depth++, error = property(error, "cause")) {
    if (property(error, "name") === "AbortError") return true;
  }
  return false;
};

export const isBrokenCircuitError = (error: unknown): error is BrokenCircuitError =>
  property(error, "name") === "BrokenCircuitError";

/** Whether a circuit is open: one of a pipeline, or of `protect` of `/async`. */
export const isOpenCircuit = (error: unknown): boolean =>
  isBrokenCircuitError(error) || property(error, "name") === "CircuitOpenError";

export const isRateLimitError = (error: unknown): error is RateLimiterRejectedError =>
  property(error, "name") === "RateLimiterRejectedError";

export const isBulkheadError = (error: unknown): error is BulkheadRejectedError =>
  property(error, "name") === "BulkheadRejectedError";

export const isTimeoutError = (error: unknown): error is TimeoutRejectedError =>
  property(error, "name") === "TimeoutRejectedError";
