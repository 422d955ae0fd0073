import type { Outcome, Policy } from "./types.js";

/**
 * The waits of an operation in which every attempt fails at once, on an imaginary clock: at most `attempts` of them, and
 * none after the policy has stopped.
 */
export const preview = (policy: Policy, attempts: number, options?: { now?: number; outcome?: Outcome }): number[] => {
  let { now = 0, outcome } = options ?? {};
  const delays: number[] = [];
  let state = policy.init(now);
  while (delays.length < attempts) {
    const step = policy.next(state, now, outcome);
    if (!step.decision.retry) break;
    state = step.state;
    now += step.decision.delayMs;
    delays.push(step.decision.delayMs);
  }
  return delays;
};
