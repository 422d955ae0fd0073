import { capable, functions } from "./capable.js";
import { checkedBreaker, snapshot } from "./kv-breaker.js";
import { MAX_LISTED } from "./object-breaker.js";
import type { Admitted, Ask } from "./object-breaker.js";
import { word } from "../core/options.js";
import type { ObjectState, ObjectStorage } from "./platform.js";
import { Replica } from "./replica.js";
import { FORCES } from "./shared-breaker.js";
import type { CallResult, CoreBreaker, RecoveryState } from "../core/types.js";

const STATE_KEY = "breaker";
const LISTED_KEY = "listed";
const NAME_PREFIX = "name:";
const RESULTS: readonly CallResult[] = ["success", "failure", "ignored"];
const ASKS: readonly Ask["ask"][] = ["request", "peek", "listed", "names", "report", "force", "add"];

interface Known<S> {
  readonly state: S;
  readonly listed: boolean;
}

/** What was asked; an error says that it was no question. */
const parse = (text: string): Ask => {
  const ask = JSON.parse(text) as Ask;
  word(Object(ask) as object, "ask", ASKS);
  if (ask.ask === "report") {
    word(ask, "result", RESULTS);
    if (typeof ask.epoch !== "number") throw new TypeError("epoch must be a number");
  }
  if (ask.ask === "force") word(ask, "force", FORCES);
  if (ask.ask === "add" && typeof ask.name !== "string") throw new TypeError("name must be a string");
  return ask;
};

/**
 * What a Durable Object class of an `ObjectBreaker` consists of: keep it in the object, and let it `handle` every
 * request. It stores and answers what the Rust crate's does.
 *
 * Each change is made in memory in one go and stored before the answer leaves, so neither two callers at once nor the
 * end of the object lose any. A healthy dependency under a consecutive breaker writes nothing.
 */
export class BreakerObject<S extends RecoveryState> {
  readonly #storage: ObjectStorage;
  readonly #breaker: CoreBreaker<S>;
  readonly #now: () => number;
  #known: Known<S> | undefined;

  constructor(state: ObjectState, breaker: CoreBreaker<S>, options: { now?: () => number } = {}) {
    this.#storage = capable("state.storage", (Object(state) as ObjectState).storage, "get", "put");
    this.#breaker = checkedBreaker(breaker);
    this.#now = functions(options, { now: Date.now }).now;
  }

  /** Answers a request of an `ObjectBreaker`. Only the storage's own errors come out: let them escape `fetch`. */
  async handle(request: { text(): Promise<string> }): Promise<Response> {
    const text = await request.text();
    let ask: Ask;
    try {
      ask = parse(text);
    } catch {
      return new Response("not a question for a breaker", { status: 400 });
    }
    if (ask.ask === "add") {
      await this.#storage.put(NAME_PREFIX + ask.name, true);
      return Response.json(null);
    }
    if (ask.ask === "names") return Response.json({ names: await this.#names() });

    // From here on there is no await before the new state is in memory: nobody else comes in between.
    const { state, listed } = this.#known ?? (await this.#load());
    const now = this.#now();
    switch (ask.ask) {
      case "request": {
        const { state: next, verdict } = this.#breaker.request(state, now);
        const admitted: Admitted = { ...verdict, epoch: next.changedAt, unlisted: !listed };
        return this.#answer(state, next, admitted);
      }
      case "report": {
        const { result, epoch, durationMs } = ask;
        const call = typeof durationMs === "number" ? { epoch, durationMs } : { epoch };
        const { state: next, reported } = this.#breaker.report(state, now, result, call);
        return this.#answer(state, next, { reported });
      }
      case "force": {
        const replica = new Replica(this.#breaker, state);
        replica.force(ask.force, now);
        return this.#answer(state, replica.state, snapshot("", this.#breaker, replica.state, now));
      }
      case "listed":
        this.#known = { state, listed: true };
        await this.#storage.put(LISTED_KEY, true);
        return Response.json(null);
      default:
        return Response.json(snapshot("", this.#breaker, state, now));
    }
  }

  async #answer(before: S, state: S, answer: object): Promise<Response> {
    if (state !== before) await this.#store(state);
    return Response.json(answer);
  }

  async #load(): Promise<Known<S>> {
    // The platform lets no other event in while a read of the storage is under way.
    const [listed, stored] = await Promise.all([this.#storage.get(LISTED_KEY), this.#storage.get(STATE_KEY)]);
    if (this.#known) return this.#known;
    const fresh = this.#breaker.init(this.#now());
    this.#known = { state: fresh, listed: listed === true };
    if (stored !== undefined) {
      try {
        const state = new Replica(this.#breaker, fresh).check(stored, Infinity);
        return (this.#known = { ...this.#known, state });
      } catch (problem) {
        console.error(
          `the breaker's stored state was unreadable, it starts over: ${(problem as Error).message.split("\n", 1)}`,
        );
      }
    }
    // Stored although nothing has happened: the epoch of the calls that it admits must outlive the object.
    await this.#store(fresh);
    return this.#known ?? { state: fresh, listed: listed === true };
  }

  async #store(state: S): Promise<void> {
    this.#known = { state, listed: this.#known?.listed ?? false };
    try {
      await this.#storage.put(STATE_KEY, state);
    } catch (error) {
      // What is in memory is ahead of the storage: read it again.
      this.#known = undefined;
      throw error;
    }
  }

  async #names(): Promise<string[]> {
    const keys = await this.#storage.list({ prefix: NAME_PREFIX, limit: MAX_LISTED });
    return [...keys.keys()].map((key) => key.slice(NAME_PREFIX.length));
  }
}
