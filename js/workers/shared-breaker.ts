import { messageOf } from "./report.js";
import type { Report } from "./report.js";
import type { BreakerStatus, BreakerVerdict, Call, CallResult, Reported } from "../core/types.js";
import { isHostIll, queueSeconds } from "./program.js";

/** Whether a call may go out; give it back with the call's outcome. */
export interface Admission extends BreakerVerdict {
  /** The dependency's name. */
  readonly name: string;
  /** `changedAt` of the state that admitted the call. */
  readonly epoch: number;
  /** The breaker could not be asked: the call goes out, and is not counted. */
  readonly blind: boolean;
  /** `retryAfterMs` in whole seconds, rounded up, at most a queue's 86,400: for a `Retry-After` header, or a message's `retry`. */
  readonly retryAfterSeconds: number;
}

/** A breaker as it stands, for showing. */
export interface Snapshot {
  name: string;
  /** It stays open past its open time, until the next call asks. */
  status: BreakerStatus;
  /** Since when, in milliseconds since 1970. */
  since: number;
  /** Milliseconds until a call may be admitted; 0 when one would be now. */
  retryAfterMs: number;
}

/**
 * What an administrator can do: refuse calls for the open time, let them through, or let them through and forget what
 * was counted. Each is a transition of its own, and wins over what other isolates have not seen yet.
 */
export type Force = "open" | "close" | "reset";

export const FORCES: readonly Force[] = ["open", "close", "reset"];

/**
 * The circuit breakers of named dependencies, shared by isolates. Neither `request` nor `report` fails: where the store
 * does, the breaker says so in the log and gets out of the way.
 */
export interface SharedBreaker {
  /** Asks whether a call to the dependency may go out now. Report how each admitted call ended. */
  request(name: string): Promise<Admission>;
  /** Records how an admitted call ended, and says whether that counted. */
  report(admission: Admission, result: CallResult, call?: Pick<Call, "durationMs">): Promise<Reported>;
  /** How the breaker stands, with nothing advanced. */
  peek(name: string): Promise<Snapshot>;
  /** Opens, closes or resets the breaker by hand; returns it as it stands then. */
  force(name: string, force: Force): Promise<Snapshot>;
  /** The breakers that the store knows of, by name. */
  list(): Promise<Snapshot[]>;
}

export const admission = (name: string, verdict: BreakerVerdict, epoch: number, blind = false): Admission =>
  Object.freeze({ ...verdict, name, epoch, blind, retryAfterSeconds: queueSeconds(verdict.retryAfterMs) });

/**
 * What an HTTP attempt says of its host. No answer in time, no connection, any 5xx, 408 and 429 are failures; every
 * other status is a success, since the host is there and answers: a 404 is the request's fault.
 */
export const judgeFetch = ({ ok, status }: Report): CallResult => (isHostIll(status, ok) ? "failure" : "success");

/** What has been said in this isolate, by dependency and kind of problem. */
const said = new Set<string>();

/** Logs a problem the first time that one of its kind meets a dependency in this isolate. */
export const sayOnce = (binding: string, name: string, kind: string, problem: unknown): void => {
  const key = JSON.stringify([binding, name, kind]);
  if (said.size >= 1_000 || said.has(key)) return;
  said.add(key);
  const [line] = messageOf(problem).split("\n", 1);
  console.error(`breaker ${name} in ${binding}: ${kind}: ${line}. Calls go on. This is said once.`);
};
