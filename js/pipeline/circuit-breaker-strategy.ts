import { consecutiveBreaker, forceClose, forceOpen, rollingBreaker } from "../breaker.js";
import { promised, type Settled } from "../executor/loop.js";
import { ABOVE_0, callable, MAX, number } from "../core/options.js";
import type { BreakerStatus, CallResult, CoreBreaker, RecoveryState } from "../core/types.js";
import { duration, type Duration } from "./duration.js";
import type { Context, ResilienceContext } from "./context.js";
import { BrokenCircuitError, isAbortError, isOpenCircuit, isRejection } from "./errors.js";
import { predicate } from "./predicate.js";
import { isTransient } from "./transient.js";
import { readOptions } from "./read-options.js";
import type { Hook, ShouldHandle, Strategy } from "./strategy.js";

export type CircuitState = BreakerStatus | "isolated";

export interface CircuitArguments<T = any> {
  /** Of the call that changed the circuit; none when that was done by hand, or when a call is let through on trial. */
  readonly outcome?: Settled<T>;
  readonly context?: ResilienceContext;
  /** Whether it was done by hand. */
  readonly isManual: boolean;
}

export interface OnCircuitOpenedArguments<T = any> extends CircuitArguments<T> {
  /** How long the circuit stays open, in milliseconds; `Infinity` when it is isolated. */
  readonly breakDuration: number;
}

export interface CircuitBreakerStrategyOptions<T = any> {
  /** Which outcomes are failures of the dependency. Default: as of retry. */
  shouldHandle?: ShouldHandle<T>;
  /** Failures in a row that open the circuit, a whole number from 1; without it the ratio decides. */
  consecutiveFailures?: number;
  /** The share of failures that opens the circuit: above 0, up to 1. Default 0.1. */
  failureRatio?: number;
  /** Calls below which the ratio opens nothing: a whole number from 1. Default 100. */
  minimumThroughput?: number;
  /** The window of the ratio; from 1 ms. Default 30 s. */
  samplingDuration?: Duration;
  /** How long the circuit stays open; from 1 ms. Default 5 s. */
  breakDuration?: Duration;
  onOpened?: Hook<OnCircuitOpenedArguments<T>>;
  onClosed?: Hook<CircuitArguments<T>>;
  onHalfOpened?: Hook<CircuitArguments<T>>;
  manualControl?: CircuitBreakerManualControl;
  stateProvider?: CircuitBreakerStateProvider;
}

/** A circuit as it is changed by hand. */
interface Circuit {
  isolated: boolean;
  change(isolate: boolean): unknown;
}

/** Holds circuits open by hand, and closes them: those of every pipeline that was built with it. */
export class CircuitBreakerManualControl {
  /** @internal */
  readonly circuits = new Set<WeakRef<Circuit>>();
  /** Whether a circuit that is built now is held open. */
  isIsolated = false;

  /** Opens the circuits until `close()`, also such as are built meanwhile; waits for their hooks. */
  async isolate(): Promise<void> {
    await this.#change(true);
  }

  /** Closes the circuits; waits for their hooks. */
  async close(): Promise<void> {
    await this.#change(false);
  }

  async #change(isolate: boolean): Promise<void> {
    this.isIsolated = isolate;
    // All at once, whatever their hooks do.
    const changes = this.#alive().map(async (circuit) => circuit.change(isolate));
    const failed = (await Promise.allSettled(changes)).find(({ status }) => status === "rejected");
    if (failed) throw (failed as PromiseRejectedResult).reason;
  }

  /** @internal */
  add(circuit: Circuit): void {
    this.#alive();
    this.circuits.add(new WeakRef(circuit));
  }

  /** The circuits of pipelines that are still in use; it forgets the others. */
  #alive(): Circuit[] {
    return [...this.circuits].flatMap((reference) => {
      const circuit = reference.deref();
      if (!circuit) this.circuits.delete(reference);
      return circuit ?? [];
    });
  }
}

/** Shows the state of the circuit that was built with it. */
export class CircuitBreakerStateProvider {
  /** @internal */
  read: (() => CircuitState) | undefined;

  /** An open circuit is `open` until a call has been let through on trial. */
  get circuitState(): CircuitState {
    return this.read?.() ?? "closed";
  }
}

/** Whether a call ended because somebody wanted no answer any more: that is no failure, nor a success. */
const isAbort = (error: unknown, { source }: Context): boolean => isAbortError(error) || !!source?.aborted;

/**
 * Stops calls to a dependency that fails, and lets one through after a while. An error of a call that was called off from
 * further out, by the caller, a timeout or hedging, says nothing about the dependency: for its own time to count, add the
 * timeout after the breaker. What `onHalfOpened` throws is thrown in place of the call, and the next one is let through on
 * trial; when `onOpened` or `onClosed` throw, the outcome of the call stands, and `onTelemetry` is told.
 */
export const circuitBreakerStrategy =
  <T = any>(given: CircuitBreakerStrategyOptions<T> = {}): Strategy<BrokenCircuitError> =>
  (time) => {
    const options = readOptions(given);
    const { consecutiveFailures, manualControl, stateProvider } = options;
    const shouldHandle = predicate(options, isTransient);
    for (const name of ["onOpened", "onClosed", "onHalfOpened"] as const) {
      if (options[name] !== undefined) callable(name, options[name]);
    }
    const openMs = duration(options, "breakDuration", 1, 5_000);
    const windowMs = duration(options, "samplingDuration", 1, 30_000);
    const failureRatio = number(options, "failureRatio", ABOVE_0, 1, 0.1);
    const minimumThroughput = number(options, "minimumThroughput", 1, MAX, 100, "whole ");
    const breaker = (
      consecutiveFailures === undefined
        ? rollingBreaker({ windowMs, openMs, failureRatio, minimumThroughput })
        : consecutiveBreaker({ failureThreshold: consecutiveFailures, openMs })
    ) as CoreBreaker<RecoveryState>;
    let state = breaker.init(time.now());

    /** Keeps a state, and tells what it means. */
    const change = (next: RecoveryState, told: CircuitArguments<T>) => {
      const before = state.status;
      state = next;
      if (before === next.status) return;
      if (next.status === "open")
        return options.onOpened?.({ ...told, breakDuration: circuit.isolated ? Infinity : openMs });
      return (next.status === "closed" ? options.onClosed : options.onHalfOpened)?.(told);
    };
    const changeByHand = (isolate: boolean) => {
      const wasIsolated = circuit.isolated;
      circuit.isolated = isolate;
      const { status } = state;
      const now = time.now();
      // Closed by hand, it begins anew; but no call that is under way belongs to that.
      const next = isolate
        ? forceOpen(state, now)
        : { ...breaker.init(now), changedAt: forceClose(state, now).changedAt };
      // An open circuit that becomes isolated has changed too.
      if (isolate && !wasIsolated && status === "open") state = { ...state, status: "closed" };
      return change(next, { isManual: true });
    };
    const circuit: Circuit = { isolated: !!manualControl?.isIsolated, change: changeByHand };
    manualControl?.add(circuit);
    if (stateProvider) stateProvider.read = () => (circuit.isolated ? "isolated" : state.status);

    return async (next, context) => {
      if (circuit.isolated) throw new BrokenCircuitError("CIRCUIT_ISOLATED");
      const { state: admitted, verdict } = breaker.request(state, time.now());
      if (!verdict.ok) throw new BrokenCircuitError("CIRCUIT_OPEN", verdict.retryAfterMs);
      const epoch = admitted.changedAt;
      let outcome: Settled<T> | undefined;
      let result: CallResult = "ignored";
      try {
        const onTrial = change(admitted, { context, isManual: false });
        if (onTrial) await context.within(onTrial);
        try {
          outcome = { ok: true, value: (await next(context)) as T };
        } catch (error) {
          outcome = context.failed(error);
        }
        if (outcome.ok || !isAbort(outcome.error, context)) {
          const handled = shouldHandle({ outcome, context, attemptNumber: context.attemptNumber });
          const failed = typeof handled === "boolean" ? handled : await context.within(handled);
          const refused = !outcome.ok && (isRejection(outcome.error) || isOpenCircuit(outcome.error));
          result = failed ? "failure" : refused ? "ignored" : "success";
        }
      } finally {
        const told = { ...(outcome && { outcome }), context, isManual: false };
        const { state: next } = breaker.report(state, time.now(), result, { epoch });
        if (next.status === state.status) state = next;
        else {
          const hook = promised(() => change(next, told)).catch((error) => context.hookFailed(error));
          // An abort ends the wait for it, and the outcome stands all the same.
          await Promise.resolve(context.within(hook)).catch(() => {});
        }
      }
      if (outcome.ok) return outcome.value;
      throw outcome.error;
    };
  };
