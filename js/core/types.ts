/** What a failed attempt tells a policy. */
export interface Outcome {
  /** `false` stops the policy at once. Default `true`. */
  retryable?: boolean;
  /** A floor on the next delay, in milliseconds: what the server asked for. `maxDelayMs` does not cap it. */
  retryAfterMs?: number;
}

/** What is kept between attempts: three numbers, to be stored wherever you like. */
export interface RetryState {
  /** Attempts that have failed so far. */
  attempts: number;
  /** When the operation began, in milliseconds on the caller's clock. */
  startedAt: number;
  /** The last wait, in milliseconds; 0 before the first. */
  prevDelayMs: number;
}

/** Why a policy stopped. */
export type StopReason = "maxAttempts" | "deadline" | "nonRetryable";

/** What a policy decided about a failed attempt. */
export interface Decision {
  /** May we try again? */
  retry: boolean;
  /** How long to wait first, in whole milliseconds; 0 when `retry` is false. */
  delayMs: number;
  /** Attempts made so far, counting the one that just failed. */
  attempts: number;
  /** What is left of the deadline at `now`; `Infinity` when there is none. */
  remainingMs: number;
  /** Set if and only if `retry` is false. */
  reason?: StopReason;
  /** The server's figure, when the policy stopped on an outcome that carried one. */
  retryAfterMs?: number;
}

/** A curve inside its limits: decides whether and when a failed attempt is repeated. */
export interface Policy {
  /** The state of an operation that begins at `now`. */
  init(now: number): RetryState;
  /** Decides about an attempt that failed at `now`. On a stop, `state` is the very object that was passed in. */
  next(state: RetryState, now: number, outcome?: Outcome): { state: RetryState; decision: Decision };
  /** What `next` would decide, without advancing. A jittered policy draws a sample of its own. */
  peek(state: RetryState, now: number, outcome?: Outcome): Decision;
}

/** How waits are spread over `d`: not at all, from 0 to `d`, or from `d / 2` to `d`. */
export type Jitter = "none" | "full" | "equal";

/** The options that every policy shares. One of `maxAttempts` and `deadlineMs` is required. */
export interface BackoffOptions {
  /** Total attempts, counting the first: a whole number from 1, or `Infinity`. */
  maxAttempts?: number;
  /** The budget for the whole operation, in milliseconds from its start: above 0. */
  deadlineMs?: number;
  /** The ceiling on one wait, before jitter: from 0, or `Infinity`. Default 30,000. */
  maxDelayMs?: number;
  /** Default `"full"`. */
  jitter?: Jitter;
  /** The source of randomness, in [0, 1). Default `Math.random`. */
  random?: () => number;
}

/** The wait after attempt number `attempt` (1 is the first), in milliseconds. */
export type DelayFor = (attempt: number, prevDelayMs: number, random: () => number) => number;

export type BreakerStatus = "closed" | "open" | "halfOpen";

/** What the state of every breaker has. */
export interface RecoveryState {
  status: BreakerStatus;
  /** When the status last changed, in milliseconds on the caller's clock; also the epoch of the calls it admits. */
  changedAt: number;
  /** Calls that the trial has admitted. */
  probes: number;
  /** Of them, those that succeeded. */
  successes: number;
  /** Openings in a row; only with `openGrowth`. */
  openings?: number;
  /** How long this opening lasts; only when it is not `openMs`. */
  openForMs?: number;
  /** How far `changedAt` is ahead of the clock that set it; only after a jump back. */
  aheadMs?: number;
}

export interface ConsecutiveBreakerState extends RecoveryState {
  /** Failures in a row. */
  failures: number;
}

export interface RollingBreakerState extends RecoveryState {
  /** When the current bucket began. */
  start: number;
  prevOk: number;
  prevFail: number;
  currOk: number;
  currFail: number;
  /** Slow calls; only with `slowCallMs`. */
  prevSlow?: number;
  /** Slow calls; only with `slowCallMs`. */
  currSlow?: number;
}

/** May the call go out, and if not, how soon is it worth asking again? */
export interface BreakerVerdict {
  ok: boolean;
  status: BreakerStatus;
  /** Milliseconds until a call may be admitted; 0 when `ok`. */
  retryAfterMs: number;
}

/** What is known of a call that has ended. */
export interface Call {
  /** `changedAt` of the state that `request` gave with its verdict: an outcome of another epoch is ignored. */
  epoch?: number;
  /** How long the call took; a rolling breaker of `/breaker/extended` with `slowCallMs` reads it. */
  durationMs?: number;
}

/** How a call ended: `ignored` says nothing about the dependency, and frees a probe's slot. */
export type CallResult = "success" | "failure" | "ignored";

/** Whether a reported outcome counted; `stale` means that the breaker has moved on since the call was admitted. */
export type Reported = "counted" | "ignored" | "stale";

/** Pure functions of a state and of `now`; each returns the state to keep. */
export interface Breaker<S> {
  init(now: number): S;
  /** Asks whether a call may go out. Store the state that comes back before making the call. */
  request(state: S, now: number): { state: S; verdict: BreakerVerdict };
  succeed(state: S, now: number, call?: Call): S;
  fail(state: S, now: number, call?: Call): S;
  /** What `request` would answer, with nothing advanced. */
  peek(state: S, now: number): BreakerVerdict;
  /** Whether `request` admits and leaves this state as it is, and so does `succeed`, whatever the time. Default: it never is. */
  isAtRest?(state: S): boolean;
}

/** A breaker of this package, which can do more than one needs to. */
export interface CoreBreaker<S> extends Breaker<S> {
  /** Frees the slot of a call whose outcome says nothing about the dependency. */
  ignore(state: S, now: number, call?: Call): S;
  isAtRest(state: S): boolean;
  /** Records how a call ended, and says whether that counted. */
  report(state: S, now: number, result: CallResult, call?: Call): { state: S; reported: Reported };
}

/** A breaker of `/breaker/extended`. */
export interface ExtendedBreaker<S> extends CoreBreaker<S> {
  /**
   * Joins two states of this breaker, for a store without transactions: before writing, read what is there and write the join.
   * Commutative, associative and idempotent. The later opening or closing wins; of one transition the counts are joined.
   */
  merge(a: S, b: S): S;
}

/** How the open time grows with each opening in a row: along a curve of `/backoff`, whose base is `openMs`. */
export interface OpenGrowth {
  curve: "exponential" | "decorrelatedJitter" | "fibonacci" | "linear";
  /** Of the first two: from 1. Default 2, and 3 for decorrelated jitter. */
  factor?: number;
  /** The longest opening, in milliseconds: from `openMs`. */
  maxOpenMs: number;
}

export interface RecoveryOptions {
  /** How long calls are refused before a probe is admitted, in milliseconds: from 1. */
  openMs: number;
  /** Calls admitted per trial: a whole number from 1. Default 1. */
  halfOpenProbes?: number;
  /** Successful probes needed to close: from 1 to `halfOpenProbes`, the default. */
  successThreshold?: number;
  /** How long a trial waits for its probes before a fresh one takes its place: from 1. Default `openMs`. */
  halfOpenMs?: number;
}

export interface ConsecutiveBreakerOptions extends RecoveryOptions {
  /** Failures in a row that trip the breaker: a whole number from 1. */
  failureThreshold: number;
}

export interface RollingBreakerOptions extends RecoveryOptions {
  /** The trailing window, in milliseconds: from 1. */
  windowMs: number;
  /** The share of failed calls that trips the breaker: above 0, up to 1. Default 0.5. */
  failureRatio?: number;
  /** Calls in the window below which nothing trips: a whole number from 1. Default 20. */
  minimumThroughput?: number;
}

/** What the breakers of `/breaker/extended` take besides. */
export interface ExtendedRecoveryOptions {
  /** Lets the open time grow with each opening in a row. Default: every opening lasts `openMs`. */
  openGrowth?: OpenGrowth;
  /** Lengthens each opening by a random part of itself, up to this share: from 0 to 1. Default 0. */
  openJitter?: number;
  /** The source of randomness for `openJitter`, in [0, 1). Default `Math.random`. */
  random?: () => number;
}

export interface ExtendedConsecutiveBreakerOptions extends ConsecutiveBreakerOptions, ExtendedRecoveryOptions {}

export interface ExtendedRollingBreakerOptions extends RollingBreakerOptions, ExtendedRecoveryOptions {
  /** A call that takes longer is slow: from 1. Default: none is. */
  slowCallMs?: number;
  /** The share of slow calls that trips the breaker: above 0, up to 1. Default 1. */
  slowRatio?: number;
}
