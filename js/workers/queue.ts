import type { QueueMessage } from "./platform.js";
import type { Report } from "./report.js";
import type { Policy, StopReason } from "../core/types.js";
import { attemptsBefore, queueSeconds } from "./program.js";

/** What became of a message. */
export type Settled =
  /** It is done with, and acknowledged. */
  | { status: "acknowledged" }
  /** It will be delivered again after so many seconds, at most 86,400. */
  | { status: "retrying"; delaySeconds: number; attempts: number }
  /**
   * The policy stopped. The message is not settled, so that it can be kept first: acknowledge it, or ask for a retry to
   * let the queue's own `max_retries` move it to the dead-letter queue. Left as it is, it counts as acknowledged.
   */
  | { status: "gaveUp"; reason: StopReason; attempts: number };

/**
 * Settles a message on the report of its work: acknowledges it, asks for another delivery after the policy's delay, or
 * says that the policy stopped.
 *
 * A queue counts deliveries itself and does not tell the wait before, so a curve that leans on it (decorrelated jitter)
 * starts from its base each time. The policy's deadline counts from the moment the message was sent. Keep its attempts
 * at or below the queue's own `max_retries + 1`, or the queue ends first.
 */
export const settle = (
  message: QueueMessage,
  policy: Policy,
  report: Report,
  { now = Date.now }: { now?: () => number } = {},
): Settled => {
  if (report.ok) {
    message.ack();
    return { status: "acknowledged" };
  }
  const { attempts, timestamp } = message;
  if (typeof attempts !== "number") throw new TypeError(`message.attempts must be a number, got ${typeof attempts}`);
  const state = { attempts: attemptsBefore(attempts), startedAt: timestamp.getTime(), prevDelayMs: 0 };
  const { decision } = policy.next(state, now(), report.outcome);
  if (!decision.retry) return { status: "gaveUp", reason: decision.reason!, attempts: decision.attempts };
  const delaySeconds = queueSeconds(decision.delayMs);
  message.retry({ delaySeconds });
  return { status: "retrying", delaySeconds, attempts: decision.attempts };
};
