import { STATUS } from "./breaker-states.js";
import { binding } from "./kv-breaker.js";
import { word } from "../core/options.js";
import type { BindingOf, ObjectNamespace } from "./platform.js";
import { admission, FORCES, sayOnce } from "./shared-breaker.js";
import type { Admission, Force, SharedBreaker, Snapshot } from "./shared-breaker.js";
import type { BreakerStatus, BreakerVerdict, Call, CallResult, Reported } from "../core/types.js";
import { within } from "./within.js";

const ANSWER_TIMEOUT_MS = 5_000;
/** How many dependencies a list shows: each is a request to its object. */
export const MAX_LISTED = 100;
/** The object that knows the names of the others; a dependency of that name has its breaker beside them. */
const INDEX = "_index";

/** What a breaker's object is asked: JSON in the body of a POST, the same in Rust. */
export type Ask =
  | { ask: "request" | "peek" | "listed" | "names" }
  | { ask: "report"; result: CallResult; epoch: number; durationMs?: number }
  | { ask: "force"; force: Force }
  | { ask: "add"; name: string };

/** The answer to `request`. */
export interface Admitted extends BreakerVerdict {
  epoch: number;
  /** The index does not have the name yet. */
  unlisted: boolean;
}

const REPORTED: readonly Reported[] = ["counted", "ignored", "stale"];

/** The object's answer, if these fields are what they must be: what is there may be of another version, or no breaker. */
const answered = <T>(answer: unknown, right: (answer: Record<keyof T, unknown>) => boolean): T => {
  if (!right(Object(answer) as T & object)) throw new Error("the object's answer was none to this question");
  return answer as T;
};

const isSnapshot = ({ status, since, retryAfterMs }: Record<keyof Snapshot, unknown>): boolean =>
  STATUS.includes(status as BreakerStatus) && typeof since === "number" && typeof retryAfterMs === "number";

/**
 * The breakers of named dependencies, each kept by one Durable Object: exact, for a request to the object before and
 * after each call. The object's class consists of a `BreakerObject`, here or in Rust.
 *
 * An object that can't be reached within 5 s stops no call: it goes out, uncounted, and `blind` says so. The first time
 * is logged for each dependency.
 */
export class ObjectBreaker<Environment extends object = object> implements SharedBreaker {
  readonly #namespace: ObjectNamespace;
  readonly #binding: string;

  constructor(environment: Environment, name: BindingOf<Environment, ObjectNamespace>) {
    this.#namespace = binding(environment, name, "idFromName");
    this.#binding = name;
  }

  async request(name: string): Promise<Admission> {
    let admitted;
    try {
      admitted = answered<Admitted>(
        await this.#ask(name, { ask: "request" }),
        ({ ok, epoch, status, retryAfterMs }) =>
          typeof ok === "boolean" && isSnapshot({ name, status, since: epoch, retryAfterMs }),
      );
    } catch (problem) {
      this.#say(name, problem);
      return admission(name, { ok: true, status: "closed", retryAfterMs: 0 }, 0, true);
    }
    const { ok, status, retryAfterMs, epoch, unlisted } = admitted;
    if (unlisted) await this.#enlist(name).catch((problem: unknown) => this.#say(name, problem));
    return admission(name, { ok, status, retryAfterMs }, epoch);
  }

  async report(
    { name, blind, epoch }: Admission,
    result: CallResult,
    { durationMs }: Pick<Call, "durationMs"> = {},
  ): Promise<Reported> {
    if (blind) return "stale";
    try {
      const ask = { ask: "report", result, epoch, ...(durationMs !== undefined && { durationMs }) } as const;
      return answered<{ reported: Reported }>(await this.#ask(name, ask), ({ reported }) =>
        REPORTED.includes(reported as Reported),
      ).reported;
    } catch (problem) {
      this.#say(name, problem);
      return "stale";
    }
  }

  async peek(name: string): Promise<Snapshot> {
    return { ...answered<Snapshot>(await this.#ask(name, { ask: "peek" }), isSnapshot), name };
  }

  async force(name: string, force: Force): Promise<Snapshot> {
    word({ force }, "force", FORCES);
    const snapshot = answered<Snapshot>(await this.#ask(name, { ask: "force", force }), isSnapshot);
    await this.#enlist(name);
    return { ...snapshot, name };
  }

  /** The first hundred that were ever called, by name. */
  async list(): Promise<Snapshot[]> {
    const { names } = answered<{ names: string[] }>(await this.#ask(INDEX, { ask: "names" }), ({ names }) =>
      Array.isArray(names),
    );
    const snapshots = [];
    for (const name of names) snapshots.push(await this.peek(name));
    return snapshots;
  }

  async #ask(name: string, ask: Ask): Promise<unknown> {
    const stub = this.#namespace.get(this.#namespace.idFromName(name) as never);
    const answer = await within(ANSWER_TIMEOUT_MS, async () => {
      const response = await stub.fetch("https://breaker/", { method: "POST", body: JSON.stringify(ask) });
      if (response.status !== 200) throw new Error(`the object answered ${response.status}`);
      return response.json();
    });
    if (!answer) throw new Error("the object did not answer in time");
    return answer.value;
  }

  /** Enters the name in the index and tells its object. What fails here comes again with the next call. */
  async #enlist(name: string): Promise<void> {
    await this.#ask(INDEX, { ask: "add", name });
    await this.#ask(name, { ask: "listed" });
  }

  #say(name: string, problem: unknown): void {
    sayOnce(this.#binding, name, "its object failed", problem);
  }
}
