import { CircuitOpenError } from "./core/circuit-open-error.js";
import { loop, promised } from "./executor/loop.js";
import { unlessAborted } from "./executor/sleep.js";
import { optionError } from "./core/errors.js";
import { callable } from "./core/options.js";
import type { Breaker, BreakerStatus, Decision, Outcome, Policy, RetryState } from "./core/types.js";

export { CircuitOpenError, isCircuitOpenError } from "./core/circuit-open-error.js";

type MaybePromise<T> = T | PromiseLike<T>;

/** Each of the functions that are not left out must be one. */
const checked = <Options extends object>(options: Options, ...names: (keyof Options & string)[]): Options => {
  for (const name of names) if (options[name] !== undefined) callable(name, options[name]);
  return options;
};

/** The methods of a policy or a breaker. */
const methods = (name: string, value: unknown, ...wanted: string[]) => {
  for (const method of wanted) callable(`${name}.${method}`, Object(value)[method]);
};

/**
 * Hooks and `classify` may answer with a promise, which is waited for. What one of them throws ends the retry, in place of the
 * last error.
 */
export interface RetryOptions {
  policy: Policy;
  /** Ends the attempt, the wait or the hook under way at once, with its reason; it is handed to every attempt. */
  signal?: AbortSignal | undefined;
  /** The clock. Default `Date.now`. */
  now?: (() => number) | undefined;
  /** What a failure means; `true` or nothing retries, `false` does not. Default: everything is retried. */
  classify?:
    ((error: unknown, context: { attempt: number; now: number }) => MaybePromise<Outcome | boolean | void>) | undefined;
  /** Told before the wait, which what the hook takes is part of; if that is past the deadline, `onGiveUp` is told as well. */
  onRetry?: ((info: { error: unknown; decision: Decision }) => unknown) | undefined;
  onGiveUp?: ((info: { error: unknown; decision: Decision }) => unknown) | undefined;
}

export interface ProtectOptions<S> {
  /** The clock. Default `Date.now`. */
  now?: (() => number) | undefined;
  /** The state to start from. Default `breaker.init`. */
  state?: S | undefined;
  /**
   * Told of each new state, and not waited for. What it throws, or rejects with, goes to `console.error`: neither the call nor
   * the breaker depends on it.
   */
  onChange?: ((state: S) => unknown) | undefined;
  /**
   * Whether an error counts against the dependency; one that does not is an answer, and counts as a success. A promise is
   * waited for. What it throws goes to `console.error`, and the error counts. Default: every error counts, also that of a call
   * which its caller has aborted: `(error) => !isAbortError(error)`, of `/classify`, leaves it out.
   */
  isFailure?: ((error: unknown) => MaybePromise<boolean>) | undefined;
}

/** A breaker that keeps its state in this process. */
export interface Protected<S> {
  /** Calls `fn` and gives its result or its error, or throws a `CircuitOpenError` without doing so. */
  call<T>(fn: () => Promise<T>): Promise<T>;
  state(): S;
  /** Replaces the state; a `StateError` if the breaker cannot read it. */
  load(state: S): void;
  status(): BreakerStatus;
}

const start = <T>(
  fn: (context: { attempt: number; signal?: AbortSignal }) => Promise<T>,
  options: RetryOptions,
): Promise<T> => {
  callable("fn", fn);
  const given = checked(Object(options) as RetryOptions, "now", "classify", "onRetry", "onGiveUp");
  const { policy, signal, now = Date.now, classify, onRetry, onGiveUp } = given;
  methods("policy", policy, "init", "next");
  if (signal && !signal.throwIfAborted) throw optionError("signal", "an AbortSignal", signal);
  const startedAt = now();
  let state: RetryState | undefined;
  const judge = async (error: unknown, attempt: number) => {
    signal?.throwIfAborted();
    let decidedAt = now();
    const meaning = await classify?.(error, { attempt, now: decidedAt });
    signal?.throwIfAborted();
    const outcome = typeof meaning === "boolean" ? { retryable: meaning } : (meaning ?? {});
    state ??= policy.init(startedAt);
    if (classify) decidedAt = now();
    let answer = policy.next(state, decidedAt, outcome);
    const { delayMs, remainingMs } = answer.decision;
    let took = 0;
    if (answer.decision.retry && onRetry) {
      await onRetry({ error, decision: answer.decision });
      signal?.throwIfAborted();
      const toldAt = now();
      took = Math.max(0, toldAt - decidedAt);
      if (took >= remainingMs) answer = policy.next(state, toldAt, outcome);
    }
    if (!answer.decision.retry) {
      await onGiveUp?.({ error, decision: answer.decision });
      return;
    }
    ({ state } = answer);
    return Math.max(0, delayMs - took);
  };
  return loop(
    (attempt) => (signal ? unlessAborted(fn({ attempt, signal }), signal) : fn({ attempt })),
    (settled, attempt) => (settled.ok ? undefined : judge(settled.error, attempt)),
    signal,
  );
};

/**
 * Calls `fn` until it succeeds or the policy stops, and then throws its last error unchanged. An abort ends it at once with
 * the signal's reason, whether or not `fn` listens; what comes of the attempt afterwards is dropped.
 */
export const retry = <T>(
  fn: (context: { attempt: number; signal?: AbortSignal }) => Promise<T>,
  options: RetryOptions,
): Promise<T> => promised(() => start(fn, options));

const tell = (error: unknown) => console.error(error);

/** Guards calls with a breaker whose state stays in this process; `state` and `onChange` lead out of it. */
export const protect = <S>(breaker: Breaker<S>, options: ProtectOptions<S> = {}): Protected<S> => {
  methods("breaker", breaker, "init", "request", "succeed", "fail", "peek");
  const given = checked(Object(options) as ProtectOptions<S>, "now", "onChange", "isFailure");
  const { now = Date.now, onChange, isFailure = () => true } = given;
  // The breaker says what is wrong with a state.
  const readable = (state: S) => (breaker.peek(state, now()), state);
  let current = given.state == null ? breaker.init(now()) : readable(given.state);
  const change = (next: S) => {
    if (next === current) return;
    current = next;
    if (onChange) promised(() => onChange(next)).catch(tell);
  };
  return {
    async call<T>(fn: () => Promise<T>): Promise<T> {
      callable("fn", fn);
      const { state, verdict } = breaker.request(current, now());
      if (!verdict.ok) throw new CircuitOpenError(verdict);
      change(state);
      // A breaker of one's own may keep something else.
      const call = { epoch: Object(state).changedAt as number };
      let result: T;
      try {
        result = await fn();
      } catch (error) {
        let failed: unknown = true;
        try {
          failed = isFailure(error);
          if (typeof failed === "object") failed = await failed;
        } catch (unheard) {
          failed = true;
          tell(unheard);
        }
        change(failed ? breaker.fail(current, now(), call) : breaker.succeed(current, now(), call));
        throw error;
      }
      change(breaker.succeed(current, now(), call));
      return result;
    },
    state: () => current,
    load: (state: S) => change(readable(state)),
    status: () => breaker.peek(current, now()).status,
  };
};
