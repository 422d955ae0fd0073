import { binding } from "./kv-breaker.js";
import { word } from "../core/options.js";
import type { BindingOf, ObjectNamespace } from "./platform.js";
import { admission, FORCES, sayOnce } from "./shared-breaker.js";
import type { Admission, Force, SharedBreaker, Snapshot } from "./shared-breaker.js";
import type { BreakerVerdict, Call, CallResult, Reported } from "../core/types.js";
import { within } from "./within.js";

const ANSWER_TIMEOUT_MS = 5_000;
/** How many dependencies a list shows: each is a request to its object. */
export const MAX_LISTED = 100;
/** The object that knows the names of the others. */
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
      admitted = (await this.#ask(name, { ask: "request" })) as Admitted;
      if (typeof admitted?.ok !== "boolean") throw new Error("the object's answer was no verdict");
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
      return ((await this.#ask(name, ask)) as { reported: Reported }).reported;
    } catch (problem) {
      this.#say(name, problem);
      return "stale";
    }
  }

  async peek(name: string): Promise<Snapshot> {
    return { ...((await this.#ask(name, { ask: "peek" })) as Snapshot), name };
  }

  async force(name: string, force: Force): Promise<Snapshot> {
    word({ force }, "force", FORCES);
    const snapshot = (await this.#ask(name, { ask: "force", force })) as Snapshot;
    await this.#enlist(name);
    return { ...snapshot, name };
  }

  /** The first hundred that were ever called, by name. */
  async list(): Promise<Snapshot[]> {
    const { names } = (await this.#ask(INDEX, { ask: "names" })) as { names: string[] };
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
