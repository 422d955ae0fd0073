import { callable } from "../core/options.js";
import { promised, type Settled } from "../executor/loop.js";
import { unlessAborted } from "../executor/sleep.js";
import { isNonRetryableError } from "./errors.js";
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
  /** `OnRetryBudgetExhausted`, or `OnHookFailed`: a hook threw when the outcome of the call was certain, which stands. */
  readonly name: string;
  readonly context: ResilienceContext;
  /** What the hook threw. */
  readonly error?: unknown;
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
  close(value: never): Promise<unknown>;
}

/** One run of a pipeline. */
export class Execution {
  /** The number of the last attempt. */
  attempts = 0;
  /** How often the callback has been called. */
  calls = 0;
  /** The original errors of every `NonRetryableError`. */
  #fatal: Set<unknown> | undefined;
  /** What is released with the execution's stream; without one, nothing is kept. */
  readonly releases: (() => void)[] | undefined;
  readonly signal: AbortSignal | undefined;
  readonly idempotent: boolean;

  constructor(
    readonly callback: Callback,
    { signal, idempotent = true }: ExecuteOptions = {},
    readonly onTelemetry?: (event: TelemetryEvent) => unknown,
    /** When results are streams. */
    readonly stream?: StreamHandling,
  ) {
    callable("callback", callback);
    this.signal = signal;
    this.idempotent = idempotent;
    this.releases = stream && [];
  }

  /** Tells of an event. What comes of that concerns nobody. */
  report(event: TelemetryEvent): void {
    promised(() => this.onTelemetry?.(event)).catch(() => {});
  }

  /** What the caller receives of what was thrown: of a `NonRetryableError` the original, which is final. */
  original(error: unknown): unknown {
    if (!isNonRetryableError(error)) return error;
    (this.#fatal ??= new Set()).add(error.originalError);
    return error.originalError;
  }

  /** Whether an original error must not be followed by another attempt. */
  isFatal(error: unknown): boolean {
    return !!this.#fatal?.has(error);
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
    return this.within(this.execution.stream?.close(value as never));
  }

  /** What a hook gives, unless the attempt is called off while it is waited for. */
  within<T>(given: T | PromiseLike<T>): T | PromiseLike<T> {
    const isPromise = typeof (given as PromiseLike<T> | undefined)?.then === "function";
    return isPromise && !this.source?.aborted ? unlessAborted(given, this.source) : given;
  }

  /** A failure, as every strategy sees it. */
  failed(error: unknown): Settled<never> {
    return { ok: false, error: this.execution.original(error) };
  }

  /** Reports a hook that failed where the outcome of the call stands. */
  hookFailed(error: unknown): void {
    this.execution.report({ name: "OnHookFailed", context: this, error });
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
    /** Leaves no listener on the parent's signal; but a stream that was handed out may need it until it ends. */
    release: (succeeded?: boolean) => {
      if (succeeded && execution.releases) execution.releases.push(() => own.release());
      else own.release();
    },
  };
};
