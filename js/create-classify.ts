import { instantiate, numeric } from "./instantiate.js";
import type { Outcome } from "./types.js";

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

/** What `httpOutcome` reads of a response: any with a status and headers, as `fetch` gives it. */
export interface ResponseLike {
  readonly status: number;
  readonly headers?: { get(name: string): string | null } | undefined;
}

/** What `httpOutcome` should know of the request, and which hints it reads. */
export interface HttpOutcomeOptions {
  /** The request's method, case ignored. Without one there is no guard: the status alone decides. */
  method?: string | undefined;
  /** Whether the request may be sent twice. Default: the method decides. */
  idempotent?: boolean | undefined;
  /** What is read beside `Retry-After`: a sum of `Hints`. Default none. */
  hints?: number | undefined;
}

/** Names of one bit each, as `Hints` in the Rust crate, where they are explained. Combine them with `|`. */
export const Hints = {
  retryAfterMs: 1,
  xMsRetryAfterMs: 2,
  rateLimitReset: 4,
  xRateLimitReset: 8,
  xShouldRetry: 16,
  all: 31,
} as const;

const LENGTH = 48 << 10;

/** A property of an error that may be anything: a getter that throws has nothing to say. */
export const property = (error: unknown, key: string): unknown => {
  try {
    return (error as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
};

/** `/classify` on a module that you have compiled yourself. */
export const createClassify = (module: WebAssembly.Module) => {
  const encoder = /* @__PURE__ */ new TextEncoder();
  let headers: ResponseLike["headers"];
  let error: unknown;
  const program = instantiate<Program>(module, {
    a: (address: number, length: number) =>
      // A view that may be shared with another thread is not decoded by every runtime; a header's name is ASCII.
      put(headers?.get(String.fromCharCode(...new Uint8Array(program.memory.buffer, address, length)))),
    b: () => {
      if (Object(error) !== error) return -1;
      const [name, code, message] = ["name", "code", "message"].map((key) => property(error, key));
      error = property(error, "cause");
      const texts = [name, code, message].map((text) => (typeof text === "string" ? text : ""));
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
  const defined = (ms: number): number | undefined => (ms === ms ? ms : undefined);

  const kind = (value: unknown): number => {
    error = value;
    return program.h();
  };
  const isIdempotentMethod = (method: string): boolean => {
    const length = put(method);
    return length >= 0 && program.e(length) > 0;
  };

  return {
    /** Milliseconds from `now` until the moment a `Retry-After` value names; `undefined` when it names none. */
    parseRetryAfter: (header: string | null | undefined, now: number): number | undefined => {
      const length = put(header);
      return length < 0 ? undefined : defined(program.b(length, now));
    },
    /** The moment an HTTP-date names, in epoch milliseconds; `now` places a year of two digits. */
    parseHttpDate: (value: string, now: number): number | undefined => {
      const length = put(value);
      return length < 0 ? undefined : defined(program.c(length, now));
    },
    /** 408, 425, 429, and 5xx except 501 and 505. */
    isRetryableStatus: (status: number): boolean => program.d(numeric(status)) > 0,
    /** GET, HEAD, PUT, DELETE, OPTIONS, TRACE. */
    isIdempotentMethod,
    /** What a response that is not a success means: whether to repeat the request, and how soon at the earliest. */
    httpOutcome: (
      response: ResponseLike,
      now: number,
      { method, idempotent, hints = 0 }: HttpOutcomeOptions = {},
    ): Outcome => {
      headers = response.headers;
      const safe = idempotent ?? (method === undefined ? undefined : isIdempotentMethod(method));
      const retryable = program.f(numeric(response.status), now, safe === undefined ? -1 : +safe, hints) > 0;
      const retryAfterMs = defined(program.g());
      return retryAfterMs === undefined ? { retryable } : { retryable, retryAfterMs };
    },
    /** A failure of the transport, anywhere in the chain of causes. */
    isNetworkError: (value: unknown): boolean => [1, 3].includes(kind(value)),
    /** A deliberate cancellation: never to be repeated. */
    isAbortError: (value: unknown): boolean => kind(value) === 4,
    /** A deadline that passed, the caller's or the transport's: usually worth repeating. */
    isTimeoutError: (value: unknown): boolean => [2, 3].includes(kind(value)),
    /** The `code` of every error that counts as a failure of the transport or a timeout. */
    retryableErrorCodes: (): string[] => {
      let codes = "";
      headers = { get: (text) => ((codes = text), null) };
      program.i();
      return codes.split(/\n+/);
    },
    /** The conservative default: failures of the transport and timeouts are retryable, nothing else is. */
    errorOutcome: (value: unknown): Outcome => ({ retryable: [1, 2, 3].includes(kind(value)) }),
  };
};
