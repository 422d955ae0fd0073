import { StateError } from "../core/errors.js";
import { numeric } from "../core/instantiate.js";
import { number } from "../core/options.js";
import { messageOf, readReport } from "./report.js";
import type { Report } from "./report.js";
import type { Decision, Outcome, Policy, RetryState, StopReason } from "../core/types.js";
import { answer, checkRecord, given, operationNumbers as numbers, operationStep, wholeMs } from "./program.js";

/** Where an operation stands. Times are milliseconds since 1970. */
export type Phase =
  /** The next attempt is due at `due`. */
  | { status: "waiting"; due: number }
  /** An attempt began at `since`. Past `until` nobody can still be making it: it was lost. */
  | { status: "running"; since: number; until: number }
  /** An attempt succeeded, the last of `attempts`. */
  | { status: "delivered"; at: number; attempts: number }
  /** The policy stopped. */
  | { status: "gaveUp"; at: number; reason: StopReason; attempts: number }
  /** Somebody called it off. */
  | { status: "cancelled"; at: number };

/** One attempt as the history shows it. */
export interface AttemptRecord {
  /** 1 for the first. */
  attempt: number;
  startedAt: number;
  tookMs: number;
  /** The HTTP status, when there was an answer. */
  status?: number;
  error?: string;
  /** What the server asked for. */
  retryAfterMs?: number;
  /** The wait that was decided after it; not there when it was the last. */
  delayMs?: number;
}

/** One operation as it is stored: the JSON of the Rust crate's `Operation`. */
export interface Operation {
  phase: Phase;
  /** What the policy keeps between attempts. */
  state: RetryState;
  /** The latest 32 attempts, oldest first. */
  history: AttemptRecord[];
  /** What was wrong with the stored operation that this one took the place of. */
  recovered?: string;
}

/** The right to settle one attempt; it is void once the operation has moved on. */
export interface Ticket {
  readonly operation: number;
  readonly attempt: number;
  readonly since: number;
}

const MAX_HISTORY = 32;
const MAX_ERROR_BYTES = 200;

// In the order of src/wasm/workers/operation.rs, as all that follows.
const STATUS = ["waiting", "running", "delivered", "gaveUp", "cancelled"] as const;
const FIELDS = [["due"], ["since", "until"], ["at", "attempts"], ["at", "attempts"], ["at"]];
const REASONS: readonly StopReason[] = ["nonRetryable", "maxAttempts", "deadline"];
const RECORD = ["attempt", "startedAt", "tookMs", "status", "retryAfterMs", "delayMs"] as const;
const enum Step {
  Check,
  Start,
  Wake,
  Ask,
  Deliver,
  Decided,
  PutOff,
  Postpone,
  Cancel,
  Arm,
  IsDue,
}

/** The start of a text, cut between characters. */
export const clip = (text: string): string => {
  const bytes = new Uint8Array(MAX_ERROR_BYTES);
  const { written } = new TextEncoder().encodeInto(text, bytes);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, written));
};

/** The error for a stored field, by its place: `of` is what stands before it. */
const wrong = (of: string, field: string, value: unknown): StateError => {
  const error = new StateError(field, value);
  error.message = error.message.replace("state.", of);
  return error;
};

const write = ({ phase, state }: Pick<Operation, "phase" | "state">): void => {
  const status = STATUS.indexOf(phase.status);
  const [first, second] = (FIELDS[status] ?? []).map((field) =>
    numeric((phase as unknown as Record<string, unknown>)[field]),
  );
  const reason = status === 3 ? REASONS.indexOf((phase as { reason: StopReason }).reason) : 0;
  const { attempts, startedAt, prevDelayMs } = state;
  numbers.set([status, first ?? 0, second ?? 0, reason, numeric(attempts), numeric(startedAt), numeric(prevDelayMs)]);
};

const read = (): Pick<Operation, "phase" | "state"> => {
  const [status, first, second, reason, attempts, startedAt, prevDelayMs] = numbers as unknown as number[];
  const phases: Phase[] = [
    { status: "waiting", due: first! },
    { status: "running", since: first!, until: second! },
    { status: "delivered", at: first!, attempts: second! },
    { status: "gaveUp", at: first!, reason: REASONS[reason!]!, attempts: second! },
    { status: "cancelled", at: first! },
  ];
  return {
    phase: phases[status!]!,
    state: { attempts: attempts!, startedAt: startedAt!, prevDelayMs: prevDelayMs! },
  };
};

/** A step on an operation's numbers: its code, which names a field where one cannot be right. */
const run = (step: Step, { phase, state }: Pick<Operation, "phase" | "state">, ...values: number[]): number => {
  write({ phase, state });
  given.set(values.map(numeric));
  const code = operationStep(step);
  if (code < 0 && code > -100) {
    const index = -1 - code;
    const ofPhase = ["status", ...(FIELDS[STATUS.indexOf(phase.status)] ?? [])];
    const field = index < 3 ? ofPhase[index]! : ["reason", "attempts", "startedAt", "prevDelayMs"][index - 3]!;
    const [of, owner] = index < 4 ? ["phase.", phase] : ["state.", state];
    throw wrong(of, field, (owner as unknown as Record<string, unknown>)[field]);
  }
  return code;
};

const moment = (name: string, value: number, low = -Infinity): number => number({ [name]: value }, name, low, Infinity);

const object = (value: unknown, field: string, of = "operation."): Record<string, unknown> => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong(of, field, value);
  return value as Record<string, unknown>;
};

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

const readRecord = (value: unknown): AttemptRecord => {
  const stored = object(value, "history");
  given.set(RECORD.map((field, index) => (index < 3 || isPresent(stored[field]) ? numeric(stored[field]) : 0)));
  const code = checkRecord();
  if (code < 0) {
    const field = RECORD[-1 - code]!;
    throw wrong("history.", field, stored[field]);
  }
  const { attempt, startedAt, tookMs, status, error, retryAfterMs, delayMs } = stored as unknown as AttemptRecord;
  if (isPresent(error) && typeof error !== "string") throw wrong("history.", "error", error);
  return {
    attempt,
    startedAt,
    tookMs,
    ...(isPresent(status) && { status }),
    ...(isPresent(error) && { error }),
    ...(isPresent(retryAfterMs) && { retryAfterMs }),
    ...(isPresent(delayMs) && { delayMs }),
  } as AttemptRecord;
};

/** The operation that lies in a store; a `StateError` names the field that cannot be right. Begin anew with `startOver`. */
export const readOperation = (value: unknown): Operation => {
  const stored = object(value, "operation", "");
  const phase = object(stored.phase, "phase") as unknown as Phase;
  const state = object(stored.state, "state") as unknown as RetryState;
  run(Step.Check, { phase, state });
  const numbersRead = read();
  if (!Array.isArray(stored.history)) throw wrong("operation.", "history", stored.history);
  const { recovered } = stored;
  if (isPresent(recovered) && typeof recovered !== "string") throw wrong("operation.", "recovered", recovered);
  return {
    ...numbersRead,
    history: stored.history.map(readRecord),
    ...(isPresent(recovered) && { recovered: recovered as string }),
  };
};

/** An operation that begins at `now`, its first attempt due at once. */
export const start = (policy: Policy, now: number): Operation => {
  run(Step.Start, { phase: { status: "waiting", due: 0 }, state: policy.init(moment("now", now)) });
  return { ...read(), history: [] };
};

/**
 * One that begins in place of a stored one that could not be read; `problem` is the error of that, or words. A policy
 * that can't begin has its say after the first attempt: nothing would ever come back to an operation that is not there.
 */
export const startOver = (policy: Policy, now: number, problem: unknown): Operation => {
  let begun: Operation;
  try {
    begun = start(policy, now);
  } catch {
    const startedAt = wholeMs(now);
    begun = {
      phase: { status: "waiting", due: startedAt },
      state: { attempts: 0, startedAt, prevDelayMs: 0 },
      history: [],
    };
  }
  return { ...begun, recovered: clip(`the stored state was unreadable: ${messageOf(problem)}`) };
};

const remember = (operation: Operation, outcome?: Outcome, status?: number, error?: string): Operation => {
  const [attempt, startedAt, tookMs, delayMs] = answer as unknown as [number, number, number, number];
  const { phase, state } = read();
  const isStatus = status !== undefined && (given.set([1, 0, 0, numeric(status), 0, 0]), checkRecord() === 0);
  const retryAfterMs = outcome?.retryAfterMs;
  const record: AttemptRecord = {
    attempt,
    startedAt,
    tookMs,
    ...(isStatus && { status }),
    ...(error !== undefined && { error: clip(error) }),
    ...(isPresent(retryAfterMs) && { retryAfterMs: wholeMs(numeric(retryAfterMs)) }),
    ...(delayMs === delayMs && { delayMs }),
  };
  return { ...operation, phase, state, history: [...operation.history, record].slice(-MAX_HISTORY) };
};

/**
 * An alarm fired at `now`: with a ticket, an attempt is to be made once the operation is stored, and to be settled
 * within `deadManMs` milliseconds, from 0. Without one there is none to be made now: the alarm was early, an attempt got
 * lost, or all is over. An attempt whose time is over was lost with its process, and counts as a plain failure.
 */
export const wake = (
  operation: Operation,
  policy: Policy,
  now: number,
  deadManMs: number,
): { operation: Operation; ticket?: Ticket } => {
  const code = run(Step.Wake, operation, moment("now", now), moment("deadManMs", deadManMs, 0));
  if (code === 0) return { operation };
  const ticket = { operation: answer[0]!, attempt: answer[1]!, since: answer[2]! };
  if (code === 1) return { operation: { ...operation, ...read() }, ticket };
  const lost = { ok: false, error: "the process ended during the attempt" };
  return { operation: settle(operation, policy, ticket, now, lost) };
};

/** What a policy of any making says, as `decided` takes it; one that throws has no say. */
const ask = (policy: Policy, state: RetryState, now: number, outcome: Outcome): number[] => {
  const answered = policy.next(state, now, outcome);
  const { retry, delayMs, attempts, reason } = answered.decision as Decision;
  const index = REASONS.indexOf(reason!);
  if (!retry) return [index < 0 ? NaN : -1 - index, numeric(attempts), 0, 0];
  const { state: next } = answered;
  return [
    delayMs >= 0 ? numeric(delayMs) : NaN,
    numeric(next.attempts),
    numeric(next.startedAt),
    numeric(next.prevDelayMs),
  ];
};

/**
 * Where the attempt of `ticket`, which ended at `now`, leaves the operation. If that has moved on in the meantime, the
 * report changes nothing.
 */
export function settle(operation: Operation, policy: Policy, ticket: Ticket, now: number, report: Report): Operation {
  const named = [moment("now", now), ticket.operation, ticket.attempt, ticket.since];
  if (run(Step.Ask, operation, ...named) === 0) return operation;
  const { ok, outcome = {}, status, error } = readReport(report);
  if (ok) {
    run(Step.Deliver, operation, ...named);
    return remember(operation, undefined, status, error);
  }
  let decided: number[] = [];
  try {
    decided = ask(policy, operation.state, answer[0]!, outcome);
  } catch {
    // As a decision that cannot be right.
  }
  if (decided.length > 0 && run(Step.Decided, operation, ...named, ...decided) === 0) {
    return remember(operation, outcome, status, error);
  }
  run(Step.Decided, operation, ...named, -1, ticket.attempt, 0, 0);
  const words = error === undefined ? "the policy failed" : `the policy failed, after: ${error}`;
  return remember(operation, outcome, status, words);
}

/**
 * Puts a waiting operation off without spending an attempt. Where `until` does not lie before the deadline, the policy
 * stops here.
 */
export const postpone = (operation: Operation, policy: Policy, now: number, until: number): Operation => {
  if (run(Step.PutOff, operation, moment("until", until)) === 0) return operation;
  let remainingMs = Infinity;
  try {
    // Of a failure that is not repeated a policy says what is left, and draws nothing.
    remainingMs = numeric(policy.peek(operation.state, answer[0]!, { retryable: false }).remainingMs);
  } catch {
    // A policy that cannot say has no deadline.
  }
  run(Step.Postpone, operation, moment("now", now), until, remainingMs);
  return { ...operation, ...read() };
};

/** Calls it off, unless it is over. */
export const cancel = (operation: Operation, now: number): Operation => {
  const code = run(Step.Cancel, operation, moment("now", now));
  if (code & 2) return remember(operation, undefined, undefined, "cancelled while it was being made");
  return code & 1 ? { ...operation, ...read() } : operation;
};

/**
 * The moment at which its alarm is to be armed, a whole one after `now` and before 2189, and the operation as it is to be
 * stored with that. No moment: it is over.
 */
export const arm = (operation: Operation, now: number): { operation: Operation; at?: number } => {
  if (run(Step.Arm, operation, moment("now", now)) === 0) return { operation };
  return { operation: { ...operation, ...read() }, at: answer[0]! };
};

/** Whether the next attempt may start. */
export const isDue = (operation: Operation, now: number): boolean =>
  run(Step.IsDue, operation, moment("now", now)) === 1;
