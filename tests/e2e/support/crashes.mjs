import { setTimeout as wait } from "node:timers/promises";

/** Kills a workerd again and again; each kill starts it anew on the same data. */
export class Crashes {
  /** How many kills there were, by what they were aimed at. */
  kills = new Map();
  #workerd;
  #up = Promise.resolve();
  #aim;

  constructor(workerd) {
    this.#workerd = workerd;
  }

  get total() {
    return [...this.kills.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Kills at once; resolves when workerd is up again. */
  now(aim) {
    this.kills.set(aim, (this.kills.get(aim) ?? 0) + 1);
    this.#up = this.#workerd.restart();
    return this.#up;
  }

  /**
   * Kills when somebody calls `strike` on the aim that `arm` is given, or after a while if nobody does; resolves when
   * workerd is up again.
   */
  async at(name, arm, { timeoutMs = 3_000 } = {}) {
    let restarted;
    const struck = new Promise((resolve) => {
      this.#aim = {
        name,
        strike: () => {
          this.#aim = undefined;
          restarted = this.now(name);
          resolve();
        },
      };
    });
    const disarm = arm?.(() => this.strike(name));
    await Promise.race([struck, wait(timeoutMs, undefined, { ref: false })]);
    disarm?.();
    if (this.#aim) {
      this.#aim = undefined;
      restarted = this.now(`${name}, missed`);
    }
    await restarted;
  }

  /** Whether a kill is aimed at this. */
  aimsAt(name) {
    return this.#aim?.name === name;
  }

  /** Kills now if this is what the kill is aimed at. */
  strike(name) {
    if (this.aimsAt(name)) this.#aim.strike();
  }

  /** Asks until an answer comes: between kills. Only for what may be asked twice. */
  async ask(question) {
    for (let tries = 1; ; tries += 1) {
      await this.#up;
      try {
        return await question();
      } catch (error) {
        if (!(error instanceof TypeError) || tries === 50) throw error; // fetch's error for a connection that ended
      }
    }
  }
}
