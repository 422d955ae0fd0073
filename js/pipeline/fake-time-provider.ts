import { duration, type Duration } from "./duration.js";
import type { TimeProvider } from "./time-provider.js";

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

declare const setImmediate: ((callback: () => void) => unknown) | undefined;

/** A task of its own, by a message: a browser's timers would wait for milliseconds. */
const post = (callback: () => void): void => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    callback();
  };
  port2.postMessage(0);
};

/** workerd takes a message that a request waits for as a request that hangs, and its timers come at once. */
const isWorkerd = globalThis.navigator?.userAgent === "Cloudflare-Workers";

/** Taken now: what replaces timers in a test does not replace this one. */
const later =
  typeof setImmediate === "function"
    ? setImmediate
    : typeof MessageChannel === "function" && !isWorkerd
      ? post
      : setTimeout;

/** Lets everything run that waits for nothing but promises. */
const settled = () => new Promise<void>((resolve) => void later(resolve));

/** A clock for tests that moves only when it is told to. */
export class FakeTimeProvider implements TimeProvider {
  #now: number;
  readonly #timers = new Set<Timer>();

  /** `now` is what the clock shows at first, in milliseconds. */
  constructor(now = 0) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, ms: number): Timer {
    const timer = { at: this.#now + (ms > 0 ? ms : 0), callback };
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(timer: Timer): void {
    this.#timers.delete(timer);
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#timers.size;
  }

  /**
   * Moves the clock on. Each timer that falls due is called at its own time, in order, and what follows from it runs before
   * the next: a wait that begins on the way ends on the way too.
   */
  async advance(by: Duration): Promise<void> {
    const end = this.#now + duration({ by }, "by", 0);
    await settled();
    for (let timer = this.#due(end); timer; timer = this.#due(end)) {
      this.#timers.delete(timer);
      if (timer.at > this.#now) this.#now = timer.at;
      timer.callback();
      await settled();
    }
    this.#now = end;
  }

  /** The first timer up to a moment; of two at one moment, the one that was set first. */
  #due(end: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) if (timer.at <= end && (!first || timer.at < first.at)) first = timer;
    return first;
  }
}
