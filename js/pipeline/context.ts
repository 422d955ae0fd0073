import { callable } from "../core/options.js";
import { OwnSignal, signalOf, type Source } from "./own-signal.js";

/** What a callback is told. */
export interface ResilienceContext {
  /** 0 for the original call, then 1, 2, ...: one count for the whole execution. */
  readonly attemptNumber: number;
  /** Aborted when the caller cancels, or when a strategy (timeout, hedging) gives up on this attempt. */
  readonly signal: AbortSignal;
  /** Whether the call may be repeated once it has started. */
  readonly idempotent: boolean;
}

/** What a strategy reports beside its own hooks. */
export interface TelemetryEvent {
  /** `OnRetryBudgetExhausted` and so on. */
  readonly name: string;
  readonly context: ResilienceContext;
}

export type Callback = (context: ResilienceContext) => unknown;

export interface ExecuteOptions {
  /** Cancels the execution. */
  signal?: AbortSignal | undefined;
  /** `false`: never repeat a call that may have reached the dependency. Default `true`. */
  idempotent?: boolean | undefined;
}

/** How a result that is a stream is treated. */
export interface StreamHandling {
  /** Reads the first item. */
  open(value: never): unknown;
  /** Closes a stream that nobody will read. */
  close(value: never): unknown;
}

/** One run of a pipeline. */
export class Execution {
  /** The number of the last attempt. */
  attempts = 0;
  /** How often the callback has been called. */
  calls = 0;
  /** The original error of a `NonRetryableError`, once there was one. */
  fatal: { readonly error: unknown } | undefined;
  /** What is released with the execution's stream; without one, nothing is kept. */
  readonly releases: (() => void)[] | undefined;
  readonly signal: AbortSignal | undefined;
  readonly idempotent: boolean;

  constructor(
    readonly callback: Callback,
    { signal, idempotent = true }: ExecuteOptions = {},
    readonly report?: (event: TelemetryEvent) => void,
    /** When results are streams. */
    readonly stream?: StreamHandling,
  ) {
    callable("callback", callback);
    this.signal = signal;
    this.idempotent = idempotent;
    this.releases = stream && [];
  }
}

/** One attempt, as its callback and the hooks see it. */
export class Context implements ResilienceContext {
  constructor(
    readonly execution: Execution,
    /** What can abort the attempt; `undefined` while nothing can. */
    public source: Source | undefined,
    readonly attemptNumber: number,
  ) {}

  get signal(): AbortSignal {
    return signalOf((this.source ??= new AbortController().signal));
  }

  /** Closes a result that nobody will get. */
  discard(value: unknown): unknown {
    return this.execution.stream?.close(value as never);
  }

  get idempotent(): boolean {
    return this.execution.idempotent;
  }

  /** The next attempt. */
  next(): Context {
    return new Context(this.execution, this.source, ++this.execution.attempts);
  }
}

/** A context that can be aborted by itself, and is with its parent. */
export const abortableContext = (parent: Context, attemptNumber = parent.attemptNumber) => {
  const { execution, source } = parent;
  const own = new OwnSignal(source);
  return {
    context: new Context(execution, own, attemptNumber),
    abort: (reason: unknown) => own.abort(reason),
    /** Leaves the parent's signal alone. A stream that was handed out can still be aborted, until it ends. */
    release: (succeeded?: boolean) => {
      if (succeeded && execution.releases) execution.releases.push(() => own.release());
      else own.release();
    },
  };
};
