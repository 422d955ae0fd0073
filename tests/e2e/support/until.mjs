/** Asks again and again until the answer is truthy, and resolves to that answer. */
export async function until(ask, { timeoutMs = 15_000, everyMs = 20, waitingFor = "the condition" } = {}) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > deadline) throw new Error(`${waitingFor} did not come within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
