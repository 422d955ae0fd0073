import { promised, type Settled } from "../executor/loop.js";
import { callable } from "../core/options.js";
import { Execution, type ExecuteOptions, type ResilienceContext, type TelemetryEvent } from "./context.js";
import { outcomeOf, type Outcome } from "./outcome.js";
import { OpenedStreams, streamOf, type OpenedStream, type StreamSource } from "./stream.js";
import type { MaybePromise } from "./strategy.js";

/** Runs callbacks through strategies, the first of which is the outermost. `Errors` are those that it raises. */
export class ResiliencePipeline<Errors = never> {
  readonly #run: (execution: Execution) => Promise<unknown>;
  readonly #report: ((event: TelemetryEvent) => unknown) | undefined;

  /** @internal */
  constructor(run: (execution: Execution) => Promise<unknown>, report?: (event: TelemetryEvent) => unknown) {
    this.#run = run;
    this.#report = report;
  }

  /** The callback's result, or the final error thrown. */
  execute<T>(callback: (context: ResilienceContext) => MaybePromise<T>, options?: ExecuteOptions): Promise<T> {
    return promised(() => this.#run(new Execution(callback, options, this.#report)) as Promise<T>);
  }

  /** The callback's result or the final error, as a value: it never rejects. */
  async settle<T>(
    callback: (context: ResilienceContext) => MaybePromise<T>,
    options?: ExecuteOptions,
  ): Promise<Outcome<T, Errors>> {
    let settled: Settled<T>;
    try {
      settled = { ok: true, value: await this.execute(callback, options) };
    } catch (error) {
      settled = { ok: false, error };
    }
    return outcomeOf(settled);
  }

  /**
   * The items of the callback's stream. The strategies act until its first item is there; what comes later is handed on as it
   * is, an error too. A stream that nobody will read to its end is closed.
   */
  executeStream<T>(
    callback: (context: ResilienceContext) => MaybePromise<AsyncIterable<T>>,
    options?: ExecuteOptions,
  ): AsyncGenerator<T, void, undefined>;
  executeStream<T>(
    callback: (context: ResilienceContext) => MaybePromise<StreamSource<T>>,
    options?: ExecuteOptions,
  ): AsyncGenerator<T, void, undefined>;
  async *executeStream<T>(
    callback: (context: ResilienceContext) => MaybePromise<StreamSource<T>>,
    options?: ExecuteOptions,
  ): AsyncGenerator<T, void, undefined> {
    callable("callback", callback);
    const opened = new OpenedStreams();
    const call = async (context: ResilienceContext) => opened.open(await callback(context));
    const execution = new Execution(call, options, this.#report, opened);
    try {
      const stream = (await this.#run(execution)) as OpenedStream<T>;
      opened.keep(stream);
      yield* streamOf(stream);
    } finally {
      opened.end();
      for (const release of execution.releases!) release();
    }
  }
}
