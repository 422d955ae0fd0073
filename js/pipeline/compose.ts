import { Context, type Execution } from "./context.js";
import { originalError } from "./errors.js";
import type { Layer, Next } from "./strategy.js";

const invoke: Next = (context) => {
  const { execution } = context;
  execution.calls++;
  return execution.callback(context);
};

/** Runs an execution through layers, of which the first is the outermost. */
export const compose = (layers: readonly Layer[]): ((execution: Execution) => Promise<unknown>) => {
  const head = layers.reduceRight<Next>((next, layer) => (context) => layer(next, context), invoke);
  return async (execution) => {
    try {
      return await head(new Context(execution, execution.signal, 0));
    } catch (error) {
      throw originalError(error);
    }
  };
};
