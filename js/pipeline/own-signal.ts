import type { Abortable } from "../executor/sleep.js";

/** A caller's signal, or one of ours. */
export type Source = AbortSignal | OwnSignal;

export const signalOf = (source: Source): AbortSignal => (source as OwnSignal).signal ?? (source as AbortSignal);

/**
 * What can be aborted by itself, and is with its parent. An `AbortController` costs microseconds, so there is one only once
 * somebody looks at the signal or waits for it; nor is there a listener on the parent before.
 */
export class OwnSignal implements Abortable {
  readonly #parent: Source | undefined;
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;
  #released = false;
  readonly #follow = () => this.abort(this.#parent!.reason);

  constructor(parent: Source | undefined) {
    this.#parent = parent;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.aborted) this.#controller.abort(this.reason);
      else if (!this.#released) this.#parent?.addEventListener("abort", this.#follow, { once: true });
    }
    return this.#controller.signal;
  }

  get aborted(): boolean {
    return !!this.#aborted || (!this.#released && !!this.#parent?.aborted);
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
    this.#controller?.signal.removeEventListener(...given);
  }

  abort(reason: unknown): void {
    if (this.aborted && this.#controller?.signal.aborted !== false) return;
    this.#aborted ??= { reason };
    this.#controller?.abort(reason);
  }

  /** From now on nothing that happens to the parent matters here. */
  release(): void {
    this.#released = true;
    this.#parent?.removeEventListener("abort", this.#follow);
  }
}
