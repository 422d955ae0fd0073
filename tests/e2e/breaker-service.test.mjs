// The example's breakers: one a destination host, shared by all deliveries, in KV or in a Durable Object.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startReceiver } from "./support/receiver.mjs";
import { startService, token } from "./support/service.mjs";
import { until } from "./support/until.mjs";

const adminToken = "administrators-token-that-nobody-else-has";
const FAILURES = 3;
const OPEN_MS = 3_000;
const policy = { baseMs: 1, factor: 1, jitter: "none", maxAttempts: 10, timeoutMs: 500 };

for (const kind of ["kv", "object"]) {
  describe(`BREAKER=${kind}`, () => {
    let service;
    let receiver;

    const admin = (path, init = {}) =>
      service.workerd.fetch(path, { ...init, headers: { authorization: `Bearer ${adminToken}` } });
    const hostOf = (url) => new URL(url).host;
    const force = async (action, host = hostOf(receiver.url)) => {
      const response = await admin(`/breakers/${host}/${action}`, { method: "POST" });
      assert.equal(response.status, 200, await response.clone().text());
      return response.json();
    };
    const seen = async () => {
      const { breakers } = await (await admin("/breakers")).json();
      return breakers.find(({ name }) => name === hostOf(receiver.url));
    };

    before(async () => {
      service = await startService({
        variables: {
          API_TOKEN: token,
          ADMIN_TOKEN: adminToken,
          ALLOW_PRIVATE_TARGETS: "true",
          BREAKER: kind,
          BREAKER_FAILURES: String(FAILURES),
          BREAKER_OPEN_MS: String(OPEN_MS),
        },
      });
      receiver = await startReceiver();
    });
    after(async () => {
      await service.dispose();
      await receiver.close();
    });

    test("an open breaker postpones deliveries without an attempt, and lets them through after recovery", async () => {
      receiver.otherwise({ status: 503 });
      const first = await service.deliver(`${receiver.url}/first`, { policy });
      const refused = await until(async () => {
        const view = await service.view(first.id);
        return view.attempts === FAILURES && view.nextAttemptAt > Date.now() + 500 && view;
      });
      assert.equal(receiver.requests.length, FAILURES);
      assert.equal((await seen()).status, "open");

      const others = await Promise.all(
        Array.from({ length: 5 }, (_, index) => service.deliver(`${receiver.url}/other/${index}`, { policy })),
      );
      const postponed = await Promise.all(
        others.map(({ id }) =>
          until(async () => {
            const view = await service.view(id);
            return view.nextAttemptAt > Date.now() + 100 && view;
          }),
        ),
      );
      const { since, retryAfterMs } = await seen();
      for (const view of [refused, ...postponed]) {
        const afterOpening = view.nextAttemptAt - since;
        assert.ok(afterOpening >= OPEN_MS && afterOpening <= OPEN_MS * 1.1 * 1.1 + 2, `${afterOpening} ms`);
        assert.equal(view.alarm, view.nextAttemptAt);
      }
      for (const view of postponed) assert.deepEqual([view.attempts, view.history], [0, []]);
      assert.ok(retryAfterMs > 0);
      assert.equal(receiver.requests.length, FAILURES, "nothing went out while it was open");

      receiver.otherwise({ status: 200 });
      for (const { id } of others) {
        assert.equal((await service.until(id, "delivered")).attempts, 1);
      }
      assert.equal((await service.until(first.id, "delivered")).attempts, FAILURES + 1);
      assert.equal(receiver.requests.length, FAILURES + 6);
      assert.equal((await seen()).status, "closed");
    });

    test("a host that hangs is ill, a host that answers 404 is not", async () => {
      await force("reset");
      receiver.otherwise({ status: 404 });
      const missing = await service.deliver(`${receiver.url}/missing`, { policy: { ...policy, maxAttempts: 8 } });
      assert.equal((await service.until(missing.id, "gaveUp")).attempts, 8);
      assert.equal((await seen()).status, "closed");

      receiver.otherwise("hang");
      const hanging = await service.deliver(`${receiver.url}/hang`, { policy: { ...policy, timeoutMs: 100 } });
      await until(async () => (await seen()).status === "open");
      assert.equal((await service.view(hanging.id)).attempts, FAILURES);
      receiver.otherwise({ status: 200 });
      await service.until(hanging.id, "delivered");
    });

    test("a delivery whose deadline lies before the breaker's moment gives up", async () => {
      assert.deepEqual((await force("open")).status, "open");
      const deadline = { ...policy, deadlineMs: 1_000 };
      const { id } = await service.deliver(`${receiver.url}/late`, { policy: deadline });
      const view = await service.until(id, "gaveUp");
      assert.deepEqual([view.reason, view.attempts], ["deadline", 0]);
      assert.equal(receiver.to("/late").length, 0);
    });

    test("an administrator opens, closes and resets a breaker", async () => {
      await force("open");
      assert.equal((await seen()).status, "open");
      const { id } = await service.deliver(`${receiver.url}/by-hand`, { policy });
      await until(async () => (await service.view(id)).nextAttemptAt > Date.now() + 100);
      for (const action of ["close", "open", "reset"]) {
        const { status, retryAfterMs } = await force(action);
        assert.equal(status, action === "open" ? "open" : "closed");
        assert.equal(retryAfterMs > 0, action === "open");
      }
      assert.equal((await seen()).status, "closed");
      await service.until(id, "delivered");

      const unheardOf = await force("open", "example.com:8443");
      assert.deepEqual([unheardOf.name, unheardOf.status], ["example.com:8443", "open"]);
      const { breakers } = await (await admin("/breakers")).json();
      assert.deepEqual(
        breakers.map(({ name }) => name),
        [hostOf(receiver.url), "example.com:8443"].sort(),
      );
    });

    test("nobody but an administrator sees or changes breakers", async () => {
      const paths = [
        ["/breakers", "GET"],
        [`/breakers/${hostOf(receiver.url)}/open`, "POST"],
      ];
      for (const [path, method] of paths) {
        assert.equal((await service.request(path, { method })).status, 401, "the token of the API");
        assert.equal((await service.workerd.fetch(path, { method })).status, 401, "no token");
      }
      const asDelivery = await service.workerd.fetch("/deliveries/x", {
        headers: { authorization: `Bearer ${adminToken}` },
      });
      assert.equal(asDelivery.status, 401, "nor does that token open the API");
    });

    test("what is no breaker is refused", async () => {
      const answer = async (path, method) => (await admin(path, { method })).status;
      assert.equal(await answer("/breakers", "POST"), 405);
      assert.equal(await answer("/breakers/example.com/open", "GET"), 405);
      assert.equal(await answer("/breakers/example.com/explode", "POST"), 404);
      assert.equal(await answer("/breakers/example.com", "POST"), 404);
      for (const host of ["Example.com", "a%2Fb", "example.com:80", "user@example.com", "%", "%20", "a%00b"]) {
        assert.equal(await answer(`/breakers/${host}/open`, "POST"), 400, host);
      }
      assert.equal(await answer(`/breakers/${encodeURIComponent("[::1]:8080")}/reset`, "POST"), 200);
    });
  });
}

test("without the secret ADMIN_TOKEN nobody passes", async () => {
  const service = await startService({ variables: { API_TOKEN: token } });
  try {
    for (const authorization of ["Bearer ", "Bearer undefined", `Bearer ${token}`]) {
      assert.equal((await service.workerd.fetch("/breakers", { headers: { authorization } })).status, 401);
    }
  } finally {
    await service.dispose();
  }
});
