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
    /** Closes a result that nobody will get. */
    readonly discard?: (value: unknown) => unknown,
  ) {
    this.signal = signal;
    this.idempotent = idempotent;
    this.releases = discard && [];
  }
}

/** One attempt, as its callback and the hooks see it. */
export class Context implements ResilienceContext {
  constructor(
    readonly execution: Execution,
    /** The signal that there is; `undefined` while nobody can abort. */
    public source: AbortSignal | undefined,
    readonly attemptNumber: number,
  ) {}

  get signal(): AbortSignal {
    return (this.source ??= new AbortController().signal);
  }

  get idempotent(): boolean {
    return this.execution.idempotent;
  }

  /** The next attempt. */
  next(): Context {
    return new Context(this.execution, this.source, ++this.execution.attempts);
  }
}

/** A context that can be aborted by itself, and is with its parent. `release` takes our listener off the parent. */
export const abortable = (parent: Context, attempt: Context = parent) => {
  const controller = new AbortController();
  const { source } = parent;
  const abort = () => controller.abort(source!.reason);
  if (source?.aborted) abort();
  else source?.addEventListener("abort", abort, { once: true });
  const remove = () => source?.removeEventListener("abort", abort);
  const { releases } = parent.execution;
  return {
    context: new Context(parent.execution, controller.signal, attempt.attemptNumber),
    abort: (reason: unknown) => controller.abort(reason),
    /** A stream that was handed out goes on, and so does what can abort it. */
    release: (succeeded?: boolean) => void (succeeded && releases && source ? releases.push(remove) : remove()),
  };
};
