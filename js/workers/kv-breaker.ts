import { sleep } from "../executor/sleep.js";
import { callable, number, word } from "../core/options.js";
import type { Background, BindingOf, KvNamespace } from "./platform.js";
import { Replica } from "./replica.js";
import { admission, FORCES, sayOnce } from "./shared-breaker.js";
import type { Admission, Force, SharedBreaker, Snapshot } from "./shared-breaker.js";
import type { Call, CallResult, CoreBreaker, RecoveryState, Reported } from "../core/types.js";
import { capable, functions } from "./capable.js";
import { within } from "./within.js";
import { secondsToLive } from "./program.js";

/** What stands before a dependency's name in its key. */
export const KEY_PREFIX = "breaker:";

const READ_TIMEOUT_MS = 1_000;
const WRITE_TIMEOUT_MS = 10_000;
/** KV answers from its cache for so long; a replica reads no more often. */
const CACHE_SECONDS = 30;
/** How many dependencies an isolate remembers; then the one that was longest not called makes room. */
const MAX_REPLICAS = 1_000;

export interface KvBreakerOptions {
  /**
   * How long KV keeps the state of a dependency that has no transition, in milliseconds: from 0, and a minute at the
   * least. An opening is kept past its end in any case. Default one day.
   */
  keepMs?: number;
  /** The clock. Default `Date.now`. */
  now?: () => number;
}

/** By binding and name; the one called last at the end. It ends with the isolate. */
const replicas = new Map<string, Replica<RecoveryState>>();

/** The binding of that name; an error says what is missing. */
export const binding = <T>(environment: object, name: string, method: string): T => {
  const bound = (Object(environment) as Record<string, T>)[name];
  callable(`the binding ${name}`, (Object(bound) as Record<string, unknown>)[method]);
  return bound!;
};

export const checkedBreaker = <S>(breaker: CoreBreaker<S>): CoreBreaker<S> =>
  capable("breaker", breaker, "init", "request", "report", "peek");

/**
 * The breakers of named dependencies, shared by every isolate that has the same KV namespace, those in Rust among them.
 *
 * Each isolate counts for itself, without I/O. A transition is written to KV after the response; an isolate whose
 * knowledge is 30 s old reads before it answers a request. What is read and what is known is joined.
 *
 * - Cost: a healthy dependency costs one read in 30 s an isolate, and no write. Whatever happens, an isolate writes a
 *   key at most once a second. Refused writes are repeated with the next calls, after 2, 4, 8, 16 and then 32 s.
 * - How late others know: as a rule within 91 s. A read or a write that KV refuses adds its own wait.
 * - Probes: each isolate runs its own trial until it has read of another's.
 * - Failures of KV reach no request. The first of each kind is logged for each dependency.
 * - What an isolate knows goes by the binding's name, which stands for one namespace there, and not by the object, of which
 *   a library that wraps the environment makes another for each request. A test that plays two namespaces in one
 *   process gives their bindings two names.
 */
export class KvBreaker<S extends RecoveryState, Environment extends object = object> implements SharedBreaker {
  readonly #kv: KvNamespace;
  readonly #binding: string;
  readonly #breaker: CoreBreaker<S>;
  readonly #background: Background;
  readonly #keepMs: number;
  readonly #now: () => number;

  /** `background` outlives the response: the context of a fetch, or an object's state. */
  constructor(
    environment: Environment,
    name: BindingOf<Environment, KvNamespace>,
    breaker: CoreBreaker<S>,
    background: Background,
    options: KvBreakerOptions = {},
  ) {
    this.#kv = binding(environment, name, "put");
    this.#binding = name;
    this.#breaker = checkedBreaker(breaker);
    this.#background = capable("background", background, "waitUntil");
    this.#now = functions(options, { now: Date.now }).now;
    this.#keepMs = number(options, "keepMs", 0, Infinity, 86_400_000);
  }

  async request(name: string): Promise<Admission> {
    const replica = this.#replica(name);
    if (replica.readDue(this.#now())) await this.#read(name, replica);
    const { verdict, epoch } = replica.request(this.#breaker, this.#now());
    this.#publish(name, replica);
    return admission(name, verdict, epoch);
  }

  async report({ name, epoch }: Admission, result: CallResult, call?: Pick<Call, "durationMs">): Promise<Reported> {
    const replica = this.#replica(name);
    const reported = replica.report(this.#breaker, this.#now(), result, { ...call, epoch });
    this.#publish(name, replica);
    return reported;
  }

  async peek(name: string): Promise<Snapshot> {
    const replica = this.#replica(name);
    if (replica.readDue(this.#now())) await this.#read(name, replica);
    return this.#snapshot(name, replica.state);
  }

  /**
   * Waits for the write, so that the caller knows. What could not be written, or is held back since KV refused the last
   * write, is an error; it is still in force in this isolate, and tried again with its next calls.
   */
  async force(name: string, force: Force): Promise<Snapshot> {
    word({ force }, "force", FORCES);
    const replica = this.#replica(name);
    replica.beginRead(this.#now());
    await this.#read(name, replica);
    replica.force(force, this.#now());
    const { state } = replica;
    await this.#write(name, replica, 0);
    if (!replica.isPublished()) {
      throw new Error("KV took no write just now; it is in force in this isolate, and tried again");
    }
    return this.#snapshot(name, state);
  }

  /**
   * Those in KV, which are the dependencies that have been open within `keepMs`, and those that this isolate has
   * called; the first thousand of KV.
   */
  async list(): Promise<Snapshot[]> {
    const states = new Map<string, S>();
    for (const [key, { state }] of replicas) {
      const [of, name] = JSON.parse(key) as [string, string];
      if (of === this.#binding) states.set(name, state as S);
    }
    const { keys } = await this.#kv.list({ prefix: KEY_PREFIX });
    // The state lies in the metadata too, so that a list is one call.
    for (const { name: key, metadata } of keys) {
      const name = key.slice(KEY_PREFIX.length);
      const replica = new Replica(this.#breaker, states.get(name) ?? this.#breaker.init(this.#now()));
      try {
        const read = replica.check(metadata, this.#now());
        states.set(name, states.has(name) ? replica.merge(read) : read);
      } catch {
        // Junk, or of a breaker of another kind.
      }
    }
    const sorted = [...states].sort(([one], [other]) => (one < other ? -1 : 1));
    return sorted.map(([name, state]) => this.#snapshot(name, state));
  }

  #replica(name: string): Replica<S> {
    const key = JSON.stringify([this.#binding, name]);
    const known = replicas.get(key) as Replica<S> | undefined;
    replicas.delete(key);
    const fresh = this.#breaker.init(this.#now());
    // A breaker of another kind under the same name starts anew.
    const replica = known?.shape.isRolling === "start" in fresh ? known : new Replica(this.#breaker, fresh);
    if (replicas.size >= MAX_REPLICAS) replicas.delete(replicas.keys().next().value!);
    replicas.set(key, replica as unknown as Replica<RecoveryState>);
    return replica;
  }

  async #read(name: string, replica: Replica<S>): Promise<void> {
    try {
      const options = { type: "text", cacheTtl: CACHE_SECONDS } as const;
      const answer = await within(READ_TIMEOUT_MS, async () => this.#kv.get(KEY_PREFIX + name, options));
      if (!answer) throw new Error("no answer in time");
      replica.learn(this.#parse(name, replica, answer.value));
    } catch (problem) {
      this.#say(name, "a read failed", problem);
    } finally {
      replica.endRead();
    }
  }

  #parse(name: string, replica: Replica<S>, text: string | null): S | undefined {
    if (text === null) return undefined;
    try {
      return replica.check(JSON.parse(text), this.#now());
    } catch (problem) {
      this.#say(name, "junk in the value", problem);
      return undefined;
    }
  }

  /** Starts the task that writes what has to be written. */
  #publish(name: string, replica: Replica<S>): void {
    const waitMs = replica.publish(this.#now());
    if (waitMs === undefined) return;
    const written = this.#write(name, replica, waitMs).catch(() => undefined);
    try {
      this.#background.waitUntil(written);
    } catch (problem) {
      this.#say(name, "its write may be cut off", problem);
    }
  }

  async #write(name: string, replica: Replica<S>, waitMs: number): Promise<void> {
    for (;;) {
      if (waitMs > 0) await sleep(Math.ceil(waitMs));
      const next = replica.write(this.#now());
      if (next === "done") return;
      if ("waitMs" in next) {
        ({ waitMs } = next);
        continue;
      }
      let worked = false;
      try {
        const put = await within(WRITE_TIMEOUT_MS, async () => this.#put(name, next.now));
        if (!put) throw new Error("no answer in time");
        worked = true;
        return;
      } catch (problem) {
        this.#say(name, "a write failed", problem);
        throw problem;
      } finally {
        replica.wrote(next.number, this.#now(), worked);
      }
    }
  }

  #put(name: string, state: S): Promise<void> {
    const expirationTtl = secondsToLive(this.#keepMs, this.#breaker.peek(state, this.#now()).retryAfterMs);
    return this.#kv.put(KEY_PREFIX + name, JSON.stringify(state), { expirationTtl, metadata: state });
  }

  #snapshot(name: string, state: S): Snapshot {
    return snapshot(name, this.#breaker, state, this.#now());
  }

  #say(name: string, kind: string, problem: unknown): void {
    sayOnce(this.#binding, name, kind, problem);
  }
}

export const snapshot = <S extends RecoveryState>(
  name: string,
  breaker: CoreBreaker<S>,
  state: S,
  now: number,
): Snapshot => ({
  name,
  status: state.status,
  since: state.changedAt,
  retryAfterMs: breaker.peek(state, now).retryAfterMs,
});
