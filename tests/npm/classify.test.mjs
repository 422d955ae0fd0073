// The reference's documented behaviour of the classifiers, and the cases from the field.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  errorOutcome,
  Hints,
  httpOutcome,
  isAbortError,
  isIdempotentMethod,
  isNetworkError,
  isRetryableStatus,
  isTimeoutError,
  parseHttpDate,
  parseRetryAfter,
} from "retry-primitives-wasm/classify";

const NOW = Date.UTC(1994, 10, 6, 8, 49, 37);
const chain = (...errors) => {
  for (let index = 1; index < errors.length; index++) errors[index - 1].cause = errors[index];
  return errors[0];
};
const coded = (code) => Object.assign(new Error(code), { code });

test("parseRetryAfter: seconds, all three forms of a date, and nothing else", () => {
  assert.equal(parseRetryAfter("120", NOW), 120_000);
  assert.equal(parseRetryAfter("0", NOW), 0);
  assert.equal(parseRetryAfter("Sun, 06 Nov 1994 08:50:37 GMT", NOW), 60_000);
  assert.equal(parseRetryAfter("Sunday, 06-Nov-94 08:50:37 GMT", NOW), 60_000);
  assert.equal(parseRetryAfter("Sun Nov  6 08:50:37 1994", NOW), 60_000);
  assert.equal(parseRetryAfter("Mon, 06 Nov 1994 08:50:37 GMT", NOW), 60_000);
  assert.equal(parseRetryAfter("Sun, 06 Nov 1994 08:49:36 GMT", NOW), 0);
  assert.equal(parseRetryAfter("9223372037", NOW), 9_223_372_037_000);
  assert.equal(parseRetryAfter("99999999999999999999", NOW), Number.MAX_SAFE_INTEGER);
  for (const value of ["-3", "1.5", "120 s", "+5", "", "1e3", "Sun, 31 Feb 1994 08:49:37 GMT", "１２", "5\0", "\0"]) {
    assert.equal(parseRetryAfter(value, NOW), undefined, JSON.stringify(value));
  }
  for (const value of [undefined, null, 120, {}, [], Symbol("x"), 5n]) {
    assert.equal(parseRetryAfter(value, NOW), undefined);
  }
  assert.equal(parseRetryAfter("9".repeat(100_000), NOW), undefined);
  assert.equal(parseRetryAfter("\u{1F600}".repeat(20_000), NOW), undefined);
});

test("parseHttpDate", () => {
  assert.equal(parseHttpDate("Sun, 06 Nov 1994 08:49:37 GMT", 0), NOW);
  assert.equal(parseHttpDate("nonsense", 0), undefined);
  assert.equal(parseHttpDate(undefined, 0), undefined);
});

test("isRetryableStatus: 408, 425, 429 and 5xx except 501 and 505", () => {
  for (let status = 0; status < 1_000; status++) {
    const right = [408, 425, 429].includes(status) || (status >= 500 && status < 600 && ![501, 505].includes(status));
    assert.equal(isRetryableStatus(status), right, String(status));
  }
  for (const status of [503.5, NaN, -1, Infinity, 65536 + 503, "503", null, 503n])
    assert.ok(!isRetryableStatus(status));
});

test("isIdempotentMethod: GET, HEAD, PUT, DELETE, OPTIONS, TRACE", () => {
  for (const method of ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "get"])
    assert.ok(isIdempotentMethod(method));
  for (const method of ["POST", "PATCH", "", "GET ", "x".repeat(99_999), undefined, null, 5]) {
    assert.ok(!isIdempotentMethod(method));
  }
});

test("httpOutcome: a POST that failed with a 500 may have charged the card", () => {
  const response = (status, headers) => new Response(null, { status, headers });
  assert.deepEqual(httpOutcome(response(500), NOW), { retryable: true });
  assert.deepEqual(httpOutcome(response(500), NOW, { method: "POST" }), { retryable: false });
  assert.deepEqual(httpOutcome(response(500), NOW, { method: "POST", idempotent: true }), { retryable: true });
  assert.deepEqual(httpOutcome(response(500), NOW, { method: "GET", idempotent: false }), { retryable: false });
  for (const status of [429, 503]) {
    const outcome = httpOutcome(response(status, { "Retry-After": "7" }), NOW, { method: "POST" });
    assert.deepEqual(outcome, { retryable: true, retryAfterMs: 7_000 });
  }
  assert.deepEqual(httpOutcome(response(404, { "retry-after": "7" }), NOW), { retryable: false, retryAfterMs: 7_000 });
  assert.deepEqual(httpOutcome({ status: 503 }, NOW), { retryable: true });
  assert.deepEqual(httpOutcome(response(503, { "retry-after": "1.5" }), NOW), { retryable: true });
});

test("httpOutcome: hints, each on request", () => {
  const response = new Response(null, {
    status: 429,
    headers: { "retry-after-ms": "62.5", "x-should-retry": "false", "ratelimit-reset": "9" },
  });
  assert.deepEqual(httpOutcome(response, NOW), { retryable: true });
  assert.deepEqual(httpOutcome(response, NOW, { hints: Hints.retryAfterMs }), { retryable: true, retryAfterMs: 63 });
  assert.deepEqual(httpOutcome(response, NOW, { hints: Hints.rateLimitReset }), {
    retryable: true,
    retryAfterMs: 9_000,
  });
  assert.deepEqual(httpOutcome(response, NOW, { hints: Hints.all }), { retryable: false, retryAfterMs: 63 });
});

test("isNetworkError walks the chain of causes", () => {
  assert.ok(isNetworkError(new TypeError("fetch failed")));
  assert.ok(isNetworkError(chain(new TypeError("fetch failed"), coded("ECONNREFUSED"))));
  assert.ok(isNetworkError(chain(new Error("sdk"), new TypeError("fetch failed"), coded("UND_ERR_SOCKET"))));
  assert.ok(!isNetworkError(chain(new TypeError("fetch failed"), new Error("unknown scheme"))));
  assert.ok(!isNetworkError(coded("CERT_HAS_EXPIRED")));
  assert.ok(!isNetworkError(new TypeError("x is not a function")));
  assert.ok(isNetworkError(new Error("Network connection lost.")));
  for (const code of ["ECONNRESET", "ENOTFOUND", "EAI_AGAIN", "EPIPE", "ConnectionRefused", "ETIMEDOUT"]) {
    assert.ok(isNetworkError(coded(code)), code);
  }
});

test("aborts and timeouts, DOMException included", () => {
  const abort = AbortSignal.abort().reason;
  assert.ok(abort instanceof DOMException && isAbortError(abort) && !isNetworkError(abort) && !isTimeoutError(abort));
  const timeout = new DOMException("too late", "TimeoutError");
  assert.ok(isTimeoutError(timeout) && !isAbortError(timeout));
  assert.ok(isTimeoutError(coded("UND_ERR_CONNECT_TIMEOUT")) && isNetworkError(coded("UND_ERR_CONNECT_TIMEOUT")));
  assert.deepEqual(errorOutcome(abort), { retryable: false });
  assert.deepEqual(errorOutcome(timeout), { retryable: true });
  assert.deepEqual(errorOutcome(new TypeError("Failed to fetch")), { retryable: true });
  assert.deepEqual(errorOutcome(new Error("a bug")), { retryable: false });
});

test("a chain that never ends ends", () => {
  const circle = new Error("round");
  circle.cause = circle;
  assert.ok(!isNetworkError(circle));
  let long = coded("ECONNRESET");
  for (let depth = 0; depth < 10_000; depth++) long = new Error("wrapper", { cause: long });
  assert.ok(!isNetworkError(long));
  let asked = 0;
  const endless = {
    get cause() {
      asked += 1;
      return this;
    },
  };
  assert.ok(!isNetworkError(endless));
  assert.ok(asked < 20);
});

test("anything can be thrown", () => {
  const hostile = {
    get name() {
      throw new Error("no name");
    },
    get code() {
      throw new Error("no code");
    },
    get cause() {
      throw new Error("no cause");
    },
  };
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const value of [
    undefined,
    null,
    5,
    "ECONNRESET",
    5n,
    Symbol("x"),
    {},
    [],
    hostile,
    proxy,
    Object.create(null),
  ]) {
    assert.equal(isNetworkError(value), false);
    assert.equal(isAbortError(value), false);
    assert.equal(isTimeoutError(value), false);
    assert.deepEqual(errorOutcome(value), { retryable: false });
  }
  assert.ok(isNetworkError({ code: "ECONNRESET" }));
  for (const key of ["name", "code", "message"]) {
    for (const value of ["Error\0ECONNRESET", "ECONNRESET\0", "\0ECONNRESET\0", "Error\nECONNRESET"]) {
      assert.ok(!isNetworkError({ [key]: value }), JSON.stringify({ [key]: value }));
    }
  }
});

test("a message of any length hides neither its error nor what caused it", () => {
  for (const length of [1e4, 16_383, 16_384, 16_385, 6e4, 1e6]) {
    const long = new Error("x".repeat(length));
    assert.ok(isNetworkError(Object.assign(new Error("x".repeat(length)), { code: "ECONNRESET" })), `${length}`);
    assert.ok(isNetworkError(Object.assign(new Error("\u{1F600}".repeat(length)), { code: "ECONNRESET" })));
    assert.ok(isNetworkError(chain(new Error("x".repeat(length)), coded("ECONNRESET"))));
    assert.ok(isAbortError(new DOMException("x".repeat(length), "AbortError")));
    assert.ok(isTimeoutError(chain(new Error("x".repeat(length)), new DOMException("late", "TimeoutError"))));
    assert.ok(!isNetworkError(long));
  }
});

test("an AggregateError counts by its own code, not by the errors in it", () => {
  const errors = [coded("ECONNREFUSED"), coded("ECONNREFUSED")];
  assert.ok(!isNetworkError(new AggregateError(errors)));
  assert.ok(isNetworkError(Object.assign(new AggregateError(errors), { code: "ECONNREFUSED" })));
  assert.ok(isNetworkError(new AggregateError([], "all failed", { cause: coded("ECONNREFUSED") })));
});

test("httpOutcome names what of its arguments is wrong, and takes null for no options", () => {
  assert.deepEqual(httpOutcome({ status: 503 }, NOW, null), { retryable: true });
  assert.deepEqual(httpOutcome({ status: 503, headers: null }, NOW), { retryable: true });
  for (const response of [undefined, null, 503, "503"]) {
    assert.throws(() => httpOutcome(response, NOW), /^TypeError: response must be an object, got/);
  }
  for (const headers of [{ "retry-after": "7" }, [], { get: "7" }, 5]) {
    assert.throws(() => httpOutcome({ status: 503, headers }, NOW), /^TypeError: headers.get must be a function, got/);
  }
});
