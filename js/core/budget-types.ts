/**
 * How an attempt failed, as far as a budget cares: the server or the way to it, no answer in time, turned away for its
 * load, or the request's own fault, which is never retried.
 */
export type Failure = "transient" | "timeout" | "throttling" | "nonRetryable";

/** The state to keep, and whether the attempt may go. */
export interface Allowance<S> {
  state: S;
  allowed: boolean;
}

/**
 * A limit on attempts that many calls share, as pure functions of a state and of `now`. For each call: `request` once;
 * after each attempt `succeed` or `fail`; before each further attempt `retry`. A step that changes nothing returns the
 * very state that it was given.
 */
export interface Budget<S> {
  /** The state of a client that has made no call yet. */
  init(now: number): S;
  /** A call begins: may its first attempt go? */
  request(state: S, now: number): Allowance<S>;
  /** An attempt failed, and the policy would repeat it: may it? What a retry costs is taken here, if it may go. */
  retry(state: S, now: number, failure?: Failure): Allowance<S>;
  /** An attempt succeeded; `retried` is the failure given to the call's last `retry`, if there was one. */
  succeed(state: S, now: number, retried?: Failure): S;
  /** An attempt failed: for each one, whether or not a retry is asked for next. */
  fail(state: S, now: number, failure?: Failure): S;
  /** Whether `retry` would allow it, with nothing taken. A budget that decides by chance draws a sample of its own. */
  peek(state: S, now: number, failure?: Failure): boolean;
}

/** A sliding window of ten slots, the newest first. */
interface Window {
  /** When the newest slot began, in milliseconds. */
  start: number;
  requests: number[];
}

export interface RetryBudgetState extends Window {
  retries: number[];
}

export interface AdaptiveThrottleState extends Window {
  /** Attempts that the server answered. */
  accepts: number[];
}

export interface TokenBucketState {
  tokens: number;
}

export interface GrpcThrottleState {
  /** Thousandths of a token. */
  milliTokens: number;
}

export interface RetryBudget extends Budget<RetryBudgetState> {
  /** What the window holds at `now`. */
  stats(state: RetryBudgetState, now: number): { requests: number; retries: number };
  /** How many retries in a row would be allowed at `now`. */
  balance(state: RetryBudgetState, now: number): number;
}

export interface AdaptiveThrottle extends Budget<AdaptiveThrottleState> {
  /** What the window holds at `now`, the attempts held back included. */
  stats(state: AdaptiveThrottleState, now: number): { requests: number; accepts: number };
  /** The probability, in [0, 1), that an attempt at `now` is held back. */
  rejectionProbability(state: AdaptiveThrottleState, now: number): number;
}

export interface RetryBudgetOptions {
  /** Retries for each request: from 0 to 1000. Default 0.2. */
  ratio?: number;
  /** Retries a second that are allowed without any request: from 0. Default 10. */
  minRetriesPerSecond?: number;
  /** How long a request and a retry are remembered, in milliseconds: from 10. Default 10,000. */
  windowMs?: number;
}

export interface AdaptiveThrottleOptions {
  /** Attempts sent for each one that is accepted: from 1. Default 2. */
  multiplier?: number;
  /** How long an attempt is remembered, in milliseconds: from 10. Default 120,000. */
  windowMs?: number;
  /** The source of randomness, in [0, 1), asked only when chance decides. Default `Math.random`. */
  random?: () => number;
}

/** All in whole tokens. */
export interface TokenBucketOptions {
  /** A full bucket, as it is at the start: from 1 to 2^32 - 1. Default 500. */
  capacity?: number;
  /** What a retry takes: from 1 to the capacity. Default 5. */
  retryCost?: number;
  /** What a retry after a timeout takes: from 1 to the capacity. Default 10. */
  timeoutRetryCost?: number;
  /** What a retry takes after the server turned the attempt away: from 1 to the capacity. Default 5. */
  throttlingRetryCost?: number;
  /** What a call that succeeds without a retry puts in: from 0 to the capacity. Default 1. */
  noRetryIncrement?: number;
}

export interface GrpcThrottleOptions {
  /** The most tokens, with which it starts: a whole number from 1 to 1000. Default 10. */
  maxTokens?: number;
  /** The tokens that a success earns: from 0.001 to 1000; three decimal places count. Default 0.1. */
  tokenRatio?: number;
}
