import { promised, type Settled } from "../executor/loop.js";
import { callable, MAX, number } from "../core/options.js";
import { after } from "../executor/sleep.js";
import { abortableContext, type ResilienceContext } from "./context.js";
import { duration, type Duration } from "./duration.js";
import { isOpenCircuit, isRejection } from "./errors.js";
import { predicate } from "./predicate.js";
import { isTransient } from "./transient.js";
import { readOptions } from "./read-options.js";
import type { Hook, MaybePromise, ShouldHandle, Strategy } from "./strategy.js";

export interface OnHedgingArguments {
  /** Of the execution. */
  readonly context: ResilienceContext;
  /** Attempts that have begun. */
  readonly attempts: number;
}

export interface HedgingStrategyOptions<T = any> {
  /** Attempts beside the original call: a whole number from 1. Default 1. */
  maxHedgedAttempts?: number;
  /** How long to wait for an attempt before the next begins too: 0 begins all at once, `Infinity` only after a failure. Default 2 s. */
  delay?: Duration;
  /** A wait of its own for each, in place of `delay`. */
  delayGenerator?: (given: OnHedgingArguments) => MaybePromise<Duration>;
  /** Which outcomes are no answer. Default: as of retry. */
  shouldHandle?: ShouldHandle<T>;
  /** Before a further attempt begins. */
  onHedging?: Hook<OnHedgingArguments>;
}

type Attempt = ReturnType<typeof abortableContext>;

/** Makes the call once more while it takes long, or at once when it fails; the first answer wins, and ends the others. */
export const hedgingStrategy =
  <T = any>(given: HedgingStrategyOptions<T> = {}): Strategy =>
  (time) => {
    const options = readOptions(given);
    const { delayGenerator, onHedging } = options;
    const most = number(options, "maxHedgedAttempts", 1, MAX, 1, "whole ");
    const delay = duration(options, "delay", 0, 2_000);
    const shouldHandle = predicate(options, isTransient);
    if (delayGenerator !== undefined) callable("delayGenerator", delayGenerator);
    if (onHedging !== undefined) callable("onHedging", onHedging);

    return (next, context) =>
      new Promise((resolve, reject) => {
        const { execution } = context;
        const running = new Set<Attempt>();
        let attempts = 0;
        let over = false;
        let cancel: (() => void) | undefined;

        const end = (outcome: Settled<unknown>, winner?: Attempt) => {
          if (over) return;
          over = true;
          cancel?.();
          for (const attempt of running) {
            attempt.release();
            attempt.abort(new DOMException("Another attempt was faster", "AbortError"));
          }
          winner?.release(outcome.ok);
          if (outcome.ok) resolve(outcome.value);
          else reject(outcome.error);
        };
        const fail = (error: unknown) => end({ ok: false, error });

        const launch = () => {
          const attempt = abortableContext(context, attempts++ ? ++execution.attempts : context.attemptNumber);
          const { calls } = execution;
          running.add(attempt);
          promised(() => next(attempt.context))
            .then(
              (value): Settled<T> => ({ ok: true, value: value as T }),
              (error) => context.failed(error),
            )
            .then((outcome) => ended(attempt, outcome, calls))
            .catch(fail);
          if (execution.idempotent) plan().catch(fail);
        };

        /** Begins the next attempt when this one takes too long. */
        const plan = async () => {
          if (attempts > most) return;
          const made = attempts;
          const generated = delayGenerator && { delay: await context.within(delayGenerator({ context, attempts })) };
          const wait = generated ? duration(generated, "delay", 0) : delay;
          if (over || attempts !== made || wait === Infinity) return;
          cancel = after(wait, () => hedge().catch(fail), time);
        };

        const hedge = async () => {
          cancel?.();
          if (attempts > most || context.source?.aborted) return;
          const made = attempts;
          await context.within(onHedging?.({ context, attempts }));
          if (!over && attempts === made) launch();
        };

        const ended = async (attempt: Attempt, outcome: Settled<T>, calls: number) => {
          const told = { outcome, context: attempt.context, attemptNumber: attempt.context.attemptNumber };
          const isFinal = !outcome.ok && (execution.isFatal(outcome.error) || isOpenCircuit(outcome.error));
          const handled = !over && !isFinal && !context.source?.aborted && (await context.within(shouldHandle(told)));
          running.delete(attempt);
          if (over) {
            if (outcome.ok) await context.discard(outcome.value);
            return;
          }
          if (!handled) return end(outcome, attempt);
          attempt.release();
          const mayRepeat =
            execution.idempotent || (!outcome.ok && isRejection(outcome.error) && calls === execution.calls);
          if (mayRepeat && attempts <= most) {
            if (outcome.ok) await context.discard(outcome.value);
            await hedge();
            // Called off meanwhile.
            if (!running.size) fail(outcome.ok ? context.signal.reason : outcome.error);
          } else if (!running.size) end(outcome, attempt);
          else if (outcome.ok) await context.discard(outcome.value);
        };

        launch();
      });
  };
