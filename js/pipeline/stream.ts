/** A stream whose first item is there. */
export interface OpenedStream<T> extends AsyncIterable<T> {
  readonly source: AsyncIterable<T>;
  readonly iterator: AsyncIterator<T>;
  readonly first: IteratorResult<T, unknown>;
  /** Says that nobody will read on. What that throws is nobody's either. */
  close(): Promise<void>;
}

/** Reads the first item. */
export const openStream = async <T>(source: AsyncIterable<T>): Promise<OpenedStream<T>> => {
  const iterator = source[Symbol.asyncIterator]();
  const first = await iterator.next();
  const opened: OpenedStream<T> = {
    source,
    iterator,
    first,
    [Symbol.asyncIterator]: () => streamOf(opened),
    close: async () => {
      try {
        if (!first.done) await iterator.return?.();
      } catch {
        // It was closed for being of no use.
      }
    },
  };
  return opened;
};

/** All items, the first again. Who stops early closes the stream. */
export async function* streamOf<T>({ iterator, first }: OpenedStream<T>): AsyncGenerator<T, void, undefined> {
  let item = first;
  let ended = false;
  try {
    while (!item.done) {
      yield item.value as T;
      ended = true;
      item = await iterator.next();
      ended = !!item.done;
    }
    ended = true;
  } finally {
    if (!ended) await iterator.return?.();
  }
}
