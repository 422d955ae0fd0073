import type { HeadersLike } from "./http-options.js";
import { instantiate } from "./instantiate.js";

/** What js/boundary/src/bin/classify.rs exports. */
interface Program {
  memory: WebAssembly.Memory;
  a(): number;
  b(length: number, now: number): number;
  c(length: number, now: number): number;
  d(status: number): number;
  e(length: number): number;
  f(status: number, now: number, idempotent: number, hints: number): number;
  g(): number;
  h(): number;
  i(): void;
}

const LENGTH = 48 << 10;

/** A property of something that may be anything: a getter that throws has nothing to say. */
export const property = (source: unknown, key: string): unknown => {
  try {
    return (source as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
};

/** NaN is none. */
export const defined = (ms: number): number | undefined => (ms === ms ? ms : undefined);

/** The program of `/classify` with texts, headers and errors instead of addresses, and what everyone asks it. */
export const classifyProgram = (module: WebAssembly.Module) => {
  const encoder = /* @__PURE__ */ new TextEncoder();
  let headers: HeadersLike | undefined;
  let error: unknown;
  const program = instantiate<Program>(module, {
    a: (address: number, length: number) =>
      // A view that may be shared with another thread is not decoded by every runtime; a header's name is ASCII.
      put(headers?.get(String.fromCharCode(...new Uint8Array(program.memory.buffer, address, length)))),
    b: () => {
      if (Object(error) !== error) return -1;
      const texts = ["name", "code", "message"].map((key) => {
        const text = property(error, key);
        return typeof text === "string" ? text : "";
      });
      error = property(error, "cause");
      return put(texts.join("\0"));
    },
  });
  const text = new Uint8Array(program.memory.buffer, program.a(), LENGTH);

  /** Writes a text to the buffer: its length, or -1 if it is none or does not fit. */
  function put(value: unknown): number {
    if (typeof value !== "string") return -1;
    const { read, written } = encoder.encodeInto(value, text);
    return read < value.length ? -1 : written;
  }
  return {
    program,
    put,
    /** What is read when the program asks for headers. */
    show(shown: HeadersLike | undefined): void {
      headers = shown;
    },
    /** What kind an error is of, as src/wasm/classify.rs numbers it: bit 0 network, bit 1 timeout, bit 2 abort. */
    kind(value: unknown): number {
      error = value;
      return program.h();
    },
    parseRetryAfter: (header: string | null | undefined, now: number): number | undefined => {
      const length = put(header);
      return length < 0 ? undefined : defined(program.b(length, now));
    },
    isIdempotentMethod: (method: string): boolean => {
      const length = put(method);
      return length >= 0 && program.e(length) > 0;
    },
  };
};
