// The same semantics written by hand in plain JavaScript, to measure ours against. Kept to what a careful author would
// write: fields checked, whole delays, saturation.
const MAX = Number.MAX_SAFE_INTEGER;
const time = (now) => (now !== now ? 0 : Math.min(Math.max(now, -MAX), MAX));
const isTime = (value) => typeof value === "number" && Math.abs(value) <= MAX;
const isCount = (value) => Number.isSafeInteger(value) && value >= 0;
const refuse = (field) => {
  throw new Error(`state.${field}`);
};

const fibonacci = (n) => {
  let [current, next] = [0, 1];
  for (let index = Math.min(n, 78); index > 0; index--) [current, next] = [next, current + next];
  return current;
};

const CURVES = {
  exponential:
    ({ baseMs, factor = 2 }) =>
    (attempt) =>
      baseMs * Math.pow(factor, attempt - 1),
  decorrelatedJitter:
    ({ baseMs, factor = 3, random }) =>
    (_, previous) => {
      const low = Math.max(baseMs, previous);
      return baseMs + random() * (Math.min(low * factor, Number.MAX_VALUE) - baseMs);
    },
  fibonacci:
    ({ baseMs }) =>
    (attempt) =>
      baseMs * fibonacci(attempt),
  linear:
    ({ baseMs }) =>
    (attempt) =>
      baseMs * attempt,
  constant:
    ({ delayMs }) =>
    () =>
      delayMs,
};

export function policy(name, options) {
  const {
    maxAttempts = Infinity,
    deadlineMs = Infinity,
    maxDelayMs = 30_000,
    jitter = "full",
    random = Math.random,
  } = options;
  const cap = Math.min(Math.floor(maxDelayMs), MAX);
  const curve = CURVES[name]({ ...options, random });
  const jittered = name !== "decorrelatedJitter";
  const next = (state, now, outcome) => {
    const { attempts, startedAt, prevDelayMs } = state;
    if (!isCount(attempts)) refuse("attempts");
    if (!isTime(startedAt)) refuse("startedAt");
    if (!isTime(prevDelayMs) || prevDelayMs < 0) refuse("prevDelayMs");
    const made = Math.min(attempts, MAX - 1) + 1;
    const moved = now - startedAt;
    const elapsed = moved > 0 ? moved : 0;
    const remainingMs = Math.max(deadlineMs - elapsed, 0);
    const stop = (reason) => ({ state, decision: { retry: false, delayMs: 0, attempts: made, remainingMs, reason } });
    if (outcome !== undefined && outcome.retryable === false) return stop("nonRetryable");
    if (made >= maxAttempts) return stop("maxAttempts");
    const asked = outcome === undefined ? undefined : outcome.retryAfterMs;
    const floor = asked > 0 ? Math.min(Math.ceil(asked), MAX) : 0;
    if (elapsed + floor >= deadlineMs) return stop("deadline");
    const plain = curve(made, prevDelayMs);
    let delayMs = plain < cap ? plain : cap;
    if (jittered) {
      if (jitter === "full") delayMs *= random();
      else if (jitter === "equal") delayMs = delayMs / 2 + (delayMs / 2) * random();
    }
    delayMs = Math.max(Math.round(Math.max(delayMs, 0)), floor);
    if (elapsed + delayMs >= deadlineMs) return stop("deadline");
    return {
      state: { attempts: made, startedAt, prevDelayMs: delayMs },
      decision: { retry: true, delayMs, attempts: made, remainingMs },
    };
  };
  return { init: (now) => ({ attempts: 0, startedAt: time(now), prevDelayMs: 0 }), next };
}

/** The closed period of a consecutive or a rolling breaker; opening and trials are not measured. */
export function breaker({ failureThreshold, windowMs, failureRatio = 0.5, minimumThroughput = 20 }) {
  const check = (state) => {
    if (!["closed", "open", "halfOpen"].includes(state.status)) refuse("status");
    if (!isTime(state.changedAt)) refuse("changedAt");
    if (!isCount(state.probes)) refuse("probes");
    if (!isCount(state.successes)) refuse("successes");
    if (windowMs === undefined) {
      if (!isCount(state.failures)) refuse("failures");
      return;
    }
    if (!isTime(state.start)) refuse("start");
    if (!isCount(state.prevOk)) refuse("prevOk");
    if (!isCount(state.prevFail)) refuse("prevFail");
    if (!isCount(state.currOk)) refuse("currOk");
    if (!isCount(state.currFail)) refuse("currFail");
  };
  const roll = (state, now) => {
    const elapsed = Math.max(now - state.start, 0);
    if (elapsed < windowMs) return { ...state };
    const { currOk, currFail } = state;
    if (elapsed >= 2 * windowMs) return { ...state, start: now, prevOk: 0, prevFail: 0, currOk: 0, currFail: 0 };
    return { ...state, start: state.start + windowMs, prevOk: currOk, prevFail: currFail, currOk: 0, currFail: 0 };
  };
  const base = (now) => ({ status: "closed", changedAt: now, probes: 0, successes: 0 });
  return {
    init: (now) =>
      windowMs === undefined
        ? { ...base(now), failures: 0 }
        : { ...base(now), start: now, prevOk: 0, prevFail: 0, currOk: 0, currFail: 0 },
    request(state) {
      check(state);
      if (state.status !== "closed") throw new Error("not measured");
      return { state, verdict: { ok: true, status: "closed", retryAfterMs: 0 } };
    },
    succeed(state, now) {
      check(state);
      if (state.status !== "closed") throw new Error("not measured");
      if (windowMs === undefined) return state.failures === 0 ? state : { ...state, failures: 0 };
      const next = roll(state, now);
      next.currOk += 1;
      return next;
    },
    fail(state, now) {
      const next = windowMs === undefined ? { ...state, failures: state.failures + 1 } : roll(state, now);
      if (windowMs === undefined) return next.failures >= failureThreshold ? { ...next, status: "open" } : next;
      next.currFail += 1;
      const calls = next.currOk + next.currFail;
      return calls >= minimumThroughput && next.currFail / calls >= failureRatio ? { ...next, status: "open" } : next;
    },
  };
}
