// What the variables of a deployment switch on and off.
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { exampleWorkerOptions } from "../../scripts/lib/worker-options.mjs";
import { startReceiver } from "./support/receiver.mjs";
import { quick, startService, token } from "./support/service.mjs";

const receiver = await startReceiver();
after(() => receiver.close());

/** Runs `use` with a service that has these variables. */
async function withService(variables, use) {
  const service = await startService({ variables });
  try {
    await use(service);
  } finally {
    await service.dispose();
  }
}

describe("without API_TOKEN everyone is refused", () => {
  for (const [name, variables] of [
    ["unset", {}],
    ["empty", { API_TOKEN: "" }],
  ]) {
    test(name, () =>
      withService({ ...variables, ALLOW_PRIVATE_TARGETS: "true" }, async (service) => {
        for (const authorization of [
          undefined,
          "",
          "Bearer",
          "Bearer ",
          "Bearer  ",
          "Bearer undefined",
          `Bearer ${token}`,
        ]) {
          const headers = authorization === undefined ? {} : { authorization };
          const body = JSON.stringify({ url: `${receiver.url}/nobody`, payload: 1 });
          const response = await service.workerd.fetch("/deliveries", { method: "POST", headers, body });
          assert.equal(response.status, 401, authorization);
          assert.ok((await response.json()).error.message);
        }
        assert.equal(receiver.to("/nobody").length, 0);
        assert.ok(!JSON.stringify(service.workerd.logs).includes(token));
      }),
    );
  }
});

describe("without ALLOW_PRIVATE_TARGETS and DEMO_RECEIVER", async () => {
  const refused = [
    "http://127.0.0.1/",
    "http://127.1:8080/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://127.0.0.1./",
    "http://localhost/",
    "http://LOCALHOST:3000/",
    "http://a.localhost/",
    "http://0.0.0.0/",
    "http://10.0.0.1/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://192.168.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://100.64.0.1/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::127.0.0.1]/",
    "http://[fd00::1]/",
    "http://[fe80::1]/",
    "http://[64:ff9b::10.0.0.1]/",
    "http://１２７.０.０.１/",
    "http://router/",
    "http://service.internal/",
    "http://printer.local/",
  ];
  for (const value of [undefined, "", "false", "1", "TRUE"]) {
    test(`private targets are refused, and there is no demo receiver, when they are ${value}`, () => {
      const switches = value === undefined ? {} : { ALLOW_PRIVATE_TARGETS: value, DEMO_RECEIVER: value };
      return withService({ API_TOKEN: token, ...switches }, async (service) => {
        for (const url of [`${receiver.url}/private`, ...refused]) {
          const response = await service.post({ url, payload: 1 });
          assert.equal(response.status, 400, url);
          assert.equal((await response.json()).error.field, "url", url);
        }
        assert.equal(receiver.to("/private").length, 0);

        for (const method of ["GET", "POST"]) {
          const path = "/demo/receiver?failures=1";
          assert.equal((await service.workerd.fetch(path, { method })).status, 401);
          assert.equal((await service.request(path, { method })).status, 404);
        }
      });
    });
  }
});

test("public targets are called without ALLOW_PRIVATE_TARGETS", async () => {
  const called = [];
  const outboundService = ({ url }) => {
    called.push(url);
    return new Response();
  };
  const worker = { ...exampleWorkerOptions({ API_TOKEN: token }), outboundService };
  const service = await startService({ worker });
  try {
    const targets = [
      "https://example.com/hook?a=1",
      "http://8.8.8.8/",
      "http://172.32.0.1:8080/",
      "https://[2606:4700::1]/",
    ];
    for (const url of targets) {
      const { id } = await service.deliver(url);
      await service.until(id, "delivered");
    }
    assert.deepEqual(called, targets);
  } finally {
    await service.dispose();
  }
});

describe("the demo receiver", { concurrency: true }, async () => {
  const variables = { API_TOKEN: token, ALLOW_PRIVATE_TARGETS: "true", DEMO_RECEIVER: "true" };
  const service = await startService({ variables });
  after(() => service.dispose());

  const deliver = (query, policy) =>
    service.deliver(`${service.url}/demo/receiver?${query}`, { policy: { ...quick, ...policy } });
  const statuses = ({ history }) => history.map(({ status }) => status);

  test("accepts what it is sent, from anybody", async () => {
    const { id } = await deliver("");
    assert.deepEqual(statuses(await service.until(id, "delivered")), [200]);
    const response = await service.workerd.fetch("/demo/receiver", { method: "POST", body: "{}" });
    assert.equal(response.status, 200);
    await response.body.cancel();
  });

  test("fails the first n times", async () => {
    const { id } = await deliver("failures=3");
    assert.deepEqual(statuses(await service.until(id, "delivered")), [503, 503, 503, 200]);
  });

  test("counts each delivery for itself", async () => {
    const views = await Promise.all([deliver("failures=2"), deliver("failures=2"), deliver("failures=2")]);
    for (const { id } of views) assert.equal((await service.until(id, "delivered")).attempts, 3);
  });

  test("answers any status", async () => {
    for (const status of [201, 204, 205, 299, 301, 304, 400, 404, 429, 500, 599]) {
      const { id } = await deliver(`failures=1&status=${status}`);
      const expected = status < 300 ? [status] : [status, 200];
      assert.deepEqual(statuses(await service.until(id, "delivered")), expected);
    }
    const { id } = await deliver("failures=1&status=410");
    assert.deepEqual(statuses(await service.until(id, "gaveUp")), [410]);
  });

  test("asks for a wait with Retry-After, in either form", async () => {
    const date = new Date(Math.floor(Date.now() / 1000) * 1000 + 4_000);
    for (const [retryAfter, floor] of [
      ["2", Date.now() + 2_000],
      [date.toUTCString(), +date],
    ]) {
      const { id } = await deliver(`failures=1&status=429&retryAfter=${encodeURIComponent(retryAfter)}`);
      const view = await service.until(id, "waiting", { attempts: 1 });
      assert.ok(view.nextAttemptAt >= floor, retryAfter);
      assert.equal(view.alarm, view.nextAttemptAt);
      const { history } = await service.until(id, "delivered");
      assert.ok(history[1].startedAt >= floor, retryAfter);
    }
  });

  test("is slow on demand", async () => {
    const { id } = await deliver("slowMs=600");
    const { history } = await service.until(id, "delivered");
    assert.ok(history[0].tookMs >= 600);
  });

  test("is too slow on demand", async () => {
    const { id } = await deliver("slowMs=5000", { timeoutMs: 200, maxAttempts: 2 });
    const view = await service.until(id, "gaveUp");
    assert.deepEqual(statuses(view), [undefined, undefined]);
    assert.match(view.history[0].error, /200 ms/);
  });

  test("answers nonsense with its defaults", async () => {
    for (const query of [
      "failures=x",
      "failures=-1",
      "failures=1&status=9999",
      "slowMs=-5",
      "failures=0&retryAfter=",
    ]) {
      const { id } = await deliver(query);
      await service.until(id, "delivered");
    }
  });
});
