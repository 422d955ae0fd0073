import * as everything from "retry-primitives-wasm";
import { retryBudget } from "retry-primitives-wasm/budget";
import { retry } from "retry-primitives-wasm/async";

const { constant, consecutiveBreaker, httpOutcome, preview } = everything;
const policy = constant({ delayMs: 5, maxAttempts: 3, jitter: "none" });

export default {
  async fetch() {
    const breaker = consecutiveBreaker({ failureThreshold: 1, openMs: 100 });
    let calls = 0;
    const work = async () => {
      if (++calls < 3) throw new Error("not yet");
      return calls;
    };
    return Response.json({
      waits: preview(policy, 10),
      status: breaker.fail(breaker.init(0), 1).status,
      outcome: httpOutcome(new Response(null, { status: 503, headers: { "retry-after": "7" } }), 0, { method: "POST" }),
      tokens: retryBudget().balance(retryBudget().init(0), 0),
      calls: await retry(work, { policy }),
    });
  },
};
