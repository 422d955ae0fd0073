// `node:test` where there is none: collects the tests of the files that import it, and runs them one after another.
import { Mock } from "./mock.mjs";

const tests = [];
const groups = [];
const [befores, afters] = [[], []];

/** `test(name, [options], fn)`; of the options none is known here, since a test that is left out somewhere proves nothing. */
export function test(name, ...rest) {
  const options = rest.length > 1 ? rest[0] : {};
  const unknown = Object.keys(options).filter((option) => option !== "timeout");
  if (unknown.length > 0) throw new TypeError(`${name}: the option ${unknown} is Node.js' own`);
  tests.push({ name: [...groups, name].join(" > "), body: rest.at(-1) });
}

export function describe(name, body) {
  groups.push(name);
  body();
  groups.pop();
}

/** Of a file; here all of them run before the first test of any, and after the last. */
export const before = (hook) => void befores.push(hook);
export const after = (hook) => void afters.push(hook);

export const it = test;
export default Object.assign(test, { test, it, describe, before, after });

export const mock = new Mock();

class Context {
  #cleanups = [];
  #results;
  mock = new Mock();

  constructor(name, results) {
    this.name = name;
    this.#results = results;
  }

  after(cleanup) {
    this.#cleanups.push(cleanup);
  }

  async test(name, body) {
    await runOne({ name: `${this.name} > ${name}`, body }, this.#results);
  }

  async end() {
    this.mock.reset();
    for (const cleanup of this.#cleanups) await cleanup(this);
  }
}

async function runOne({ name, body }, results) {
  const context = new Context(name, results);
  const result = { name };
  results.push(result);
  const failed = (error) => (result.error ??= error?.stack?.includes(error.message) ? error.stack : String(error));
  try {
    await body(context);
  } catch (error) {
    failed(error);
  }
  await context.end().catch(failed);
}

/** Runs all that was collected: `{ name, error? }` of each, in their order. */
export async function run() {
  const results = [];
  for (const hook of befores) await hook();
  for (const one of tests) await runOne(one, results);
  for (const hook of afters) await hook();
  return results;
}
