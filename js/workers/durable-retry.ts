import { number } from "../core/options.js";
import { arm, cancel, isDue, postpone, readOperation, settle, start, startOver, wake } from "./operation.js";
import type { Operation, Ticket } from "./operation.js";
import type { ObjectState, ObjectStorage } from "./platform.js";
import { reportError } from "./report.js";
import type { Report } from "./report.js";
import type { CallResult, Policy } from "../core/types.js";
import { judgeFetch } from "./shared-breaker.js";
import type { Admission, SharedBreaker } from "./shared-breaker.js";
import { within } from "./within.js";
import { capable, checkedPolicy, functions } from "./capable.js";
import { deadManMs, putOffUntil } from "./program.js";

/** The storage key of the operation. */
export const OPERATION_KEY = "retry";
/** The storage key of the payload. It is deleted with the delivery, and kept when the operation was given up on. */
export const PAYLOAD_KEY = "payload";

/** One attempt to be made. */
export interface Attempt<P> {
  /** 1 for the first. After a crash the other side may see a number's request and then the next number's. */
  readonly number: number;
  /** What `start` stored. */
  readonly payload: P;
  /** How long it may take. */
  readonly timeoutMs: number;
  /** Fires when the time is up, and once the attempt is over. Pass it to every request. */
  readonly signal: AbortSignal;
}

export interface DurableRetryOptions {
  /** How long one attempt may take, in milliseconds: from 1 to 600,000. Default 10,000. */
  requestTimeoutMs?: number;
  /** The clock. Default `Date.now`. */
  now?: () => number;
  /** Spreads what waits for a breaker, in [0, 1). Default `Math.random`. */
  random?: () => number;
}

/** Which breaker an operation waits for. */
export interface Behind {
  breaker: SharedBreaker;
  /** The dependency's name. */
  name: string;
  /** What an attempt says of the dependency. Default: `judgeFetch`, for HTTP. One that ran out of time is a failure. */
  judge?: (report: Report) => CallResult;
}

/** A judge that throws says nothing of the dependency, and must not undo a delivery. */
const judged = (judge: (report: Report) => CallResult, report: Report): CallResult => {
  try {
    return judge(report);
  } catch {
    return "ignored";
  }
};

/** By storage, the start under way: two of one event may interleave at every await, so each waits for the one before. */
const starts = new WeakMap<ObjectStorage, Promise<unknown>>();

/**
 * One operation that is retried by a Durable Object's alarm until it succeeds or its policy stops.
 *
 * Its state is written, and a dead-man alarm armed with it, before each attempt; after the attempt the state and the
 * next alarm are written together. Wherever the process dies, an alarm is armed and the operation goes on. The other
 * side may see an attempt twice, so send something that tells it.
 *
 * The object's alarm and the two keys belong to it, and hold what the Rust crate's `DurableRetry` stores: either goes
 * on where the other stopped. Don't set an alarm in the object's constructor: that would cancel the one that is armed.
 */
export class DurableRetry<P = unknown> {
  readonly #storage: ObjectStorage;
  readonly #policy: Policy;
  readonly #timeoutMs: number;
  readonly #now: () => number;
  readonly #random: () => number;

  constructor(state: ObjectState, policy: Policy, options: DurableRetryOptions = {}) {
    this.#storage = capable("state.storage", (Object(state) as ObjectState).storage, "get", "put", "setAlarm");
    this.#policy = checkedPolicy(policy);
    ({ now: this.#now, random: this.#random } = functions(options, { now: Date.now, random: Math.random }));
    this.#timeoutMs = number(options, "requestTimeoutMs", 1, 600_000, 10_000);
  }

  /**
   * Begins the operation: stores `payload` and arms the alarm for the first attempt, at once.
   *
   * An operation that is already there is left as it is and returned, so that a call which the platform repeats does
   * not repeat the operation; should it have lost its alarm, that is armed again. `clear` makes room for another. One
   * that can't be read is replaced, its payload with it.
   */
  async start(payload: P): Promise<Operation> {
    if (payload === undefined) throw new TypeError("payload must be a value that can be stored, got undefined");
    const before = starts.get(this.#storage);
    const begun = (async () => {
      await before;
      return this.#begin(payload);
    })();
    starts.set(
      this.#storage,
      begun.catch(() => undefined),
    );
    return begun;
  }

  /**
   * Makes the attempt that is due and stores what comes of it. Call it from the object's `alarm()`.
   *
   * Returns the operation as it stands now, `undefined` when the object holds none. A failed attempt is no error here,
   * and one that throws is a failed attempt. Only the storage's own errors come out: let them escape `alarm()`, the
   * alarm armed last still stands.
   */
  async onAlarm(attempt: (attempt: Attempt<P>) => Report | PromiseLike<Report>): Promise<Operation | undefined> {
    const read = await this.#read();
    if (!read) return undefined;
    const { operation, ticket } = wake(read, this.#policy, this.#now(), deadManMs(this.#timeoutMs));
    const stored = await this.#store(operation);
    if (!ticket) return stored;
    const report = await this.#make(ticket, attempt);

    // Others may have run while the request was out: what was read before it counts no longer.
    const current = await this.#read();
    return current && this.#store(settle(current, this.#policy, ticket, this.#now(), report));
  }

  /**
   * `onAlarm` behind a breaker. While that refuses, the operation is put off to the moment at which it will admit a
   * call, and up to a tenth longer, which spends no attempt.
   *
   * The breaker is asked before the attempt is marked as begun, so its answer takes nothing from the attempt's time,
   * and a process that ends meanwhile has spent nothing.
   */
  async onAlarmBehind(
    { breaker, name, judge = judgeFetch }: Behind,
    attempt: (attempt: Attempt<P>) => Report | PromiseLike<Report>,
  ): Promise<Operation | undefined> {
    const operation = await this.#read();
    // Early, lost or over: nobody is called.
    if (!operation || !isDue(operation, this.#now())) return this.onAlarm(attempt);
    let admission: Admission | undefined;
    try {
      admission = await breaker.request(name);
    } catch {
      // It gets out of the way.
    }
    if (!admission) return this.onAlarm(attempt);
    if (!admission.ok) return this.postpone(putOffUntil(this.#now(), admission.retryAfterMs, this.#random()));
    let result: CallResult = "ignored";
    try {
      return await this.onAlarm(async (made) => {
        result = "failure";
        const report = await attempt(made);
        result = judged(judge, report);
        return report;
      });
    } finally {
      try {
        await breaker.report(admission, result);
      } catch {
        // Nor does that undo a delivery.
      }
    }
  }

  /**
   * The operation as it is stored, for showing. One that can't be read is replaced by a new start, `recovered` saying
   * why; where no alarm is armed that would come to it, it is stored and armed here.
   */
  async operation(): Promise<Operation | undefined> {
    const stored = await this.#stored();
    if (!stored || stored.operation) return stored?.operation;
    return this.#rearm(this.#startOver(stored.problem));
  }

  /** Calls the operation off, and returns it as it stands now. What comes of an attempt that is being made no longer counts. */
  async cancel(): Promise<Operation | undefined> {
    const operation = await this.#read();
    if (!operation) return undefined;
    const cancelled = cancel(operation, this.#now());
    return cancelled === operation ? operation : this.#store(cancelled);
  }

  /** Puts the operation off until a moment, without spending an attempt. The policy's deadline holds. */
  async postpone(until: number): Promise<Operation | undefined> {
    const operation = await this.#read();
    return operation && this.#store(postpone(operation, this.#policy, this.#now(), until));
  }

  /** Forgets the operation, its payload and its alarm. */
  async clear(): Promise<void> {
    const storage = this.#storage;
    await Promise.all([storage.delete(OPERATION_KEY), storage.delete(PAYLOAD_KEY), storage.deleteAlarm()]);
  }

  async #begin(payload: P): Promise<Operation> {
    const stored = await this.#stored();
    if (stored?.operation) return this.#rearm(stored.operation);
    const operation = stored ? this.#startOver(stored.problem) : start(this.#policy, this.#now());
    const writes: Promise<unknown>[] = [];
    const put = this.#storage.put(PAYLOAD_KEY, payload).catch(async (error: unknown) => {
      await Promise.allSettled(writes);
      if (!stored) await this.#undo(operation);
      throw error;
    });
    const [begun] = await Promise.all([this.#store(operation, writes), put]);
    return begun;
  }

  /**
   * A payload that the platform can't store must not leave an operation behind that has none. What others have made of
   * that meanwhile is theirs.
   */
  async #undo({ state }: Operation): Promise<void> {
    const current = (await this.#stored())?.operation;
    const isUntouched = current?.phase.status === "waiting" && current.state.startedAt === state.startedAt;
    if (isUntouched && current.history.length === 0) await this.clear();
  }

  async #stored(): Promise<{ operation: Operation } | { operation?: undefined; problem: unknown } | undefined> {
    const stored = await this.#storage.get(OPERATION_KEY);
    if (stored === undefined) return undefined;
    try {
      return { operation: readOperation(stored) };
    } catch (problem) {
      return { problem };
    }
  }

  #startOver(problem: unknown): Operation {
    return startOver(this.#policy, this.#now(), problem);
  }

  /** The operation to go on with: as it is stored, or begun anew. */
  async #read(): Promise<Operation | undefined> {
    const stored = await this.#stored();
    return stored && (stored.operation ?? this.#startOver(stored.problem));
  }

  /** The platform drops an alarm whose handler failed six times, as it does while the storage is out of order. */
  async #rearm(operation: Operation): Promise<Operation> {
    if (!arm(operation, this.#now()).at || (await this.#storage.getAlarm()) !== null) return operation;
    return this.#store(operation);
  }

  async #make(ticket: Ticket, attempt: (attempt: Attempt<P>) => Report | PromiseLike<Report>): Promise<Report> {
    const payload = await this.#storage.get<P>(PAYLOAD_KEY);
    if (payload === undefined) {
      return { ok: false, outcome: { retryable: false }, error: "the stored payload is gone" };
    }
    const timeoutMs = this.#timeoutMs;
    const controller = new AbortController();
    const made = { number: ticket.attempt, payload, timeoutMs, signal: controller.signal };
    try {
      const report = await within(timeoutMs, async () => attempt(made));
      if (report === undefined) return { ok: false, error: `no answer within ${timeoutMs} ms` };
      return report.value;
    } catch (error) {
      return reportError(error);
    } finally {
      // Also when it ended in time: a body that nobody read would hold its connection.
      controller.abort();
    }
  }

  /**
   * Writes the operation and arms its alarm in one turn, without an await between: the platform commits both or
   * neither. An attempt due at once becomes due when its alarm can fire, so that the two name one instant.
   */
  async #store(given: Operation, writes: Promise<unknown>[] = []): Promise<Operation> {
    const storage = this.#storage;
    // No work between now and the alarm: the platform moves an alarm on whose moment has passed.
    const { operation, at } = arm(given, this.#now());
    writes.push(at === undefined ? storage.deleteAlarm() : storage.setAlarm(at));
    writes.push(storage.put(OPERATION_KEY, operation));
    // Nobody will send it again. One that was given up on keeps it, for a person to look into.
    const { status } = operation.phase;
    if (status === "delivered" || status === "cancelled") writes.push(storage.delete(PAYLOAD_KEY));
    await Promise.all(writes);
    return operation;
  }
}
