// A call that succeeds at once through timeout, retry and breaker, beside cockatiel: node benches/js/pipeline.mjs [rounds]
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

const CALLS = 5_000;
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

/** Each a name and what is measured, in nanoseconds a call of `calls`. */
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
export const calls = CALLS;

if (process.argv[1] === import.meta.filename || process.argv[1]?.endsWith("pipeline.mjs")) {
  const rounds = Number(process.argv[2] ?? 40);
  const best = new Map();
  for (let round = 0; round < rounds; round++) {
    for (const [group, sides] of groups) {
      for (const [side, run] of Object.entries(sides)) {
        const started = performance.now();
        await run();
        const ns = ((performance.now() - started) * 1e6) / CALLS;
        const key = `${group} ${side}`;
        best.set(key, Math.min(ns, best.get(key) ?? Infinity));
      }
    }
  }
  console.log(
    "| a call that succeeds at once | ours, ns | cockatiel, ns | cockatiel / ours |\n| --- | --: | --: | --: |",
  );
  for (const [group] of groups) {
    const [mine, peer] = ["ours", "cockatiel"].map((side) => best.get(`${group} ${side}`));
    console.log(`| ${group} | ${mine.toFixed(0)} | ${peer.toFixed(0)} | ${(peer / mine).toFixed(2)} |`);
  }
}
