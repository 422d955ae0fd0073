// fetchRetry on a fetch that is played: what is sent, how often, and what becomes of bodies.
import assert from "node:assert/strict";
import { test } from "node:test";
import { IdempotencyError, RetryTimeoutError, fetchRetry } from "retry-primitives-wasm/ladder";
import { withClock } from "./support/clock.mjs";
import { thrown } from "./support/failures.mjs";

const URL_ = "https://api.example.com/things";
const FETCH_FAILED = () => new TypeError("fetch failed", { cause: Object.assign(new Error(), { code: "ECONNRESET" }) });

/** A response whose body tells whether it was cancelled. */
function answer(code, headers = {}) {
  const source = { cancelled: false, cancel: () => (source.cancelled = true) };
  const response = new Response(new ReadableStream(source), { status: code, headers });
  return Object.assign(response, { source });
}

/** Plays `fetch`: each answer in turn. It reads what was sent. */
async function withFetch(answers, body) {
  const real = globalThis.fetch;
  const sent = [];
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    sent.push({ input, init, method: request.method, body: await request.text(), headers: request.headers });
    const next = answers[Math.min(sent.length, answers.length) - 1];
    if (next instanceof Error) throw next;
    return next;
  };
  try {
    return await withClock((clock) => body(sent, clock));
  } finally {
    globalThis.fetch = real;
  }
}

const quick = { random: () => 1 };

test("fetchRetry: same signature as fetch, and a response that is fine is handed over as it is", async () => {
  for (const code of [200, 201, 302, 400, 401, 403, 404, 409, 422, 501]) {
    const response = answer(code);
    await withFetch([response], async (sent) => {
      assert.equal(await fetchRetry(URL_), response);
      assert.equal(sent.length, 1);
      assert.equal(response.source.cancelled, false);
    });
  }
  await withFetch([answer(200)], async (sent) => {
    await fetchRetry(new URL(URL_), { headers: { authorization: "Bearer key" }, retries: 5 });
    assert.equal(sent[0].headers.get("authorization"), "Bearer key");
  });
});

test("fetchRetry: GET, HEAD, PUT, DELETE and OPTIONS are retried; POST and PATCH only when idempotent", async () => {
  for (const method of ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "get", "delete"]) {
    await withFetch([answer(503), answer(200)], async (sent) => {
      assert.equal((await fetchRetry(URL_, { method })).status, 200);
      assert.equal(sent.length, 2, method);
    });
  }
  for (const method of ["POST", "PATCH"]) {
    await withFetch([answer(503), answer(200)], async (sent) => {
      const error = await thrown(fetchRetry(URL_, { method, body: "charge" }));
      assert.ok(error instanceof IdempotencyError);
      assert.equal(error.cause.status, 503);
      assert.equal(sent.length, 1, method);
    });
    await withFetch([answer(503), answer(200)], async (sent) => {
      assert.equal((await fetchRetry(URL_, { method, body: "charge", idempotent: true })).status, 200);
      assert.equal(sent.length, 2, method);
    });
    await withFetch([FETCH_FAILED()], async (sent) => {
      assert.ok((await thrown(fetchRetry(URL_, { method, body: "charge" }))) instanceof IdempotencyError);
      assert.equal(sent.length, 1);
    });
  }
  await withFetch([answer(503)], async () => {
    assert.ok(
      (await thrown(fetchRetry(URL_, { idempotent: false }))) instanceof IdempotencyError,
      "what is said counts",
    );
  });
});

test("fetchRetry: a POST's answer that is no failure is an answer", async () => {
  await withFetch([answer(400)], async () => {
    assert.equal((await fetchRetry(URL_, { method: "POST", body: "x" })).status, 400);
  });
});

test("fetchRetry: a 429 with Retry-After: 2 waits exactly 2 seconds; a date until then", async () => {
  for (const [value, wait] of [
    ["2", 2_000],
    ["0", 0],
    ["90", 90_000],
    ["Sun, 06 Nov 1994 08:49:40 GMT", 3_000],
  ]) {
    await withFetch([answer(429, { "retry-after": value }), answer(200)], async (_, clock) => {
      const infos = [];
      const options = { ...quick, baseMs: 500, onRetry: (info) => infos.push(info) };
      assert.equal((await fetchRetry(URL_, options)).status, 200);
      assert.equal(clock.elapsed(), wait);
      const [{ error, ...rest }] = infos;
      assert.deepEqual(rest, { attempt: 1, delayMs: wait, elapsedMs: 0, retryAfter: true });
      assert.deepEqual([error.message, error.status], ["HTTP 429", 429]);
    });
  }
  await withFetch([answer(503, { "retry-after": "1.5" }), answer(200)], async (_, clock) => {
    await fetchRetry(URL_, quick);
    assert.equal(clock.elapsed(), 200, "what names no time leaves it to the backoff");
  });
});

test("fetchRetry: a retryable status that stays comes back as a normal response, with its body", async () => {
  const answers = [answer(503), answer(503), answer(503), answer(503)];
  await withFetch(answers, async (sent) => {
    assert.equal(await fetchRetry(URL_, quick), answers[3]);
    assert.equal(sent.length, 4);
    assert.deepEqual(
      answers.map(({ source }) => source.cancelled),
      [true, true, true, false],
    );
  });
});

test("fetchRetry: network errors throw when the retries are used up, and so does the deadline", async () => {
  const failure = FETCH_FAILED();
  await withFetch([failure], async (sent) => {
    const error = await thrown(fetchRetry(URL_, { ...quick, retries: 2 }));
    assert.deepEqual([error.name, error.attempts, error.cause], ["RetryExhaustedError", 3, failure]);
    assert.equal(sent.length, 3);
  });
  const late = answer(503, { "retry-after": "1800" });
  await withFetch([late], async (_, clock) => {
    const error = await thrown(fetchRetry(URL_, { maxElapsedMs: 900_000 }));
    assert.ok(error instanceof RetryTimeoutError);
    assert.equal(error.cause.headers.get("retry-after"), "1800", "case 7: the server's figure can be seen");
    assert.equal(clock.elapsed(), 0);
    assert.ok(late.source.cancelled);
  });
});

test("fetchRetry: a network error after a 503 is what counts, not the response of before", async () => {
  const bug = new TypeError("x is not a function");
  await withFetch([answer(503), bug], async () => assert.equal(await thrown(fetchRetry(URL_)), bug));
  const failure = FETCH_FAILED();
  await withFetch([answer(503), failure], async () => {
    const error = await thrown(fetchRetry(URL_, { retries: 1 }));
    assert.deepEqual([error.name, error.cause], ["RetryExhaustedError", failure]);
  });
});

test("fetchRetry: options of retry hold", async () => {
  await withFetch([answer(418), answer(202), answer(200)], async (sent) => {
    const options = { retryableStatuses: [418], shouldRetryResult: async ({ status }) => status === 202 };
    assert.equal((await fetchRetry(URL_, options)).status, 200);
    assert.equal(sent.length, 3);
  });
  await withFetch([new Error("odd"), answer(503, { "x-wait": "70" }), answer(200)], async (_, clock) => {
    const getRetryAfterMs = ({ headers }) => headers && Number(headers.get("x-wait"));
    await fetchRetry(URL_, { ...quick, shouldRetry: ({ message }) => message === "odd", getRetryAfterMs });
    assert.equal(clock.elapsed(), 200 + 70);
  });
});

test("fetchRetry: without retries a POST's failure is returned as any other", async () => {
  await withFetch([answer(503)], async (sent) => {
    const response = await fetchRetry(URL_, { method: "POST", body: "charge", retries: 0 });
    assert.deepEqual([response.status, sent.length], [503, 1]);
  });
});

test("fetchRetry: what shouldRetryResult throws ends it, and the response is closed", async () => {
  for (const bug of [new Error("bug"), FETCH_FAILED()]) {
    const response = answer(200);
    await withFetch([response, answer(200)], async (sent) => {
      const shouldRetryResult = async () => {
        throw bug;
      };
      assert.equal(await thrown(fetchRetry(URL_, { shouldRetryResult })), bug);
      assert.deepEqual([sent.length, response.source.cancelled], [1, true]);
    });
  }
});

test("fetchRetry: shouldRetry is not asked about a response", async () => {
  await withFetch([answer(503), answer(404)], async (sent) => {
    const shouldRetry = () => assert.fail("asked");
    assert.equal((await fetchRetry(URL_, { shouldRetry })).status, 404);
    assert.equal(sent.length, 2);
  });
});

test("fetchRetry: a Request as init, any object with getters, and null, are read as fetch reads them", async () => {
  const given = { method: "POST", body: "mine", headers: { "x-mine": "1" } };
  const getters = Object.create(
    {},
    Object.fromEntries(Object.keys(given).map((name) => [name, { enumerable: true, get: () => given[name] }])),
  );
  const request = new Request("https://example.com/other", given);
  for (const [init, status] of [
    [request, 200],
    [getters, 200],
    [Object.create(getters, { retries: { value: 0, enumerable: true } }), 503],
  ]) {
    await withFetch([answer(status)], async (sent) => {
      assert.equal((await fetchRetry(URL_, init)).status, status);
      assert.deepEqual(
        sent.map(({ input, method, body, headers }) => [input, method, body, headers.get("x-mine")]),
        [[URL_, "POST", "mine", "1"]],
      );
    });
  }
  await withFetch([answer(503), answer(200)], async () => assert.equal((await fetchRetry(URL_, null)).status, 200));
});

test("request bodies that can be replayed are: each attempt sends the same", async () => {
  const form = new FormData();
  form.set("field", "value");
  for (const [body, expected] of [
    ["text", "text"],
    [new TextEncoder().encode("bytes"), "bytes"],
    [new TextEncoder().encode("buffer").buffer, "buffer"],
    [new Blob(["blob"]), "blob"],
    [new URLSearchParams({ a: "1" }), "a=1"],
    [form, /name="field"\s+value/],
  ]) {
    await withFetch([answer(503), FETCH_FAILED(), answer(200)], async (sent) => {
      await fetchRetry(URL_, { method: "PUT", body });
      assert.equal(sent.length, 3);
      for (const { body } of sent) assert.match(body, new RegExp(expected));
    });
  }
});

test("a Request is replayed, body, method and headers, and stays as it was", async () => {
  await withFetch([answer(503), FETCH_FAILED(), answer(200)], async (sent) => {
    const request = new Request(URL_, { method: "PUT", body: "mine", headers: { "x-mine": "1" } });
    await fetchRetry(request);
    assert.deepEqual(
      sent.map(({ method, body, headers }) => [method, body, headers.get("x-mine")]),
      Array(3).fill(["PUT", "mine", "1"]),
    );
  });
  await withFetch([answer(503), answer(200)], async (sent) => {
    const request = new Request(URL_, { method: "POST", body: "mine" });
    assert.ok((await thrown(fetchRetry(request))) instanceof IdempotencyError, "its method counts");
    assert.equal(sent.length, 1);
  });
  await withFetch([answer(503), answer(200)], async (sent) => {
    const request = new Request(URL_, { method: "PUT", body: "mine" });
    await fetchRetry(request, { body: "another" });
    assert.deepEqual(
      sent.map(({ body }) => body),
      ["another", "another"],
    );
  });
});

test("case 20: a stream is sent once; a second attempt is refused with a clear error", async () => {
  const stream = () => new Blob(["streamed"]).stream();
  await withFetch([answer(200)], async (sent) => {
    assert.equal((await fetchRetry(URL_, { method: "PUT", body: stream(), duplex: "half" })).status, 200);
    assert.equal(sent[0].body, "streamed");
  });
  for (const failure of [answer(503), FETCH_FAILED()]) {
    await withFetch([failure, answer(200)], async (sent) => {
      const told = [];
      const options = { method: "PUT", body: stream(), duplex: "half", onRetry: (info) => told.push(info) };
      const error = await thrown(fetchRetry(URL_, options));
      assert.ok(error instanceof TypeError);
      assert.match(error.message, /stream that was read/);
      assert.ok(error.cause instanceof Error);
      assert.equal(sent.length, 1);
      assert.deepEqual(told, []);
      if (failure.source) assert.ok(failure.source.cancelled);
    });
  }
  const last = answer(503);
  await withFetch([last], async () => {
    assert.equal(await fetchRetry(URL_, { method: "PUT", body: stream(), duplex: "half", retries: 0 }), last);
  });
});

test("case 20: a Request that was read already is refused, and not taken for a network error", async () => {
  for (const method of ["PUT", "POST"]) {
    const request = new Request(URL_, { method, body: "mine" });
    await request.text();
    await withFetch([answer(200)], async (sent) => {
      const error = await thrown(fetchRetry(request));
      assert.ok(error instanceof TypeError);
      assert.match(error.message, /stream that was read/);
      assert.equal(sent.length, 0);
    });
  }
});

test("case 20: a stream that was read already fails once, with the runtime's own error", async () => {
  const stream = new Blob(["x"]).stream();
  await new Response(stream).text();
  await withFetch([answer(200)], async (sent) => {
    const error = await thrown(fetchRetry(URL_, { method: "PUT", body: stream, duplex: "half" }));
    assert.ok(error instanceof TypeError);
    assert.equal(sent.length, 0);
  });
});

test("Cancellation: the signal of init, or else of the Request, reaches fetch and ends the backoff", async () => {
  for (const make of [
    (signal) => fetchRetry(URL_, { signal, retries: 5 }),
    (signal) => fetchRetry(new Request(URL_, { signal }), { retries: 5 }),
    (signal) => fetchRetry(new Request(URL_, { signal }), { retries: 5, maxElapsedMs: 60_000 }),
  ]) {
    const controller = new AbortController();
    await withFetch([answer(503)], async (sent, clock) => {
      const { setTimeout } = globalThis;
      globalThis.setTimeout = (callback, ms) => {
        queueMicrotask(() => controller.abort());
        return setTimeout(callback, ms);
      };
      const error = await thrown(make(controller.signal));
      assert.equal(error.name, "AbortError");
      assert.ok(sent.length <= 1);
      assert.equal(clock.elapsed(), 0);
    });
  }
});

test("Cancellation: with a deadline too, an abort after the response still reaches its body", async () => {
  const controller = new AbortController();
  await withFetch([answer(200)], async (sent) => {
    await fetchRetry(URL_, { signal: controller.signal, maxElapsedMs: 1_000 });
    const { signal } = sent[0].init;
    assert.equal(signal.aborted, false);
    controller.abort();
    assert.equal(signal.aborted, "any" in AbortSignal);
  });
});
