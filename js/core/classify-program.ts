import { property } from "./causes.js";
import type { HeadersLike } from "./http-options.js";
import { instantiate } from "./instantiate.js";

/** What js/boundary/src/bin/classify.rs exports. */
interface Program {
  memory: WebAssembly.Memory;
  a(question: number, length: number, now: number): number;
  b(status: number, now: number, mayRepeat: number, hints: number): number;
  c(): number;
  d(): number;
  e(): number;
}

/** In the order in which the program numbers them. */
const HEADERS = [
  "x-should-retry",
  "retry-after",
  "retry-after-ms",
  "x-ms-retry-after-ms",
  "ratelimit-reset",
  "x-ratelimit-reset",
];
/** What the program asks of an error, and the size of the text that each answer goes to. */
const FACTS = ["name", "code", "message", "cause"];
const LENGTH = 16 << 10;

/** The program of `/classify` with texts, headers and errors instead of addresses, and what everyone asks it. */
export const classifyProgram = (module: WebAssembly.Module) => {
  const encoder = /* @__PURE__ */ new TextEncoder();
  let headers: HeadersLike | undefined;
  /** What is known of the error that is looked at: `FACTS`, of which the last is the next one. */
  let facts: unknown[];
  const program = instantiate<Program>(module, {
    // Headers and errors may use us themselves, and what is ours is set when they have.
    a: (header: number) => {
      const own = headers;
      const value = own?.get(HEADERS[header]!);
      headers = own;
      return put(value);
    },
    b: (what: number) => {
      if (what) return put(facts[what - 1], what - 1);
      const error = facts[3];
      if (Object(error) !== error) return 0;
      facts = FACTS.map((fact) => property(error, fact));
      return 1;
    },
  });

  /** Writes a text to one of the program's: its length, or -1 if it is none or does not fit. */
  const put = (value: unknown, index = 0): number => {
    if (typeof value !== "string") return -1;
    const text = new Uint8Array(program.memory.buffer, program.d() + index * LENGTH, LENGTH);
    const { read, written } = encoder.encodeInto(value, text);
    return read < value.length ? -1 : written;
  };
  const read = (question: number, value: unknown, now: number): number | undefined => {
    now = +now;
    const answer = program.a(question, put(value), now);
    return answer === answer ? answer : undefined;
  };
  return {
    program,
    /** NaN is none, and so is what is no text. */
    read,
    isIdempotentMethod: (method: string): boolean => read(3, method, 0) === 0,
    parseRetryAfter: (header: string | null | undefined, now: number): number | undefined => read(1, header, now),
    /** What the program says of a response with these headers. */
    ask(shown: HeadersLike | undefined, ...given: Parameters<Program["b"]>): number {
      headers = shown;
      return program.b(...given);
    },
    /** What kind an error is of, as src/wasm/classify.rs numbers it: bit 0 network, bit 1 timeout, bit 2 abort. */
    kind(cause: unknown): number {
      facts = [, , , cause];
      return program.c();
    },
  };
};
