import { optionError } from "../errors.js";
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

/** Reads the first item. */
export const openStream = async <T>(source: StreamSource<T>): Promise<OpenedStream<T>> => {
  const iterator = iteratorOf(source);
  return { source, iterator, first: await iterator.next() };
};

/** Says that nobody will read on. What that throws is nobody's either. */
export const closeStream = async ({ iterator, first }: OpenedStream): Promise<void> => {
  try {
    if (!first.done) await iterator.return?.();
  } catch {
    // It was closed for being of no use.
  }
};

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
