import { CircuitOpenError } from "./core/circuit-open-error.js";
import { loop, promised } from "./executor/loop.js";
import { callable } from "./core/options.js";
import type { Breaker, BreakerStatus, Decision, Outcome, Policy, RecoveryState, RetryState } from "./core/types.js";

export { CircuitOpenError, isCircuitOpenError } from "./core/circuit-open-error.js";

export interface RetryOptions {
  policy: Policy;
  /** Ends the wait, and is handed to every attempt. */
  signal?: AbortSignal | undefined;
  /** The clock. Default `Date.now`. */
  now?: () => number;
  /** What a failure means; `true` or nothing retries, `false` does not. Default: everything is retried. */
  classify?: (error: unknown, context: { attempt: number; now: number }) => Outcome | boolean | void;
  onRetry?: (info: { error: unknown; decision: Decision }) => void;
  onGiveUp?: (info: { error: unknown; decision: Decision }) => void;
}

export interface ProtectOptions<S> {
  /** The clock. Default `Date.now`. */
  now?: () => number;
  /** The state to start from. Default `breaker.init`. */
  state?: S;
  onChange?: (state: S) => void;
  /** Whether an error counts against the dependency. Default: every one does. */
  isFailure?: (error: unknown) => boolean;
}

/** A breaker that keeps its state in this process. */
export interface Protected<S> {
  /** Calls `fn`, or throws a `CircuitOpenError` without doing so. */
  call<T>(fn: () => Promise<T>): Promise<T>;
  state(): S;
  load(state: S): void;
  status(): BreakerStatus;
}

const start = <T>(
  fn: (context: { attempt: number; signal?: AbortSignal }) => Promise<T>,
  { policy, signal, now = Date.now, classify, onRetry, onGiveUp }: RetryOptions,
): Promise<T> => {
  callable("fn", fn);
  const startedAt = now();
  let state: RetryState | undefined;
  const judge = async (error: unknown, attempt: number) => {
    signal?.throwIfAborted();
    const failedAt = now();
    // Hooks that answer with a promise are waited for: what it rejects with must not go unheard.
    const meaning = await classify?.(error, { attempt, now: failedAt });
    const outcome = typeof meaning === "boolean" ? { retryable: meaning } : (meaning ?? {});
    const answer = policy.next((state ??= policy.init(startedAt)), failedAt, outcome);
    const { decision } = answer;
    await (decision.retry ? onRetry : onGiveUp)?.({ error, decision });
    if (!decision.retry) return;
    ({ state } = answer);
    return decision.delayMs;
  };
  return loop(
    (attempt) => fn(signal ? { attempt, signal } : { attempt }),
    (settled, attempt) => (settled.ok ? undefined : judge(settled.error, attempt)),
    signal,
  );
};

/**
 * Calls `fn` until it succeeds or the policy stops, and then throws its last error unchanged. An abort ends it at once with
 * the signal's reason.
 */
export const retry = <T>(
  fn: (context: { attempt: number; signal?: AbortSignal }) => Promise<T>,
  options: RetryOptions,
): Promise<T> => promised(() => start(fn, options));
/** Guards calls with a breaker whose state stays in this process; `state` and `onChange` lead out of it. */
export const protect = <S extends RecoveryState>(
  breaker: Breaker<S>,
  { now = Date.now, state: given, onChange, isFailure = () => true }: ProtectOptions<S> = {},
): Protected<S> => {
  let current = given ?? breaker.init(now());
  const change = (next: S) => {
    if (next === current) return;
    current = next;
    onChange?.(next);
  };
  return {
    async call<T>(fn: () => Promise<T>): Promise<T> {
      callable("fn", fn);
      const { state, verdict } = breaker.request(current, now());
      if (!verdict.ok) throw new CircuitOpenError(verdict);
      change(state);
      const call = { epoch: state.changedAt };
      let result: T;
      try {
        result = await fn();
      } catch (error) {
        let failed = true;
        try {
          failed = isFailure(error);
        } finally {
          // An error of the caller's own is an answer, so the dependency works.
          change(failed ? breaker.fail(current, now(), call) : breaker.succeed(current, now(), call));
        }
        throw error;
      }
      change(breaker.succeed(current, now(), call));
      return result;
    },
    state: () => current,
    load: (state: S) => change(state),
    status: () => breaker.peek(current, now()).status,
  };
};
