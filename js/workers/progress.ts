import type { Operation } from "./operation.js";
import type { StopReason } from "../core/types.js";

/** How far an operation has come. Moments are milliseconds since 1970. */
export type Progress =
  /** The next attempt is due at `at`, after `attempts` that failed. */
  | { status: "waiting"; at: number; attempts: number }
  /** An attempt is being made, after `attempts` that failed; if it is not settled by `until` it counts as lost. */
  | { status: "running"; until: number; attempts: number }
  /** An attempt succeeded, the last of `attempts`. */
  | { status: "delivered"; attempts: number }
  /** The policy stopped after `attempts`. */
  | { status: "gaveUp"; reason: StopReason; attempts: number }
  /** Somebody called it off, after `attempts` that failed. */
  | { status: "cancelled"; attempts: number };

export const progress = ({ phase, state: { attempts } }: Operation): Progress => {
  const { status } = phase;
  switch (status) {
    case "waiting":
      return { status, at: phase.due, attempts };
    case "running":
      return { status, until: phase.until, attempts };
    case "delivered":
      return { status, attempts: phase.attempts };
    case "gaveUp":
      return { status, reason: phase.reason, attempts: phase.attempts };
    case "cancelled":
      return { status, attempts };
  }
};

/** Whether nothing more will happen. */
export const isOver = ({ phase: { status } }: Operation): boolean => status !== "waiting" && status !== "running";
