// Compiled, never run: what a user's types see.
import { exponential, forceOpen, httpOutcome, isNetworkError, parseRetryAfter, preview } from "retry-primitives-wasm";
import type {
  Breaker,
  BreakerVerdict,
  ConsecutiveBreakerState,
  Decision,
  Outcome,
  Policy,
  RetryState,
  RollingBreakerState,
} from "retry-primitives-wasm";
import { protect, retry, type Protected } from "retry-primitives-wasm/async";
import { backoff } from "retry-primitives-wasm/backoff";
import {
  CircuitOpenError,
  consecutiveBreaker,
  isCircuitOpenError,
  rollingBreaker,
} from "retry-primitives-wasm/breaker";

import { adaptiveThrottle, retryBudget, tokenBucket } from "retry-primitives-wasm/budget";
import type { Budget, Failure, RetryBudgetState, TokenBucketState } from "retry-primitives-wasm/budget";

import { arm, progress, settle, start, wake } from "retry-primitives-wasm/operation";
import type { Operation, Progress, Report, Ticket } from "retry-primitives-wasm/operation";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>): void => undefined;

const policy: Policy = exponential({ baseMs: 100, maxAttempts: 5, deadlineMs: 30_000, jitter: "equal" });
const state: RetryState = policy.init(0);
const { decision } = policy.next(state, 0, { retryAfterMs: 5 });
same<typeof decision, Decision>(true);
same<Decision["reason"], "maxAttempts" | "deadline" | "nonRetryable" | undefined>(true);
const waits: number[] = preview(policy, 10, { now: 5, outcome: { retryable: true } });
backoff((attempt, prevDelayMs, random) => attempt + prevDelayMs + random(), { maxAttempts: 3 });

const consecutive: Breaker<ConsecutiveBreakerState> = consecutiveBreaker({ failureThreshold: 5, openMs: 1 });
const rolling: Breaker<RollingBreakerState> = rollingBreaker({ windowMs: 5, openMs: 1 });
const verdict: BreakerVerdict = rolling.request(rolling.init(0), 0).verdict;
same<(typeof verdict)["status"], "closed" | "open" | "halfOpen">(true);
const forced: ConsecutiveBreakerState = forceOpen(consecutive.init(0), 5);

const outcome: Outcome = httpOutcome(new Response(), 0, { method: "POST", idempotent: true });
same<ReturnType<typeof parseRetryAfter>, number | undefined>(true);
const error: unknown = new Error();
if (isCircuitOpenError(error)) same<typeof error, CircuitOpenError>(true);
const network: boolean = isNetworkError(error);

const bucket: Budget<TokenBucketState> = tokenBucket({ capacity: 100 });
const allowed: boolean = bucket.retry(bucket.init(0), 0, "timeout").allowed;
const retries: Budget<RetryBudgetState> = retryBudget();
same<ReturnType<ReturnType<typeof retryBudget>["stats"]>, { requests: number; retries: number }>(true);
same<Parameters<typeof bucket.fail>[2], Failure | undefined>(true);
const probability: number = adaptiveThrottle({ random: Math.random }).rejectionProbability(
  { start: 0, requests: [], accepts: [] },
  0,
);

const woken: { operation: Operation; ticket?: Ticket } = wake(start(policy, 0), policy, 0, 15_000);
const report: Report = { ok: false, status: 503, outcome };
if (woken.ticket) same<ReturnType<typeof settle>, Operation>(true);
const far: Progress = progress(woken.operation);
if (far.status === "gaveUp") same<typeof far.reason, "maxAttempts" | "deadline" | "nonRetryable">(true);
const due: number | undefined = arm(woken.operation, 0).at;
// @ts-expect-error a report says whether the attempt reached its aim
const silent: Report = { status: 200 };

declare const own: Breaker<{ failures: number }>;
const upstream: Protected<{ failures: number }> = protect(own, {
  onChange: async () => {},
  isFailure: async () => true,
});
const counted: number = upstream.state().failures;
declare const signal: AbortSignal | undefined;
const answer: Promise<number> = retry(async () => 5, {
  policy,
  signal,
  classify: async (_, { now }) => (now > 5 ? false : outcome),
  onRetry: async () => {},
});
// @ts-expect-error a state of another shape
protect(own, { state: { fail: 1 } });

// @ts-expect-error baseMs is required
exponential({ maxAttempts: 5 });
// @ts-expect-error no such jitter
exponential({ baseMs: 5, maxAttempts: 5, jitter: "decorrelated" });
// @ts-expect-error openMs is required
consecutiveBreaker({ failureThreshold: 5 });
// @ts-expect-error no such failure
bucket.retry(bucket.init(0), 0, "network");
// @ts-expect-error a state of another budget
bucket.fail(retries.init(0), 0);
// @ts-expect-error a state of another breaker
rolling.fail(consecutive.init(0), 0);

export { allowed, answer, counted, due, forced, network, outcome, probability, report, silent, waits };
