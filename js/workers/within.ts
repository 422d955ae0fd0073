/** What the work gives, or nothing once the time is up; what it does afterwards is not waited for. */
export const within = async <T>(ms: number, work: () => Promise<T>): Promise<{ value: T } | undefined> => {
  let timer;
  try {
    return await Promise.race([
      work().then((value) => ({ value })),
      new Promise<undefined>((resolve) => {
        timer = setTimeout(resolve, ms, undefined);
      }),
    ]);
  } finally {
    clearTimeout(timer);
  }
};
