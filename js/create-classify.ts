import { instantiate, numeric } from "./instantiate.js";
import type { Outcome } from "./types.js";

/** What js/boundary/src/bin/classify.rs exports. */
interface Program {
  memory: WebAssembly.Memory;
  a(question: number, length: number, now: number): number;
  b(status: number, now: number, mayRepeat: boolean, hints: number): number;
  c(): number;
  d(): number;
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
const FACTS = ["cause", "name", "code", "message"];
const LENGTH = 16 << 10;

/** `/classify` on a module that you have compiled yourself. */
export const createClassify = (module: WebAssembly.Module) => {
  const encoder = /* @__PURE__ */ new TextEncoder();
  let headers: ResponseLike["headers"];
  let error: unknown;
  const {
    memory,
    a: ask,
    b: judge,
    c: kinds,
    d: texts,
  } = instantiate<Program>(module, {
    a: (header: number) => put(headers?.get(HEADERS[header]!)),
    b: (what: number) => {
      let value: unknown;
      try {
        value = (error as Record<string, unknown>)[FACTS[what]!];
      } catch {
        // A getter that throws has nothing to say.
      }
      if (what) return put(value, what - 1);
      error = value;
      return Object(value) === value;
    },
  });

  /** Writes a text to one of the program's: its length, or -1 if it is none or does not fit. */
  const put = (value: unknown, index = 0): number => {
    if (typeof value !== "string") return -1;
    const text = new Uint8Array(memory.buffer, texts() + index * LENGTH, LENGTH);
    const { read, written } = encoder.encodeInto(value, text);
    return read < value.length ? -1 : written;
  };
  const read = (question: number, value: unknown, now: number): number | undefined => {
    const answer = ask(question, put(value), now);
    return answer === answer ? answer : undefined;
  };
  const isIdempotentMethod = (method: string): boolean => read(3, method, 0) === 0;
  const httpOutcome = (
    response: ResponseLike,
    now: number,
    { method, idempotent, hints = 0 }: HttpOutcomeOptions = {},
  ): Outcome => {
    ({ headers } = response);
    const mayRepeat = idempotent ?? (method === undefined || isIdempotentMethod(method));
    const answer = judge(numeric(response.status), now, mayRepeat, hints);
    const retryAfterMs = answer < 0 ? -1 - answer : answer;
    return retryAfterMs < Infinity ? { retryable: answer >= 0, retryAfterMs } : { retryable: answer >= 0 };
  };
  /** The kinds of an error among those asked for: 1 of the network, 2 a timeout, 4 an abort. */
  const kind =
    (asked: number) =>
    (cause: unknown): boolean => {
      error = { cause };
      return (kinds() & asked) > 0;
    };
  const isRetryableError = kind(3);

  return {
    /** Milliseconds from `now` until the moment a `Retry-After` value names; `undefined` when it names none. */
    parseRetryAfter: (header: string | null | undefined, now: number): number | undefined => read(1, header, now),
    /** The moment an HTTP-date names, in epoch milliseconds; `now` places a year of two digits. */
    parseHttpDate: (value: string, now: number): number | undefined => read(2, value, now),
    /** 408, 425, 429, and 5xx except 501 and 505. */
    isRetryableStatus: (status: number): boolean => httpOutcome({ status }, 0).retryable!,
    /** GET, HEAD, PUT, DELETE, OPTIONS, TRACE. */
    isIdempotentMethod,
    /** What a response that is not a success means: whether to repeat the request, and how soon at the earliest. */
    httpOutcome,
    /** A failure of the transport, anywhere in the chain of causes. */
    isNetworkError: kind(1),
    /** A deliberate cancellation: never to be repeated. */
    isAbortError: kind(4),
    /** A deadline that passed, the caller's or the transport's: usually worth repeating. */
    isTimeoutError: kind(2),
    /** The conservative default: failures of the transport and timeouts are retryable, nothing else is. */
    errorOutcome: (value: unknown): Outcome => ({ retryable: isRetryableError(value) }),
  };
};
