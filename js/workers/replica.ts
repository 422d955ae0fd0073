import { checked, readOther, readState, shapeOf, writeOther, writeState } from "./breaker-states.js";
import type { Shape } from "./breaker-states.js";
import { FORCES } from "./shared-breaker.js";
import type { Force } from "./shared-breaker.js";
import type { Call, CallResult, CoreBreaker, RecoveryState, Reported } from "../core/types.js";
import { answer, given, paceNumbers, replicaStep } from "./program.js";

// In the order of src/wasm/workers/breaker.rs.
const enum Step {
  ReadDue,
  BeginRead,
  EndRead,
  Learn,
  Advance,
  Publish,
  Write,
  Wrote,
  Force,
  IsPublished,
  Check,
  Merge,
}

/** What a task that wants to write is to do. */
export type Write<S> = { now: S; number: number } | { waitMs: number } | "done";

/** One isolate's copy of a breaker whose shared copy lies in KV: when to read, when to write, and what. No I/O here. */
export class Replica<S extends RecoveryState> {
  readonly shape: Shape;
  state: S;
  readonly #pace = Float64Array.of(NaN, 0, NaN, NaN, 0, 0, 0, NaN);

  constructor(breaker: CoreBreaker<S>, state: S) {
    this.shape = shapeOf(breaker);
    this.state = state;
  }

  #step(step: Step, values: number[], other: unknown = this.state): number {
    const { shape } = this;
    writeState(shape, this.state);
    writeOther(shape, other);
    given.set(values);
    paceNumbers.set(this.#pace);
    const code = checked(replicaStep(step, shape.openMs, shape.isRolling), shape, this.state, other);
    this.#pace.set(paceNumbers);
    return code;
  }

  #change(step: Step, values: number[], other?: unknown): void {
    this.#step(step, values, other);
    this.state = readState(this.shape);
  }

  /** Whether the shared copy is to be read first. Saying so begins the read: one that gets lost is not waited for. */
  readDue(now: number): boolean {
    return this.#step(Step.ReadDue, [now]) === 1;
  }

  beginRead(now: number): void {
    this.#step(Step.BeginRead, [now]);
  }

  /** A read has ended, whatever came of it. */
  endRead(): void {
    this.#step(Step.EndRead, []);
  }

  /** A state that was read, if it can be one: an error says what is wrong with it. */
  check(read: unknown, now: number): S {
    if (this.#step(Step.Check, [now], read) === 0) throw new Error("changedAt is far ahead of the clock");
    return readOther(this.shape);
  }

  /** Takes in what was read; `undefined` when nothing usable was there. */
  learn(read: S | undefined): void {
    this.#change(Step.Learn, [read ? 1 : 0], read);
  }

  request(breaker: CoreBreaker<S>, now: number) {
    const { state, verdict } = breaker.request(this.state, now);
    this.#advance(state);
    return { verdict, epoch: state.changedAt };
  }

  report(breaker: CoreBreaker<S>, now: number, result: CallResult, call: Call): Reported {
    const { state, reported } = breaker.report(this.state, now, result, call);
    this.#advance(state);
    return reported;
  }

  #advance(state: S): void {
    if (state !== this.state) this.#change(Step.Advance, [], state);
  }

  force(force: Force, now: number): void {
    this.#change(Step.Force, [FORCES.indexOf(force), now]);
  }

  merge(other: S): S {
    this.#step(Step.Merge, [], other);
    return readState(this.shape);
  }

  /** After how many milliseconds a task is to write, if one has to be started. */
  publish(now: number): number | undefined {
    return this.#step(Step.Publish, [now]) === 1 ? answer[0] : undefined;
  }

  /** What the task that was started for it has to do now. With `now` it begins a write. */
  write(now: number): Write<S> {
    const code = this.#step(Step.Write, [now]);
    if (code === 0) return "done";
    return code === 1 ? { waitMs: answer[0]! } : { now: readOther(this.shape), number: answer[0]! };
  }

  wrote(number: number, now: number, worked: boolean): void {
    this.#step(Step.Wrote, [number, now, worked ? 1 : 0]);
  }

  /** Whether the shared copy has every transition that happened here. */
  isPublished(): boolean {
    return this.#step(Step.IsPublished, []) === 1;
  }
}
