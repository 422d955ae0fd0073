/** A stream whose first item is there. It is what hooks see as the value of an outcome of `executeStream`. */
export interface OpenedStream<T = unknown> {
  /** What the callback gave. */
  readonly source: AsyncIterable<T>;
  readonly iterator: AsyncIterator<T>;
  readonly first: IteratorResult<T, unknown>;
}

/** Reads the first item. */
export const openStream = async <T>(source: AsyncIterable<T>): Promise<OpenedStream<T>> => {
  const iterator = source[Symbol.asyncIterator]();
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
