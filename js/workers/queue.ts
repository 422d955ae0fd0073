import { settle as settleOperation } from "./operation.js";
import type { Operation } from "./operation.js";
import type { QueueMessage } from "./platform.js";
import { readReport } from "./report.js";
import type { Report } from "./report.js";
import { MAX, number } from "../core/options.js";
import type { Policy, StopReason } from "../core/types.js";
import { capable, checkedPolicy, functions } from "./capable.js";
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
 *
 * As with `DurableRetry`, a report that does not say whether the work was done is a failure, and a policy that throws or
 * decides what cannot be gives up, as `nonRetryable`. Errors: a message, a policy or an option that is none.
 */
export const settle = (
  message: QueueMessage,
  policy: Policy,
  report: Report,
  options: { now?: () => number } = {},
): Settled => {
  const { now } = functions(options, { now: Date.now });
  capable("message", message, "ack", "retry");
  checkedPolicy(policy);
  const read = readReport(report);
  if (read.ok) {
    message.ack();
    return { status: "acknowledged" };
  }
  const facts = {
    "message.attempts": message.attempts,
    "message.timestamp": capable("message.timestamp", message.timestamp, "getTime").getTime(),
  };
  const attempts = attemptsBefore(number(facts, "message.attempts", 0, MAX, undefined, "whole "));
  const startedAt = number(facts, "message.timestamp", -MAX, MAX);
  const operation: Operation = {
    phase: { status: "running", since: 0, until: 0 },
    state: { attempts, startedAt, prevDelayMs: 0 },
    history: [],
  };
  const ticket = { operation: startedAt, attempt: attempts + 1, since: 0 };
  const { phase, state, history } = settleOperation(operation, policy, ticket, now(), read);
  if (phase.status === "gaveUp") return { status: "gaveUp", reason: phase.reason, attempts: phase.attempts };
  const delaySeconds = queueSeconds(history[0]!.delayMs!);
  message.retry({ delaySeconds });
  return { status: "retrying", delaySeconds, attempts: state.attempts };
};
