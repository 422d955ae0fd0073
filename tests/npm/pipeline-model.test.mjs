// The retry strategy beside a model that does what the page's steps say, one after another, on random options and outcomes.
// "Page" as in pipeline-retry.test.mjs.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  BrokenCircuitError,
  FakeTimeProvider,
  NonRetryableError,
  PipelineBuilder,
  RateLimiterRejectedError,
  retryStrategy,
} from "retry-primitives-wasm/pipeline";
import { finish, HttpError } from "./support/pipeline.mjs";

/** Park and Miller's generator. */
const seeded = (seed) => () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;

/** One of each kind of outcome, as functions, so that each is an object of its own. */
const OUTCOMES = [
  () => ({ ok: true, value: "fine" }),
  () => ({ ok: true, value: "busy" }),
  () => ({ ok: false, error: new Error("down") }),
  () => ({ ok: false, error: new HttpError(503, { retryAfter: 700 }) }),
  () => ({ ok: false, error: new HttpError(429, { retryAfter: 90_000 }) }),
  () => ({ ok: false, error: new HttpError(404) }),
  () => ({ ok: false, error: new HttpError(408) }),
  () => ({ ok: false, error: new BrokenCircuitError("CIRCUIT_OPEN", 5) }),
  () => ({ ok: false, error: new RateLimiterRejectedError(300) }),
  () => ({ ok: false, error: new NonRetryableError(new Error("no use")) }),
  () => ({ ok: false, error: new DOMException("off", "AbortError") }),
];
/** How often each comes: mostly such as are retried. */
const WEIGHTS = [1, 3, 8, 4, 1, 1, 4, 1, 2, 1, 1];

const scenario = (seed) => {
  const random = seeded(seed);
  const pick = (...values) => values[Math.floor(random() * values.length)];
  const outcome = () => {
    let left = random() * WEIGHTS.reduce((sum, weight) => sum + weight);
    return OUTCOMES[WEIGHTS.findIndex((weight) => (left -= weight) < 0)]();
  };
  const attempts = Array.from({ length: 60 }, () => ({
    takes: pick(0, 0, 5, 250),
    outcome: outcome(),
    generated: pick(undefined, undefined, -1, 0, 40, 20_000),
    consumes: random() > 0.2,
    allowed: random() > 0.05,
    handled: random() > 0.1,
  }));
  const options = {
    maxRetryAttempts: pick(0, 1, 3, 7, Infinity),
    delay: pick(0, 50, 100, 2_000),
    backoffType: pick("constant", "linear", "exponential"),
    factor: pick(1, 1.5, 2, 3),
    maxDelay: pick(Infinity, 60, 5_000),
    useJitter: pick(false, "full", "equal", true),
    initialDelay: pick(0, 0, 30),
    maxRetryTime: pick(Infinity, Infinity, 1_000, 100_000),
    respectRetryAfter: random() > 0.2,
  };
  const draws = Array.from({ length: 200 }, random);
  const uses = Object.fromEntries(
    ["shouldHandle", "delayGenerator", "shouldConsumeRetry", "budget"].map((name) => [name, random() > 0.5]),
  );
  return { attempts, options, draws, uses, idempotent: random() > 0.1 };
};

const growth = (t) => 2 ** t * Math.tanh(Math.sqrt(4 * t));

/** What the page's steps lead to: a log of everything that is called, with the time, and how it ends. */
function model({ attempts, options, draws, uses, idempotent }) {
  const log = [];
  let now = options.initialDelay;
  let [drawn, consumed, reached] = [0, 0, 0];
  const draw = () => draws[drawn++];
  const say = (name, number) => log.push(`${now} ${name} ${number}`);
  const base = () => {
    const { delay, factor, backoffType } = options;
    const grown = { constant: 1, linear: consumed + 1, exponential: factor ** consumed }[backoffType];
    return Math.min(delay * grown, options.maxDelay);
  };
  const formula = () => {
    const { useJitter, maxDelay, delay } = options;
    if (useJitter === "full") return base() * draw();
    if (useJitter === "equal") return base() / 2 + (draw() * base()) / 2;
    if (!useJitter) return base();
    if (options.backoffType !== "exponential") return Math.min(base() * (0.75 + 0.5 * draw()), maxDelay);
    const next = growth(consumed + draw());
    const wait = ((next - reached) * delay) / 1.4;
    return { wait: Math.min(wait, maxDelay), next };
  };
  if (uses.budget) say("request", "");
  const start = now;
  for (let number = 0; ; number++) {
    const { takes, outcome, generated, consumes, allowed, handled } = attempts[number];
    say("call", number);
    now += takes;
    const { ok, error } = outcome;
    const end = error instanceof NonRetryableError ? { ok, error: error.originalError } : outcome;
    if (error instanceof BrokenCircuitError || error instanceof NonRetryableError || !idempotent) return { log, end };
    if (uses.shouldHandle) {
      say("shouldHandle", number);
      if (!handled) return { log, end };
    } else {
      const status = error?.status;
      const refused = error?.name === "AbortError" || error instanceof RateLimiterRejectedError;
      if (ok || refused || (status >= 400 && status < 500 && ![408, 429].includes(status))) return { log, end };
    }
    say("onFailedAttempt", number);
    if (uses.shouldConsumeRetry) say("shouldConsumeRetry", number);
    const counts = !uses.shouldConsumeRetry || consumes;
    if (counts && consumed >= options.maxRetryAttempts) {
      say("onRetryExhausted", number);
      return { log, end };
    }
    if (uses.delayGenerator) say("delayGenerator", number);
    let wait = uses.delayGenerator && generated >= 0 ? generated : undefined;
    let next = reached;
    if (wait === undefined) {
      const made = formula();
      [wait, next] = typeof made === "object" ? [made.wait, made.next] : [made, reached];
    }
    wait = Math.round(wait);
    const asked = options.respectRetryAfter ? (error?.retryAfter ?? 0) : 0;
    wait = Math.max(wait, Math.min(asked, options.maxDelay));
    if (now - start + wait > options.maxRetryTime) {
      say("onRetryExhausted", number);
      return { log, end };
    }
    if (uses.budget) {
      say("budget", number);
      if (!allowed) {
        say("onBudgetExhausted", number);
        return { log, end };
      }
    }
    if (counts) {
      consumed++;
      reached = next;
    }
    say(`onRetry ${wait}`, number);
    now += wait;
  }
}

async function real({ attempts, options, draws, uses, idempotent }) {
  const time = new FakeTimeProvider();
  const log = [];
  let [made, drawn] = [0, 0];
  const say = (name, number) => log.push(`${time.now()} ${name} ${number}`);
  const hook =
    (name, answer = () => {}) =>
    async ({ attemptNumber, delay }) => {
      say(delay === undefined ? name : `${name} ${delay}`, attemptNumber);
      return answer(attempts[attemptNumber]);
    };
  const all = {
    ...options,
    randomizer: () => draws[drawn++],
    onFailedAttempt: hook("onFailedAttempt"),
    onRetry: hook("onRetry"),
    onRetryExhausted: hook("onRetryExhausted"),
    onBudgetExhausted: hook("onBudgetExhausted"),
  };
  if (uses.shouldHandle) all.shouldHandle = hook("shouldHandle", ({ handled }) => handled);
  if (uses.delayGenerator) all.delayGenerator = hook("delayGenerator", ({ generated }) => generated);
  if (uses.shouldConsumeRetry) all.shouldConsumeRetry = hook("shouldConsumeRetry", ({ consumes }) => consumes);
  if (uses.budget) {
    all.budget = {
      request: () => say("request", ""),
      retry: () => {
        say("budget", made - 1);
        return attempts[made - 1].allowed;
      },
    };
  }
  const pipeline = new PipelineBuilder({ timeProvider: time }).add(retryStrategy(all)).build();
  const call = async ({ attemptNumber }) => {
    say("call", attemptNumber);
    const { takes, outcome } = attempts[made++];
    if (takes) await new Promise((resolve) => time.setTimeout(resolve, takes));
    if (outcome.ok) return outcome.value;
    throw outcome.error;
  };
  const { ok, value, error } = await finish(time, pipeline.execute(call, { idempotent }), "9w");
  return { log, end: ok ? { ok, value } : { ok, error } };
}

test("Page, Steps: two thousand random executions go as the steps say", async () => {
  let [calls, kinds] = [0, new Set()];
  for (let seed = 1; seed <= 2_000; seed++) {
    const case_ = scenario(seed * 7_919);
    const [expected, got] = [model(case_), await real(case_)];
    assert.deepEqual(got.log, expected.log, `seed ${seed}`);
    assert.equal(got.end.ok, expected.end.ok, `seed ${seed}`);
    assert.equal(got.end.value, expected.end.value, `seed ${seed}`);
    assert.equal(got.end.error, expected.end.error, `seed ${seed}`);
    calls += expected.log.length;
    kinds.add(expected.log.at(-1).split(" ")[1]);
  }
  // They end in every way there is, and not all at once.
  assert.ok(calls > 10_000, `${calls}`);
  for (const kind of ["call", "shouldHandle", "onRetryExhausted", "onBudgetExhausted"])
    assert.ok(kinds.has(kind), kind);
});
