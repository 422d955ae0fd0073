/** The promise of what a function gives, which may throw at once. */
export const start = <T>(run: () => T | PromiseLike<T>): Promise<T> => {
  try {
    return Promise.resolve(run());
  } catch (error) {
    return Promise.reject(error);
  }
};
