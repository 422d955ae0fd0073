// `mock` of `node:test`, as far as tests use it: functions, methods, and a clock for `setTimeout` and `Date`.

function mockFunction(implementation = () => undefined) {
  const calls = [];
  const fn = function (...values) {
    const call = { arguments: values, this: this };
    calls.push(call);
    try {
      return (call.result = implementation.apply(this, values));
    } catch (error) {
      call.error = error;
      throw error;
    }
  };
  return Object.assign(fn, { mock: { calls, callCount: () => calls.length } });
}

/** Like Node.js', moves to the end of a tick first and then calls what is due. */
class MockTimers {
  #now = 0;
  #due = [];
  #real;

  enable({ apis, now = 0 }) {
    const unknown = apis.filter((name) => !["setTimeout", "Date"].includes(name));
    if (unknown.length > 0) throw new TypeError(`mock.timers does not know ${unknown}`);
    const { setTimeout, clearTimeout, Date } = globalThis;
    this.#real = { setTimeout, clearTimeout, Date };
    this.#now = now;
    const clock = () => this.#now;
    if (apis.includes("Date")) {
      globalThis.Date = class extends Date {
        constructor(...parts) {
          super(...(parts.length === 0 ? [clock()] : parts));
        }
        static now = clock;
      };
    }
    if (apis.includes("setTimeout")) {
      globalThis.setTimeout = (callback, ms = 0, ...values) => {
        const timer = { at: this.#now + ms, call: () => callback(...values), ref: () => timer, unref: () => timer };
        this.#due.push(timer);
        return timer;
      };
      globalThis.clearTimeout = (timer) => {
        this.#due = this.#due.filter((other) => other !== timer);
      };
    }
  }

  tick(ms) {
    this.#now += ms;
    for (;;) {
      const [next] = this.#due.filter(({ at }) => at <= this.#now).sort((one, other) => one.at - other.at);
      if (next === undefined) return;
      this.#due = this.#due.filter((timer) => timer !== next);
      next.call();
    }
  }

  reset() {
    Object.assign(globalThis, this.#real);
    this.#real = undefined;
    this.#due = [];
  }
}

/** What one test has replaced; `reset` puts it back. */
export class Mock {
  #restores = [];
  fn = mockFunction;
  timers = new MockTimers();

  method(owner, name, implementation = owner[name]) {
    const descriptor = Object.getOwnPropertyDescriptor(owner, name);
    const fn = mockFunction(implementation);
    fn.mock.restore = () => (descriptor ? Object.defineProperty(owner, name, descriptor) : delete owner[name]);
    owner[name] = fn;
    this.#restores.push(fn.mock.restore);
    return fn;
  }

  reset() {
    for (const restore of this.#restores.splice(0)) restore();
    this.timers.reset();
  }
}
