/** What is wrong with the results of a suite that has `expected` tests, in words; undefined when nothing is. */
export function problemOf(results, expected) {
  const failed = results.filter(({ error }) => error !== undefined);
  if (failed.length > 0) {
    const errors = failed.map(({ name, error }) => `${name}\n${error}`);
    return `${failed.length} of ${results.length} tests failed.\n\n${errors.join("\n\n")}`;
  }
  if (results.length !== expected) return `ran ${results.length} of ${expected} tests.`;
  return undefined;
}
