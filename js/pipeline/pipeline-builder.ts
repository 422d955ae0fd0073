import { callable } from "../core/options.js";
import { compose } from "./compose.js";
import type { TelemetryEvent } from "./context.js";
import { ResiliencePipeline } from "./pipeline.js";
import type { Strategy } from "./strategy.js";
import { readTimeProvider, type TimeProvider } from "./time-provider.js";

export interface PipelineOptions {
  /** Clock and timers of every strategy. Default: the platform's. */
  timeProvider?: TimeProvider;
  /** Is told what strategies report beside their own hooks. Nobody waits for it, and what it throws is dropped. */
  onTelemetry?: (event: TelemetryEvent) => unknown;
}

/** A pipeline in the making. Strategies run in the order in which they are added: the first is the outermost. */
export class PipelineBuilder<Errors = never> {
  readonly #strategies: Strategy<unknown>[] = [];
  readonly #options: PipelineOptions;

  constructor(options: PipelineOptions = {}) {
    this.#options = options;
  }

  /**
   * Adds a strategy further in than those before. It changes this builder, and gives it back under the type that knows the
   * new errors: a second name for a builder is no copy of it.
   */
  add<More>(strategy: Strategy<More>): PipelineBuilder<Errors | More> {
    this.#strategies.push(strategy);
    return this as never;
  }

  /**
   * The pipeline. Options are checked here, and every pipeline that is built has states of its own.
   *
   * @throws RangeError or TypeError for an option, under its name.
   */
  build(): ResiliencePipeline<Errors> {
    const { timeProvider, onTelemetry } = this.#options;
    if (onTelemetry !== undefined) callable("onTelemetry", onTelemetry);
    const time = readTimeProvider(timeProvider);
    return new ResiliencePipeline(compose(this.#strategies.map((strategy) => strategy(time))), onTelemetry);
  }
}
