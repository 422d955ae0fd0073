const patterns = [
  /^test result: .* (\d+) ignored;/gm, // cargo test
  /^(?:#|ℹ) (?:skipped|todo) (\d+)$/gm, // node's test runner
];

/** How many tests a runner's output says it left out. */
export function countSkippedTests(output) {
  let count = 0;
  for (const pattern of patterns) {
    for (const [, number] of output.matchAll(pattern)) count += Number(number);
  }
  return count;
}
