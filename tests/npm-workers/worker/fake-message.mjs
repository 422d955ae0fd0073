// A queue's message made up by a test, for delays that no test can wait for: as tests/workers/src/fake_message.rs.
import { constant } from "retry-primitives-wasm/backoff";
import { settle as settleMessage } from "retry-primitives-wasm/workers";

export function settle({ delayMs, maxAttempts, deadlineMs, attempts, ageMs, outcome }) {
  const policy = constant({ delayMs, maxAttempts, deadlineMs, maxDelayMs: Infinity, jitter: "none" });
  const calls = [];
  const message = {
    id: "made up",
    attempts,
    timestamp: new Date(Date.now() - ageMs),
    ack: () => calls.push("ack"),
    retry: (options) => calls.push(options),
  };
  const settled = settleMessage(message, policy, outcome ? { ok: false, outcome } : { ok: true });
  const words = {
    acknowledged: () => "acknowledged",
    retrying: () => `retrying in ${settled.delaySeconds} s after ${settled.attempts}`,
    gaveUp: () => `gave up: ${settled.reason} after ${settled.attempts}`,
  };
  return { settled: words[settled.status](), calls };
}
