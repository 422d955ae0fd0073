// Requests that are refused, and what the refusal says.
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { startReceiver } from "./support/receiver.mjs";
import { accepted, quick, startService, token } from "./support/service.mjs";

const receiver = await startReceiver();
const service = await startService();
after(async () => {
  await service.dispose();
  await receiver.close();
});

const url = "https://example.com/hook";
const anyId = "0123456789abcdef".repeat(4);

/** The error in the body of an answer, which must be JSON and have this status. */
async function problem(response, status) {
  const text = await response.text();
  assert.equal(response.status, status, text);
  assert.match(response.headers.get("content-type"), /^application\/json\b/);
  const { error } = JSON.parse(text);
  assert.equal(typeof error.message, "string");
  assert.notEqual(error.message, "");
  return error;
}

describe("without the token", { concurrency: true }, () => {
  const headers = {
    "no header": {},
    "an empty header": { authorization: "" },
    "another token": { authorization: "Bearer another-token" },
    "the start of the token": { authorization: `Bearer ${token.slice(0, -1)}` },
    "more than the token": { authorization: `Bearer ${token}x` },
    "the token in other letters": { authorization: `Bearer ${token.toUpperCase()}` },
    "no scheme": { authorization: token },
    "another scheme": { authorization: `Basic ${token}` },
    "an empty token": { authorization: "Bearer " },
  };
  for (const [name, header] of Object.entries(headers)) {
    test(`${name}: every route is 401`, async () => {
      for (const [method, path] of [
        ["POST", "/deliveries"],
        ["GET", `/deliveries/${anyId}`],
        ["DELETE", `/deliveries/${anyId}`],
        ["PUT", "/deliveries"],
        ["GET", "/"],
        ["GET", "/nothing"],
      ]) {
        const body =
          method === "POST" ? JSON.stringify({ url: `${receiver.url}/unauthorized`, payload: 1 }) : undefined;
        const response = await service.workerd.fetch(path, { method, headers: header, body });
        assert.match(response.headers.get("www-authenticate"), /^Bearer\b/);
        await problem(response, 401);
      }
      assert.equal(receiver.to("/unauthorized").length, 0);
    });
  }

  test("a delivery is neither shown nor cancelled", async () => {
    receiver.behave("/kept", { status: 503, headers: { "retry-after": "60" } });
    const { id } = await service.deliver(`${receiver.url}/kept`);
    const view = await service.until(id, "waiting", { attempts: 1 });
    for (const method of ["GET", "DELETE"]) {
      const { message } = await problem(await service.workerd.fetch(`/deliveries/${id}`, { method }), 401);
      assert.ok(!message.includes(id));
    }
    assert.deepEqual(await service.view(id), view);
    await service.cancel(id);
  });

  test("the scheme's letters don't matter", async () => {
    const response = await service.post(
      { url: `${receiver.url}/case`, payload: 1 },
      { headers: { authorization: `bEARER ${token}` } },
    );
    await accepted(response);
  });
});

describe("a body", { concurrency: true }, () => {
  const payload = { a: 1 };
  const bad = [
    ["body", "nothing", ""],
    ["body", "not JSON", "hello"],
    ["body", "cut JSON", `{"url":"${url}","payload":{"a":1}`],
    ["body", "JSON and more", `{"url":"${url}","payload":1}{}`],
    ["body", "an array", "[]"],
    ["body", "a string", `"${url}"`],
    ["body", "null", "null"],
    ["body", "a number out of JSON", `{"url":"${url}","payload":NaN}`],
    ["url", "no url", { payload }],
    ["url", "null for a url", { url: null, payload }],
    ["url", "a number for a url", { url: 7, payload }],
    ["url", "a list for a url", { url: [url], payload }],
    ["url", "an empty url", { url: "", payload }],
    ["url", "a relative url", { url: "/hook", payload }],
    ["url", "a url without a scheme", { url: "example.com/hook", payload }],
    ["url", "a url without a host", { url: "http://", payload }],
    ["url", "an impossible port", { url: "http://example.com:99999/", payload }],
    ...["ftp://example.com/", "file:///etc/passwd", "javascript:alert(1)", "data:,x", "ws://example.com/"].map(
      (other) => ["url", `the scheme of ${other}`, { url: other, payload }],
    ),
    ["payload", "no payload", { url }],
    ["policy", "null for a policy", { url, payload, policy: null }],
    ["policy", "a string for a policy", { url, payload, policy: "fast" }],
    ["policy", "a list for a policy", { url, payload, policy: [] }],
    ...[
      ["baseMs", [0, -1, 3_600_001, "100", null, true, 1e308]],
      ["factor", [0, 0.99, 10.01, -2, "2", null]],
      ["maxAttempts", [0, -1, 1.5, 101, "3", null, 1e300]],
      ["deadlineMs", [0, 999, 2_592_000_001, "1000", null]],
      ["maxDelayMs", [0, -1, 604_800_001, "1", null]],
      ["timeoutMs", [0, 99, 60_001, -1, "1000", null]],
      ["jitter", ["some", "", 1, null, {}, "decorrelated"]],
    ].flatMap(([name, values]) =>
      values.map((value) => [
        `policy.${name}`,
        `${JSON.stringify(value)} for ${name}`,
        { url, payload, policy: { [name]: value } },
      ]),
    ),
    ["policy.maxAttemps", "an option misspelt", { url, payload, policy: { maxAttemps: 3 } }],
    ["ulr", "a field misspelt", { url, payload, ulr: url }],
  ];
  for (const [field, name, body] of bad) {
    test(`with ${name} is refused, and the error names ${field}`, async () => {
      const error = await problem(await service.post(body), 400);
      assert.equal(error.field, field);
      assert.ok(error.message.includes(field), error.message);
    });
  }

  test("in another encoding than UTF-8 is refused", async () => {
    const body = Buffer.from(`{"url":"${url}","payload":"\xe9"}`, "latin1");
    const response = await service.request("/deliveries", { method: "POST", body });
    assert.equal((await problem(response, 400)).field, "body");
  });

  test("with a policy nested ten thousand deep is refused", async () => {
    const nested = `${"[".repeat(10_000)}${"]".repeat(10_000)}`;
    const error = await problem(await service.post(`{"url":"${url}","payload":1,"policy":${nested}}`), 400);
    assert.equal(error.field, "policy");
  });

  test("is told no credentials back", async () => {
    const body = { url: "https://user:pa55word@example.com/", payload };
    const { field, message } = await problem(await service.post(body), 400);
    assert.equal(field, "url");
    assert.ok(!message.includes("pa55word"));
  });

  test("at the ends of each range is accepted", async () => {
    const least = {
      baseMs: 1,
      factor: 1,
      maxAttempts: 1,
      deadlineMs: 1_000,
      maxDelayMs: 1,
      timeoutMs: 100,
      jitter: "full",
    };
    const most = {
      baseMs: 3_600_000,
      factor: 10,
      maxAttempts: 100,
      deadlineMs: 2_592_000_000,
      maxDelayMs: 604_800_000,
      timeoutMs: 60_000,
      jitter: "equal",
    };
    // One attempt of 100 ms may well be too short on a busy machine: that it is accepted is enough.
    await service.deliver(`${receiver.url}/range`, { policy: least });
    for (const policy of [most, {}]) {
      const { id } = await service.deliver(`${receiver.url}/range`, { policy });
      await service.until(id, "delivered");
    }
  });
});

describe("a body's size", { concurrency: true }, () => {
  const limit = 256 * 1024;

  /** A body of this many bytes, most of it two to a character. */
  function sized(bytes, path) {
    const [start, end] = [`{"url":"${receiver.url}${path}","policy":${JSON.stringify(quick)},"payload":"`, `"}`];
    const room = bytes - start.length - end.length;
    const body = `${start}${"é".repeat(room >> 1)}${"x".repeat(room & 1)}${end}`;
    assert.equal(Buffer.byteLength(body), bytes);
    return body;
  }

  const chunked = (body) => {
    const bytes = Buffer.from(body);
    let sent = 0;
    return new ReadableStream({
      pull(controller) {
        if (sent >= bytes.length) return controller.close();
        controller.enqueue(bytes.subarray(sent, (sent += 10_000)));
      },
    });
  };
  const ways = {
    "with a content-length": (body) => service.post(body),
    "in chunks": (body) => service.post(chunked(body), { duplex: "half" }),
  };
  for (const [way, post] of Object.entries(ways)) {
    for (const bytes of [limit - 1, limit]) {
      test(`of ${bytes} ${way} is accepted, and all of it arrives`, async () => {
        const path = `/size/${bytes}/${encodeURIComponent(way)}`;
        const body = sized(bytes, path);
        receiver.behave(path, { status: 500 });
        const { id } = await accepted(await post(body));
        await service.until(id, "delivered");
        const payload = body.slice(body.indexOf(`"payload":`) + `"payload":`.length, -1);
        for (const request of receiver.to(path)) assert.equal(request.body.toString(), payload);
        assert.equal(receiver.to(path).length, 2);
      });
    }

    for (const bytes of [limit + 1, 2 * limit, 16 * limit]) {
      test(`of ${bytes} ${way} is refused`, async () => {
        const error = await problem(await post(sized(bytes, "/too-large")), 413);
        assert.equal(error.field, "body");
        assert.equal(receiver.to("/too-large").length, 0);
      });
    }
  }
});

describe("a route", { concurrency: true }, () => {
  test("that there is not is 404", async () => {
    for (const path of ["/", "/deliverie", "/deliveries/", "/deliveries/a/b", `/deliveries/${anyId}/`, "/DELIVERIES"]) {
      await problem(await service.request(path), 404);
    }
  });

  test("asked with a method it has not is 405, and says which it has", async () => {
    for (const [path, methods, allowed] of [
      ["/deliveries", ["GET", "PUT", "PATCH", "DELETE"], ["POST"]],
      [`/deliveries/${anyId}`, ["POST", "PUT", "PATCH"], ["GET", "DELETE"]],
    ]) {
      for (const method of methods) {
        const response = await service.request(path, { method });
        assert.deepEqual(response.headers.get("allow")?.split(/\s*,\s*/), allowed, "RFC 9110, 15.5.6");
        await problem(response, 405);
      }
    }
  });

  test("of an id that there is not is 404", async () => {
    for (const id of [
      "1",
      "x".repeat(64),
      anyId,
      anyId.toUpperCase(),
      "0".repeat(64),
      "%00",
      "..%2f",
      "é",
      "a".repeat(5_000),
    ]) {
      for (const method of ["GET", "DELETE"])
        await problem(await service.request(`/deliveries/${id}`, { method }), 404);
    }
  });

  test("of an id that another service gave out is 404", async () => {
    // Its data is not here, but its form is right: the platform would make an object for it.
    const other = await startService();
    try {
      const { id } = await other.deliver(`${receiver.url}/other`);
      for (const method of ["GET", "DELETE"])
        await problem(await service.request(`/deliveries/${id}`, { method }), 404);
      assert.equal((await other.until(id, "delivered")).id, id);
    } finally {
      await other.dispose();
    }
  });
});

test("no log, answer or request to a receiver has the token in it", async () => {
  receiver.behave("/token", { status: 500 }, "drop");
  const { id } = await service.deliver(`${receiver.url}/token`);
  const view = await service.until(id, "delivered");
  const answers = await Promise.all(
    [
      service.post("hello"),
      service.request("/nothing"),
      service.request(`/deliveries/${anyId}`),
      service.workerd.fetch("/deliveries", { headers: { authorization: `Bearer ${token}x` } }),
    ].map(async (response) => (await response).text()),
  );
  const requests = receiver.requests.map(({ headers, body }) => [headers, body.toString()]);
  assert.notEqual(requests.length, 0);
  for (const said of [service.workerd.logs, view, answers, requests]) {
    assert.ok(!JSON.stringify(said).includes(token));
  }
  assert.deepEqual(
    service.workerd.logs.filter(({ level }) => level === "error"),
    [],
    "what callers do wrong is no error of the service",
  );
});
