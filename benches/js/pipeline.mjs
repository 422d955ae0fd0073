// A call that succeeds at once through timeout, retry and breaker, beside cockatiel; executors.mjs measures it
import {
  ConsecutiveBreaker,
  ExponentialBackoff,
  SamplingBreaker,
  TimeoutStrategy,
  circuitBreaker,
  handleAll,
  retry,
  timeout,
  wrap,
} from "cockatiel";
import {
  PipelineBuilder,
  circuitBreakerStrategy,
  retryStrategy,
  timeoutStrategy,
} from "retry-primitives-wasm/pipeline";

export const CALLS = 5_000;
const one = async () => 1;

const ours = (...strategies) =>
  strategies.reduce((builder, strategy) => builder.add(strategy), new PipelineBuilder()).build();
const repeat = (policy, options) => async () => {
  let sum = 0;
  for (let call = 0; call < CALLS; call++) sum += await policy.execute(one, options);
  if (sum !== CALLS) throw new Error("a call failed");
};
const cockatielRetry = () => retry(handleAll, { maxAttempts: 3, backoff: new ExponentialBackoff() });
const cockatielBreaker = (breaker) => circuitBreaker(handleAll, { halfOpenAfter: 5_000, breaker });
const breakAfter = (breaker) =>
  wrap(timeout(30_000, TimeoutStrategy.Aggressive), cockatielRetry(), cockatielBreaker(breaker));
const our = (options) =>
  ours(timeoutStrategy("30s"), retryStrategy({ backoffType: "exponential" }), circuitBreakerStrategy(options));

/** Each a name and what is measured, a run making `CALLS` calls. */
export const groups = [
  ["pipeline: retry", { ours: repeat(ours(retryStrategy())), cockatiel: repeat(cockatielRetry()) }],
  [
    "pipeline: timeout",
    { ours: repeat(ours(timeoutStrategy("30s"))), cockatiel: repeat(timeout(30_000, TimeoutStrategy.Aggressive)) },
  ],
  [
    "pipeline: timeout + retry + consecutive breaker",
    { ours: repeat(our({ consecutiveFailures: 5 })), cockatiel: repeat(breakAfter(new ConsecutiveBreaker(5))) },
  ],
  [
    "pipeline: timeout + retry + rolling breaker",
    {
      ours: repeat(our({})),
      cockatiel: repeat(breakAfter(new SamplingBreaker({ threshold: 0.1, duration: 30_000, minimumRps: 5 }))),
    },
  ],
];
