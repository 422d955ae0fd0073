// What a Durable Object has of its platform, made up.
import assert from "node:assert/strict";
import { DurableRetry, OPERATION_KEY } from "retry-primitives-wasm/workers";

export const EPOCH = 1_758_124_800_000;

/** A Durable Object's storage, and its clock. What is written between two turns of the loop commits together. */
export class Platform {
  now = EPOCH;
  stored = new Map();
  armed = null;
  /** Of each turn in which something was written, the keys. */
  turns = [];
  #turn;

  clock = () => this.now;
  storage = {
    get: async (key) => structuredClone(this.stored.get(key)),
    put: async (key, value) => {
      const copy = structuredClone(value);
      this.#wrote(key);
      this.stored.set(key, copy);
    },
    delete: async (key) => {
      this.#wrote(key);
      return this.stored.delete(key);
    },
    list: async ({ prefix }) => new Map([...this.stored].filter(([key]) => key.startsWith(prefix)).sort()),
    getAlarm: async () => this.armed,
    setAlarm: async (moment) => {
      assert.ok(moment > this.now, "an alarm of the past");
      this.#wrote("alarm");
      this.armed = moment;
    },
    deleteAlarm: async () => {
      this.#wrote("alarm");
      this.armed = null;
    },
  };

  #wrote(key) {
    if (!this.#turn) {
      this.turns.push((this.#turn = []));
      queueMicrotask(() => (this.#turn = undefined));
    }
    this.#turn.push(key);
  }

  retry(policy, options) {
    return new DurableRetry(this, policy, { now: this.clock, ...options });
  }

  get operation() {
    return this.stored.get(OPERATION_KEY);
  }

  /** The clock goes on to the alarm, which fires. */
  async fire(handler) {
    assert.notEqual(this.armed, null, "no alarm is armed");
    this.now = Math.max(this.now, this.armed);
    this.armed = null;
    return handler();
  }
}
