import { promised } from "../executor/loop.js";
import { Context, type Execution } from "./context.js";
import type { Layer, Next } from "./strategy.js";

const invoke: Next = (context) => {
  const { execution } = context;
  execution.calls++;
  return execution.callback(context);
};

/** Runs an execution through layers, of which the first is the outermost. */
export const compose = (layers: readonly Layer[]): ((execution: Execution) => Promise<unknown>) => {
  const head = layers.reduceRight<Next>((next, layer) => (context) => layer(next, context), invoke);
  const run = (execution: Execution) => {
    execution.signal?.throwIfAborted();
    return head(new Context(execution, execution.signal, 0));
  };
  return layers[0]?.givesOriginalErrors
    ? (execution) => promised(() => run(execution))
    : async (execution) => {
        try {
          return await run(execution);
        } catch (error) {
          throw execution.original(error);
        }
      };
};
