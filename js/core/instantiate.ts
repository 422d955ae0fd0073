type Numeric = (...values: never[]) => number;

/** The exports of one of our programs; they have one letter each. */
export interface Exports {
  memory: WebAssembly.Memory;
  [letter: string]: Numeric | WebAssembly.Memory;
}

/** Where results and options lie in a program's memory; the build checks it. */
export const AREA = 4096;

/** One instance of a program. Synchronous everywhere: browsers compile this little on the main thread too. */
export const instantiate = <E extends { memory: WebAssembly.Memory }>(
  module: WebAssembly.Module,
  imports: WebAssembly.ModuleImports,
): E => new WebAssembly.Instance(module, { a: imports }).exports as unknown as E;

/** The number, or NaN, which no check of the core lets pass. */
export const numeric = (value: unknown): number => (typeof value === "number" ? value : NaN);
