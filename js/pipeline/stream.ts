import { optionError } from "../core/errors.js";
import { NonRetryableError } from "./errors.js";

/** A `ReadableStream`, of whichever runtime's types. */
interface Readable<T> {
  getReader(): { read(): Promise<{ done: boolean; value?: T | undefined }>; cancel(): Promise<void> };
}

/** What a callback of `executeStream` gives. */
export type StreamSource<T> = AsyncIterable<T> | Readable<T>;

/** A stream whose first item is there. It is what hooks see as the value of an outcome of `executeStream`. */
export interface OpenedStream<T = unknown> {
  /** What the callback gave. */
  readonly source: StreamSource<T>;
  readonly iterator: AsyncIterator<T>;
  readonly first: IteratorResult<T, unknown>;
}

/** Not every browser iterates over a `ReadableStream`. */
const iteratorOf = <T>(source: StreamSource<T>): AsyncIterator<T> => {
  const given = Object(source) as AsyncIterable<T> & Readable<T>;
  if (typeof given[Symbol.asyncIterator] === "function") return given[Symbol.asyncIterator]();
  if (typeof given.getReader !== "function") {
    throw new NonRetryableError(optionError("callback", "one that gives an async iterable", source));
  }
  const reader = given.getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<T, undefined>>,
    return: async () => {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
};

/** The streams of one execution: all but the one that its caller reads are closed, whatever ended the execution. */
export class OpenedStreams {
  readonly #opened = new Set<OpenedStream<any>>();
  #ended = false;

  /** Reads the first item. */
  async open<T>(source: StreamSource<T>): Promise<OpenedStream<T>> {
    const iterator = iteratorOf(source);
    const stream = { source, iterator, first: await iterator.next() };
    this.#opened.add(stream);
    if (this.#ended) void this.close(stream);
    return stream;
  }

  /** Says that nobody will read on. What that throws is nobody's either. */
  async close(stream: OpenedStream<any>): Promise<void> {
    const { iterator, first } = stream;
    if (!this.#opened.delete(stream) || first.done) return;
    try {
      await iterator.return?.();
    } catch {
      // It was closed for being of no use.
    }
  }

  /** The caller has it. */
  keep(stream: OpenedStream<any>): void {
    this.#opened.delete(stream);
    this.end();
  }

  /** What is open, or opens from now on, comes too late. */
  end(): void {
    this.#ended = true;
    for (const stream of this.#opened) void this.close(stream);
  }
}

/** All items, the first again. Who stops early closes the stream. */
export async function* streamOf<T>({ iterator, first }: OpenedStream<T>): AsyncGenerator<T, void, undefined> {
  let item = first;
  let ended = false;
  try {
    while (!item.done) {
      yield item.value as T;
      // What fails by itself needs no closing.
      ended = true;
      item = await iterator.next();
      ended = !!item.done;
    }
    ended = true;
  } finally {
    if (!ended) await iterator.return?.();
  }
}
