/** How far the operation had come when it ended. */
export interface Progress {
  /** Calls made, the last one included. */
  readonly attempts: number;
  /** Milliseconds since the operation began. */
  readonly elapsedMs: number;
  /** The last failure: what was thrown, or the result that counts as a failure. `undefined` when there was none yet. */
  readonly cause: unknown;
}

interface LadderError extends Error, Progress {
  readonly cause: unknown;
}
type LadderErrorClass = new (progress: Progress) => LadderError;

const define = (name: string, why: string): LadderErrorClass =>
  class extends Error {
    static override readonly name = name as never;

    constructor(progress: Progress) {
      super(why, progress);
      Object.assign(this, progress, { name });
    }
  } as unknown as LadderErrorClass;

/** A failure that is worth repeating, of an operation that was not marked as `idempotent`. */
export const IdempotencyError = /* @__PURE__ */ define("IdempotencyError", "Not marked as idempotent");
export type IdempotencyError = LadderError;

/** All retries are used up. */
export const RetryExhaustedError = /* @__PURE__ */ define("RetryExhaustedError", "All retries are used up");
export type RetryExhaustedError = LadderError;

/** `maxElapsedMs` has passed, or would have before the next attempt. */
export const RetryTimeoutError = /* @__PURE__ */ define("RetryTimeoutError", "maxElapsedMs was reached");
export type RetryTimeoutError = LadderError;
