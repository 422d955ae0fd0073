import type { BreakerStatus, BreakerVerdict } from "./types.js";

/** A breaker refused a call. */
export class CircuitOpenError extends Error {
  /** Milliseconds until a call may be admitted. */
  declare readonly retryAfterMs: number;
  declare readonly status: BreakerStatus;

  constructor({ status, retryAfterMs }: BreakerVerdict) {
    super(`The circuit is ${status}: ask again in ${retryAfterMs} ms`);
    this.name = "CircuitOpenError";
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** By name, so that an error of another copy of this package, or of another realm, is one too; false of what cannot be read. */
export const isCircuitOpenError = (error: unknown): error is CircuitOpenError => {
  try {
    return error instanceof CircuitOpenError || (error as CircuitOpenError | undefined)?.name === "CircuitOpenError";
  } catch {
    return false;
  }
};
