/** Asks again until it is so, for five seconds: a runtime or a server hears of a closed connection a moment later. */
export async function until(condition, what = "it did not happen") {
  const end = performance.now() + 5_000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(what);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
