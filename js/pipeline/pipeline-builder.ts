import { compose } from "./compose.js";
import type { TelemetryEvent } from "./context.js";
import { ResiliencePipeline } from "./pipeline.js";
import type { Strategy } from "./strategy.js";
import { systemTime, type TimeProvider } from "./time-provider.js";

export interface PipelineOptions {
  /** Clock and timers of every strategy. Default: the platform's. */
  timeProvider?: TimeProvider;
  /** Is told what strategies report beside their own hooks. */
  onTelemetry?: (event: TelemetryEvent) => void;
}

/** A pipeline in the making. Strategies run in the order in which they are added: the first is the outermost. */
export class PipelineBuilder<Errors = never> {
  readonly #strategies: Strategy<unknown>[] = [];
  readonly #options: PipelineOptions;

  constructor(options: PipelineOptions = {}) {
    this.#options = options;
  }

  /** Adds a strategy further in than those before. */
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
    const { timeProvider = systemTime, onTelemetry } = this.#options;
    return new ResiliencePipeline(compose(this.#strategies.map((strategy) => strategy(timeProvider))), onTelemetry);
  }
}
