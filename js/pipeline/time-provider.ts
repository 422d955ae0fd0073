import { callable } from "../core/options.js";
import type { Timers } from "../executor/sleep.js";

/** A clock with timers. */
export interface TimeProvider extends Timers {
  /** Milliseconds, from any point on. */
  now(): number;
}

/** The platform's timers, and a clock that nobody sets back. */
export const systemTime: TimeProvider = {
  now: () => performance.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (timer) => clearTimeout(timer),
};

/** The option `timeProvider`. */
export const readTimeProvider = (given: TimeProvider | undefined): TimeProvider => {
  if (given === undefined) return systemTime;
  for (const name of ["now", "setTimeout", "clearTimeout"] as const) {
    callable(`timeProvider.${name}`, Object(given)[name]);
  }
  return given;
};
