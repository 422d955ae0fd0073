// A delivery from its acceptance to its end.
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { startReceiver } from "./support/receiver.mjs";
import { accepted, decidedInstant, quick, startService } from "./support/service.mjs";

const receiver = await startReceiver();
const service = await startService();
after(async () => {
  await service.dispose();
  await receiver.close();
});

const bodies = (path) => receiver.to(path).map(({ body }) => body.toString());
const failing = (count, behaviour = { status: 500 }) => Array(count).fill(behaviour);

describe("a delivery", { concurrency: true }, () => {
  test("is accepted with 202 and an id, and shows where it stands", async () => {
    const before = Date.now();
    const view = await service.deliver(`${receiver.url}/accepted`);
    assert.match(view.id, /^[^.\s/]+$/, "a webhook-id has no full stop");
    assert.equal(view.status, "waiting");
    assert.equal(view.attempts, 0);
    assert.ok(view.nextAttemptAt >= before && view.nextAttemptAt <= Date.now() + 1, "the first attempt is due at once");
    assert.ok(view.alarm >= view.nextAttemptAt);

    const delivered = await service.until(view.id, "delivered");
    assert.equal(delivered.id, view.id);
    assert.equal(delivered.attempts, 1);
    assert.equal(delivered.nextAttemptAt, null);
    assert.equal(delivered.alarm, null);
    assert.equal(receiver.to("/accepted").length, 1);
    assert.equal(receiver.to("/accepted")[0].method, "POST");
    assert.equal(receiver.to("/accepted")[0].headers["content-type"], "application/json");
  });

  test("needs no policy", async () => {
    const { id } = await accepted(await service.post({ url: `${receiver.url}/defaults`, payload: {} }));
    assert.equal((await service.until(id, "delivered")).attempts, 1);
  });

  test("fails twice, then succeeds", async () => {
    receiver.behave("/twice", ...failing(2, { status: 503 }));
    const { id } = await service.deliver(`${receiver.url}/twice`);
    const { attempts, history } = await service.until(id, "delivered");
    assert.equal(attempts, 3);
    assert.deepEqual(
      history.map(({ attempt, status }) => [attempt, status]),
      [
        [1, 503],
        [2, 503],
        [3, 200],
      ],
    );
    assert.equal(receiver.to("/twice").length, 3);
  });

  test("is still armed after nine failures in a row, and succeeds with the tenth attempt", async () => {
    const ninth = { status: 503, headers: { "retry-after": "1" } };
    receiver.behave("/nine", { status: 500 }, "drop", ...failing(6), ninth);
    const { id } = await service.deliver(`${receiver.url}/nine`);
    const view = await service.until(id, "waiting", { attempts: 9 });
    assert.equal(view.alarm, view.nextAttemptAt);
    assert.equal(view.alarm, decidedInstant(view));
    assert.equal((await service.until(id, "delivered")).attempts, 10);
    assert.equal(receiver.to("/nine").length, 10);
  });

  test("goes on past twenty failures at the platform's alarm", async () => {
    receiver.behave("/twenty", ...failing(20));
    const { id } = await service.deliver(`${receiver.url}/twenty`);
    assert.equal((await service.until(id, "delivered")).attempts, 21);
  });

  test("waits as its policy says, with the alarm at the very instant that was decided", async () => {
    receiver.behave("/curve", ...failing(3));
    const policy = { ...quick, baseMs: 600, factor: 2, maxDelayMs: 1_500 };
    const { id } = await service.deliver(`${receiver.url}/curve`, { policy });
    for (const [index, delayMs] of [600, 1_200, 1_500].entries()) {
      const view = await service.until(id, "waiting", { attempts: index + 1 });
      assert.equal(view.history.at(-1).delayMs, delayMs);
      assert.equal(view.nextAttemptAt, decidedInstant(view));
      assert.equal(view.alarm, view.nextAttemptAt);
      await receiver.until(() => receiver.to("/curve").length > index + 1);
      const { at } = receiver.to("/curve")[index + 1];
      assert.ok(at >= view.nextAttemptAt, `the attempt came ${view.nextAttemptAt - at} ms early`);
    }
    await service.until(id, "delivered");
  });

  test("waits within the bounds of its jitter", async () => {
    for (const [jitter, least] of Object.entries({ full: 0, equal: 400 })) {
      receiver.behave(`/jitter/${jitter}`, { status: 500 });
      const policy = { ...quick, baseMs: 800, jitter };
      const { id } = await service.deliver(`${receiver.url}/jitter/${jitter}`, { policy });
      const { history } = await service.until(id, "delivered");
      assert.ok(history[0].delayMs >= least && history[0].delayMs <= 800, `${jitter}: ${history[0].delayMs}`);
    }
  });

  test("gives up after the attempts that its policy allows", async () => {
    receiver.behave("/three", ...failing(3));
    const { id } = await service.deliver(`${receiver.url}/three`, { policy: { ...quick, maxAttempts: 3 } });
    const view = await service.until(id, "gaveUp");
    assert.equal(view.reason, "maxAttempts");
    assert.equal(view.attempts, 3);
    assert.equal(view.nextAttemptAt, null);
    assert.equal(view.alarm, null);
    assert.equal(receiver.to("/three").length, 3);
  });

  test("gives up at once when the next wait would end past the deadline", async () => {
    receiver.behave("/deadline", { status: 500 });
    const policy = { ...quick, baseMs: 2_000, deadlineMs: 1_500 };
    const { id } = await service.deliver(`${receiver.url}/deadline`, { policy });
    const view = await service.until(id, "gaveUp");
    assert.equal(view.reason, "deadline");
    assert.equal(view.attempts, 1);
    assert.equal(view.alarm, null);
  });

  test("sends the same bytes each time, those that were posted, under the same id", async () => {
    const payloads = [
      `{ "b": 1.0,\n\t"a" : 12345678901234567890, "a":-0, "e": 1E+5, "x" :0.10 }`,
      String.raw`{"escaped":"\u00e9\ud83d\ude00\/\u0000","lone":"\ud800","raw":"é😀\\"}`,
      `[ ]`,
      `"text"`,
      `null`,
      `1.000000000000000000000000000000000001`,
      `{"__proto__":{"a":1},"constructor":null}`,
      `${"[".repeat(2_000)}${"]".repeat(2_000)}`,
    ];
    await Promise.all(
      payloads.map(async (payload, index) => {
        const path = `/bytes/${index}`;
        receiver.behave(path, { status: 500 }, "drop");
        const text = `{"policy": ${JSON.stringify(quick)}, "payload":\r\n ${payload} , "url": "${receiver.url}${path}"}`;
        const { id } = await accepted(await service.post(text));
        await service.until(id, "delivered");
        assert.deepEqual(bodies(path), [payload, payload, payload]);
        for (const { headers } of receiver.to(path)) {
          assert.equal(headers["webhook-id"], id);
          assert.equal(headers["content-length"], `${Buffer.byteLength(payload)}`);
        }
      }),
    );
  });

  test("tells the receiver the time of each attempt, in seconds", async () => {
    receiver.behave("/timestamp", { status: 503, headers: { "retry-after": "1" } });
    const { id } = await service.deliver(`${receiver.url}/timestamp`);
    await service.until(id, "delivered");
    for (const { at, headers } of receiver.to("/timestamp")) {
      assert.match(headers["webhook-timestamp"], /^\d+$/);
      assert.ok(Math.abs(at / 1000 - Number(headers["webhook-timestamp"])) < 3);
    }
    const [first, second] = receiver.to("/timestamp").map(({ headers }) => Number(headers["webhook-timestamp"]));
    assert.ok(second > first);
  });

  test("has an id of its own, and an object of its own", async () => {
    const views = await Promise.all(
      Array.from({ length: 20 }, (_, number) => service.deliver(`${receiver.url}/many`, { payload: number })),
    );
    // One due at once may have to wait while its alarm is being armed, on a busy machine.
    assert.ok(views.every(({ alarm, nextAttemptAt }) => alarm >= nextAttemptAt && alarm < nextAttemptAt + 1_000));
    assert.ok(views.some(({ alarm, nextAttemptAt }) => alarm === nextAttemptAt));
    const ids = views.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    await Promise.all(ids.map((id) => service.until(id, "delivered")));
    for (const { body, headers } of receiver.to("/many")) {
      assert.equal(headers["webhook-id"], ids[Number(body.toString())]);
    }
    assert.equal(receiver.to("/many").length, ids.length);
  });

  test("asked for again under the same idempotency key, is the same delivery", async () => {
    const webhook = { url: `${receiver.url}/once`, payload: { event: "once" }, policy: quick };
    const ask = (key) => service.post(webhook, { headers: { "idempotency-key": key } });
    const asked = await Promise.all(["order 7", "order 7", "order 8"].map(async (key) => accepted(await ask(key))));
    assert.equal(asked[0].id, asked[1].id);
    assert.notEqual(asked[0].id, asked[2].id);
    await Promise.all(asked.map(({ id }) => service.until(id, "delivered")));
    assert.equal((await accepted(await ask("order 7"))).status, "delivered");
    assert.equal(receiver.to("/once").length, 2);
  });

  test("is unchanged by a restart once it is over", async () => {
    // Alone in its own service: the other tests must not see the restart.
    const own = await startService();
    try {
      receiver.behave("/over/gone", { status: 410 });
      const [delivered, gone, cancelled] = await Promise.all([
        own.deliver(`${receiver.url}/over/delivered`).then(({ id }) => own.until(id, "delivered")),
        own.deliver(`${receiver.url}/over/gone`).then(({ id }) => own.until(id, "gaveUp")),
        own.deliver("http://127.0.0.1:1/", { policy: { ...quick, baseMs: 60_000 } }).then(async ({ id }) => {
          await own.until(id, "waiting", { attempts: 1 });
          return (await own.cancel(id)).json();
        }),
      ]);
      await own.workerd.restart();
      for (const view of [delivered, gone, cancelled]) assert.deepEqual(await own.view(view.id), view);
    } finally {
      await own.dispose();
    }
  });
});
