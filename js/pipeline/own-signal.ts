import type { Abortable } from "../executor/sleep.js";

/** A caller's signal, or one of ours. */
export type Source = AbortSignal | OwnSignal;

export const signalOf = (source: Source): AbortSignal => (source as OwnSignal).signal ?? (source as AbortSignal);

/**
 * What can be aborted by itself, and is with its parent. An `AbortController` costs microseconds, so there is one only once
 * somebody looks at the signal or waits for it. It is combined with the parent's without a listener, and for as long as
 * somebody holds it: an abort still ends the body of a response.
 */
export class OwnSignal implements Abortable {
  readonly #parent: Source | undefined;
  #controller: AbortController | undefined;
  #signal: AbortSignal | undefined;
  #aborted: { readonly reason: unknown } | undefined;
  #follow: (() => void) | undefined;

  constructor(parent: Source | undefined) {
    this.#parent = parent;
  }

  get signal(): AbortSignal {
    if (this.#signal) return this.#signal;
    this.#controller = new AbortController();
    this.#signal = this.#controller.signal;
    const parent = this.#parent;
    if (this.aborted) this.#controller.abort(this.reason);
    else if (parent && AbortSignal.any!) this.#signal = AbortSignal.any([signalOf(parent), this.#signal]);
    else if (parent) {
      this.#follow = () => this.abort(parent.reason);
      parent.addEventListener("abort", this.#follow, { once: true });
    }
    return this.#signal;
  }

  get aborted(): boolean {
    return !!this.#aborted || !!this.#parent?.aborted;
  }

  get reason(): unknown {
    return this.#aborted ? this.#aborted.reason : this.#parent?.reason;
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  addEventListener(...given: Parameters<AbortSignal["addEventListener"]>): void {
    this.signal.addEventListener(...given);
  }

  removeEventListener(...given: Parameters<AbortSignal["removeEventListener"]>): void {
    this.#signal?.removeEventListener(...given);
  }

  abort(reason: unknown): void {
    this.#aborted ??= { reason: this.aborted ? this.reason : reason };
    this.#controller?.abort(this.#aborted.reason);
  }

  /** Takes the listener off the parent, where it needed one: Node.js 18 has no `AbortSignal.any`. */
  release(): void {
    if (this.#follow) this.#parent!.removeEventListener("abort", this.#follow);
  }
}
