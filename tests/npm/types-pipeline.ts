// Compiled, never run: what a user's types see of /pipeline.
import {
  backoff,
  BrokenCircuitError,
  BulkheadRejectedError,
  FakeTimeProvider,
  isRateLimitError,
  NonRetryableError,
  Outcome,
  PipelineBuilder,
  PredicateBuilder,
  RateLimiterRejectedError,
  ResiliencePipelineBuilder,
  retry,
  RetryBudget,
  retryStrategy,
  TimeoutRejectedError,
  timeoutStrategy,
  waitFor,
} from "retry-primitives-wasm/pipeline";
import type {
  Duration,
  ResiliencePipeline,
  RetryStrategyOptions,
  Schedule,
  Strategy,
  TimeProvider,
} from "retry-primitives-wasm/pipeline";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>): void => undefined;

class HttpError extends Error {
  constructor(readonly status: number) {
    super();
  }
}

const durations: Duration[] = [5, "250ms", "30s", "5m", "1h", "1d", "2w", "1.5s"];
// @ts-expect-error no such unit
durations.push("5 years");

const options: RetryStrategyOptions<Response> = {
  maxRetryAttempts: 5,
  backoffType: "exponential",
  useJitter: "full",
  shouldHandle: new PredicateBuilder<Response>()
    .handle(HttpError, (error) => error.status >= 500)
    .handle(isRateLimitError, (error) => error.retryAfter < 500)
    .handleResult((result) => result.status === 429),
  delayGenerator: ({ outcome }) =>
    outcome.ok ? Number(outcome.value.headers.get("retry-after")) * 1_000 : outcome.error ? "5s" : undefined,
  onRetry: async ({ delay, attemptNumber, context, outcome }) => {
    same<typeof delay, number>(true);
    same<typeof attemptNumber, number>(true);
    same<typeof context.signal, AbortSignal>(true);
    if (!outcome.ok) same<typeof outcome.error, unknown>(true);
  },
  budget: new RetryBudget({ ratio: 0.2, window: "10s" }),
};
// @ts-expect-error no such type of backoff
retryStrategy({ backoffType: "fibonacci" });
// @ts-expect-error no such jitter
retryStrategy({ useJitter: "half" });
const generator: Schedule = backoff.exponential({ delay: "100ms", maxDelay: "10s", useJitter: "full" });
retryStrategy({ delayGenerator: generator });
retryStrategy({ delayGenerator: backoff.sequence(["100ms", "1s", "5s"]) });

// The type parameter tracks what a pipeline can raise.
const none = new PipelineBuilder().add(retryStrategy(options)).build();
same<typeof none, ResiliencePipeline<never>>(true);
const some = new PipelineBuilder().add(retryStrategy()).add(timeoutStrategy("2s")).build();
same<typeof some, ResiliencePipeline<TimeoutRejectedError>>(true);
const all = new ResiliencePipelineBuilder()
  .addRetry(options)
  .addTimeout("2s")
  .addCircuitBreaker({ failureRatio: 0.5 })
  .addRateLimiter({ permitLimit: 5 })
  .addBulkhead({ permitLimit: 5, queueLimit: 2 })
  .addHedging()
  .addFallback({ fallback: new Response() })
  .build();
type Everything = TimeoutRejectedError | BrokenCircuitError | RateLimiterRejectedError | BulkheadRejectedError;
same<typeof all, ResiliencePipeline<Everything>>(true);
const mine: Strategy<HttpError> = () => (next, context) => next(context);
const own = new ResiliencePipelineBuilder().add(mine).addTimeout(5).build();
same<typeof own, ResiliencePipeline<HttpError | TimeoutRejectedError>>(true);

const results = async () => {
  const response = await all.execute(({ signal, attemptNumber }) => fetch(`/${attemptNumber}`, { signal }), {
    idempotent: false,
  });
  same<typeof response, Response>(true);
  const plain = await all.execute(() => 5);
  same<typeof plain, number>(true);

  const outcome = await all.settle(async () => "text");
  same<typeof outcome, Outcome<string, Everything>>(true);
  if (outcome.ok) same<typeof outcome.value, string>(true);
  else same<typeof outcome.error, unknown>(true);
  const matched: string | number = outcome.match<string | number>({
    success: (value) => value.length,
    TIMEOUT: (error) => error.timeout,
    CIRCUIT_OPEN: (error) => error.retryAfter ?? error.code,
    CIRCUIT_ISOLATED: (error) => error.code,
    RATE_LIMITED: (error) => error.retryAfter,
    failure: (error) => String(error),
  });
  const mixed = outcome.match({
    success: (value) => value.length,
    TIMEOUT: (error) => [error.timeout],
    failure: (error) => error instanceof Error,
  });
  same<typeof mixed, number | number[] | boolean>(true);
  const again: string = Outcome.match(outcome, { success: (value) => value, failure: () => "" });
  // @ts-expect-error every other error needs a function too
  outcome.match({ success: () => 1 });
  // @ts-expect-error this pipeline raises no such error
  (await some.settle(() => 1)).match({ success: () => 1, failure: () => 2, RATE_LIMITED: () => 3 });

  async function* numbers() {
    yield 5;
  }
  for await (const item of some.executeStream(numbers)) same<typeof item, number>(true);

  const bytes = some.executeStream(async () => (await fetch("/")).body!);
  for await (const chunk of bytes) chunk.length.toFixed();

  const ready = await waitFor(() => (Math.random() > 0.5 ? "ready" : undefined), { interval: generator });
  same<typeof ready, "ready">(true);
  const one = await retry(async () => 1, { delay: "1s", signal: new AbortController().signal });
  same<typeof one, number>(true);
  return [matched, again];
};

const fake: TimeProvider = new FakeTimeProvider();
new PipelineBuilder({ timeProvider: fake });
results().then((all) => {
  throw new NonRetryableError(all);
});
