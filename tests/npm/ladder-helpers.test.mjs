// What retry-ladder's page exports "for building your own logic", its constants, and options that cannot be right.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isAbortError, isNetworkError, isTimeoutError } from "retry-primitives-wasm/classify";
import {
  DEFAULT_RETRYABLE_ERROR_CODES,
  DEFAULT_RETRYABLE_STATUSES,
  IdempotencyError,
  RetryExhaustedError,
  RetryTimeoutError,
  backoffWindow,
  extractStatus,
  fetchRetry,
  isRetryable,
  jitteredDelay,
  parseRetryAfter,
  retry,
  retryAfterFromHeaders,
} from "retry-primitives-wasm/ladder";
import { coded, script, status, thrown } from "./support/failures.mjs";

const NOW = 784_111_777_000; // Sun, 06 Nov 1994 08:49:37 GMT

test("DEFAULT_RETRYABLE_STATUSES is what the page lists", () => {
  assert.deepEqual([...DEFAULT_RETRYABLE_STATUSES], [408, 429, 500, 502, 503, 504]);
  assert.ok(DEFAULT_RETRYABLE_STATUSES.has(503));
});

test("DEFAULT_RETRYABLE_ERROR_CODES are codes that the core takes for the network's or a timeout's", () => {
  for (const known of ["ECONNRESET", "ETIMEDOUT", "ECONNREFUSED", "EAI_AGAIN", "UND_ERR_SOCKET", "ConnectionRefused"])
    assert.ok(DEFAULT_RETRYABLE_ERROR_CODES.has(known), known);
  for (const code of DEFAULT_RETRYABLE_ERROR_CODES) {
    assert.match(code, /^\w+$/);
    assert.ok(isNetworkError(coded(code)) || isTimeoutError(coded(code)), code);
    assert.ok(isRetryable(coded(code)), code);
  }
  for (const other of ["ABORT_ERR", "UND_ERR_ABORTED", "CERT_HAS_EXPIRED", "ENOENT"])
    assert.ok(!DEFAULT_RETRYABLE_ERROR_CODES.has(other), other);
});

test("the default codes, given as an option, change nothing", () => {
  const rules = { retryableErrorCodes: DEFAULT_RETRYABLE_ERROR_CODES };
  const errors = [...DEFAULT_RETRYABLE_ERROR_CODES, "ENOENT", "CERT_HAS_EXPIRED", "ABORT_ERR"].map(coded);
  errors.push(new TypeError("Failed to fetch"), new Error("a bug"), "text", null, undefined);
  for (const cause of [...errors]) errors.push(new TypeError("fetch failed", { cause }));
  for (const error of errors)
    assert.equal(isRetryable(error, rules), isRetryable(error), String(error?.cause ?? error));
});

test("extractStatus: where clients put it", () => {
  for (const [failure, expected] of [
    [status(503), 503],
    [{ statusCode: 404 }, 404],
    [{ response: { status: 429 } }, 429],
    [{ response: { statusCode: 418 } }, 418],
    [new Response(null, { status: 502 }), 502],
    [{ status: "error", response: { status: 500 } }, 500],
    [{ status: 0 }, undefined],
    [{ status: 600 }, undefined],
    [{ status: 200.5 }, undefined],
    [{ status: "503" }, undefined],
    [new Error("none"), undefined],
    ["text", undefined],
    [null, undefined],
    [undefined, undefined],
  ])
    assert.equal(extractStatus(failure), expected);
});

test("isRetryable: the status decides before the message, an abort before both", () => {
  assert.equal(isRetryable(status(404, { code: "ECONNRESET" })), false);
  assert.equal(isRetryable(status(503, { name: "AbortError" })), false);
  assert.equal(isRetryable(status(503)), true);
  assert.equal(isRetryable(status(503), { retryableStatuses: [404] }), false);
  assert.equal(isRetryable(status(404), { retryableStatuses: new Set([404]) }), true);
  assert.equal(isRetryable(coded("EMINE"), { retryableErrorCodes: new Set(["EMINE"]) }), true);
  assert.equal(isRetryable(new TypeError("Failed to fetch"), { retryableErrorCodes: [] }), true, "it has no code");
  assert.equal(isRetryable(new DOMException("", "AbortError"), { retryableErrorCodes: ["AbortError"] }), false);
});

test("anything can be thrown: no error of ours in its place", async () => {
  const hostile = Object.defineProperties(new Error("mine"), {
    status: { get: () => assert.fail("status") },
    response: { get: () => assert.fail("response") },
    code: { get: () => assert.fail("code") },
  });
  const circle = new Error("round");
  circle.cause = circle;
  const frozen = Object.freeze(coded("EMINE"));
  for (const error of [hostile, circle, frozen, null, undefined, 5, "text", Symbol("s"), () => {}]) {
    const fail = () => Promise.reject(error);
    assert.equal(await thrown(retry(fail, { idempotent: true })), error);
    assert.equal(await thrown(retry(fail, { idempotent: true, retryableErrorCodes: ["OTHER"] })), error);
  }
});

test("parseRetryAfter: integer seconds and HTTP-date", () => {
  for (const [value, expected] of [
    ["120", 120_000],
    ["0", 0],
    ["Sun, 06 Nov 1994 08:50:37 GMT", 60_000],
    ["Sun, 06 Nov 1994 08:00:00 GMT", 0],
    ["1.5", undefined],
    ["-3", undefined],
    ["soon", undefined],
    ["", undefined],
    [null, undefined],
    [undefined, undefined],
  ])
    assert.equal(parseRetryAfter(value, NOW), expected, String(value));
});

test("parseRetryAfter and retryAfterFromHeaders read the clock when no moment is given", () => {
  const { now } = Date;
  Date.now = () => NOW;
  try {
    assert.equal(parseRetryAfter("Sun, 06 Nov 1994 08:49:39 GMT"), 2_000);
    assert.equal(retryAfterFromHeaders({ "retry-after": "Sun, 06 Nov 1994 08:49:39 GMT" }), 2_000);
  } finally {
    Date.now = now;
  }
});

test("retryAfterFromHeaders: Headers, a Map, a plain object, nothing", () => {
  for (const headers of [new Headers({ "Retry-After": "7" }), new Map([["retry-after", "7"]]), { "retry-after": "7" }])
    assert.equal(retryAfterFromHeaders(headers, NOW), 7_000);
  for (const headers of [new Headers(), {}, null, undefined, "retry-after: 7"])
    assert.equal(retryAfterFromHeaders(headers, NOW), undefined);
});

test("backoffWindow saturates, and is 200 ms at first", () => {
  assert.deepEqual(
    [0, 1, 2, 7, 8, 64, 1_024, 1e6, 2 ** 53 - 1].map((n) => backoffWindow(n)),
    [200, 400, 800, 25_600, 30_000, 30_000, 30_000, 30_000, 30_000],
  );
  assert.equal(jitteredDelay(0, { random: () => 1 }), 200);
});

test("the errors are errors, with names, and no kind is another", () => {
  const kinds = { IdempotencyError, RetryExhaustedError, RetryTimeoutError };
  for (const [name, Kind] of Object.entries(kinds)) {
    assert.equal(Kind.name, name);
    const error = new Kind({ attempts: 2, elapsedMs: 5, cause: "why" });
    assert.ok(error instanceof Error);
    assert.deepEqual([error.name, error.attempts, error.elapsedMs, error.cause], [name, 2, 5, "why"]);
    assert.match(error.message, /idempotent|retries|maxElapsedMs/);
    for (const Other of Object.values(kinds)) assert.equal(error instanceof Other, Other === Kind);
  }
});

/** Each wrong value of each option is refused by its name, after so many calls. */
async function refused(wrong, calls) {
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const work = script(status(503));
      const error = await thrown(retry(work, { idempotent: true, [name]: value }));
      assert.ok(error instanceof TypeError || error instanceof RangeError, `${name}: ${error}`);
      assert.ok(error.message.startsWith(`${name} must be `), error.message);
      assert.equal(work.calls, calls);
    }
  }
}

test("a number that cannot be right is refused by its option's name, as a rejection, before any call", async () => {
  await refused(
    {
      retries: [-1, 1.5, NaN, "3", null],
      baseMs: [-1, NaN, Infinity, "200"],
      factor: [0, 0.5, Infinity, NaN, "2"],
      maxDelayMs: [-1, NaN, "1"],
      maxElapsedMs: [-1, NaN, "1", null],
    },
    0,
  );
  assert.match((await thrown(retry("no function"))).message, /^fn must be a function/);
  assert.match((await thrown(fetchRetry("http://127.0.0.1:1/", { retries: -1 }))).message, /^retries must be/);
});

test("a hook that is no function is refused by its name when something failed", async () => {
  const junk = [true, "yes", 5, {}, null];
  await refused({ random: junk, shouldRetry: junk, getRetryAfterMs: junk, onRetry: junk }, 1);
  assert.match((await thrown(retry(() => 1, { shouldRetryResult: true }))).message, /^shouldRetryResult must be/);
});

test("maxElapsedMs: 0 allows one call that ends at once", async () => {
  const error = await thrown(retry(script(status(503), "never"), { idempotent: true, maxElapsedMs: 0 }));
  assert.ok(error instanceof RetryTimeoutError);
  assert.equal(error.attempts, 1);
});
