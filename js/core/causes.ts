/** A property of something that may be anything: a getter that throws has nothing to say. */
export const property = (source: unknown, key: string): unknown => {
  try {
    return (source as Record<string, unknown> | undefined)?.[key];
  } catch {
    return undefined;
  }
};

/** As many causes of an error as the core asks for, so that a chain in a circle ends: src/classify/error.rs has it too. */
export const MAX_CAUSES = 16;
