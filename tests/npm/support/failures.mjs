/** A call that ends with each of `endings` in turn: errors are thrown, anything else is returned. It counts its calls. */
export function script(...endings) {
  const run = async (context) => {
    run.contexts.push(context);
    const ending = endings[Math.min(run.calls++, endings.length - 1)];
    if (ending instanceof Error) throw ending;
    return ending;
  };
  return Object.assign(run, { calls: 0, contexts: [] });
}

export const status = (code, more) => Object.assign(new Error(`HTTP ${code}`), { status: code }, more);
export const coded = (code) => Object.assign(new Error(code), { code });
/** What `fn` throws. */
export const thrown = (promise) =>
  promise.then(
    (value) => Promise.reject(new Error(`nothing was thrown, but ${value} returned`)),
    (error) => error,
  );
