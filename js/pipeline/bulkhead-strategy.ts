import { callable, MAX, number } from "../core/options.js";
import { abortable } from "../executor/sleep.js";
import type { ResilienceContext } from "./context.js";
import { BulkheadRejectedError } from "./errors.js";
import { readOptions } from "./read-options.js";
import type { Hook, Strategy } from "./strategy.js";

export interface BulkheadStrategyOptions {
  /** Calls that may be under way at once: a whole number from 1. */
  permitLimit: number;
  /** Calls that may wait for one of them to end: a whole number from 0. Default 0. */
  queueLimit?: number;
  onRejected?: Hook<{ readonly context: ResilienceContext }>;
}

/** Lets so many calls through at once, lets some wait in a row, and refuses the others. */
export const bulkheadStrategy =
  (given: BulkheadStrategyOptions): Strategy<BulkheadRejectedError> =>
  () => {
    const options = readOptions(given);
    const { onRejected } = options;
    const permits = number(options, "permitLimit", 1, MAX, undefined, "whole ");
    const queueLimit = number(options, "queueLimit", 0, Infinity, 0, "whole ");
    if (onRejected !== undefined) callable("onRejected", onRejected);
    let running = 0;
    const queue = new Set<() => void>();

    return async (next, context) => {
      if (running < permits) running++;
      else if (queue.size < queueLimit) {
        // Who ends hands its permit over.
        await abortable<void>((resolve) => {
          const enter = () => resolve();
          queue.add(enter);
          return () => queue.delete(enter);
        }, context.source);
      } else {
        await context.within(onRejected?.({ context }));
        throw new BulkheadRejectedError();
      }
      try {
        // It may have been called off since the permit was handed over.
        context.source?.throwIfAborted();
        return await next(context);
      } finally {
        const [enter] = queue;
        if (enter) {
          queue.delete(enter);
          enter();
        } else running--;
      }
    };
  };
