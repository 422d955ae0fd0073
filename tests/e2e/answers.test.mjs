// What a receiver's answer does to a delivery.
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { startReceiver } from "./support/receiver.mjs";
import { decidedInstant, quick, startService } from "./support/service.mjs";

const receiver = await startReceiver();
const service = await startService();
after(async () => {
  await service.dispose();
  await receiver.close();
});

const deliver = (path, policy) => service.deliver(receiver.url + path, policy && { policy: { ...quick, ...policy } });
const statuses = ({ history }) => history.map(({ status }) => status);

describe("the status", { concurrency: true }, () => {
  for (const status of [200, 201, 202, 203, 204, 205, 206, 207, 226, 250, 299]) {
    test(`${status} is delivered`, async () => {
      receiver.behave(`/good/${status}`, { status });
      const { id } = await deliver(`/good/${status}`);
      const view = await service.until(id, "delivered");
      assert.deepEqual([view.attempts, statuses(view), view.alarm], [1, [status], null]);
      assert.equal(receiver.to(`/good/${status}`).length, 1);
    });
  }

  for (const status of [300, 301, 302, 303, 304, 305, 307, 308, 399]) {
    test(`${status} is a failure, and its Location is not followed`, async () => {
      receiver.behave(`/moved/${status}`, { status, headers: { location: `${receiver.url}/elsewhere` } });
      const { id } = await deliver(`/moved/${status}`);
      const view = await service.until(id, "delivered");
      assert.deepEqual(statuses(view), [status, 200]);
      assert.deepEqual(
        receiver.to(`/moved/${status}`).map(({ method }) => method),
        ["POST", "POST"],
      );
      assert.equal(receiver.to("/elsewhere").length, 0);
    });
  }

  for (const status of [400, 401, 403, 404, 408, 409, 411, 418, 422, 425, 429, 451, 499]) {
    test(`${status} is a failure, and the delivery goes on`, async () => {
      receiver.behave(`/refused/${status}`, { status });
      const { id } = await deliver(`/refused/${status}`);
      assert.deepEqual(statuses(await service.until(id, "delivered")), [status, 200]);
    });
  }

  for (const status of [500, 501, 502, 503, 504, 505, 507, 520, 599]) {
    test(`${status} is a failure, and the delivery goes on`, async () => {
      receiver.behave(`/failed/${status}`, { status });
      const { id } = await deliver(`/failed/${status}`);
      assert.deepEqual(statuses(await service.until(id, "delivered")), [status, 200]);
    });
  }

  test("410 gives up, whatever Retry-After says", async () => {
    receiver.behave("/gone", { status: 410, headers: { "retry-after": "0" } });
    const { id } = await deliver("/gone");
    const view = await service.until(id, "gaveUp");
    assert.deepEqual([view.attempts, view.reason, statuses(view)], [1, "nonRetryable", [410]]);
    assert.deepEqual([view.nextAttemptAt, view.alarm], [null, null]);
    assert.equal(receiver.to("/gone").length, 1);
  });

  test("410 gives up after other failures too", async () => {
    receiver.behave("/gone/later", { status: 503 }, { status: 500 }, { status: 410 });
    const { id } = await deliver("/gone/later");
    assert.deepEqual(statuses(await service.until(id, "gaveUp")), [503, 500, 410]);
  });
});

describe("Retry-After", { concurrency: true }, () => {
  const afterSeconds = (seconds) => new Date((Math.floor(Date.now() / 1000) + seconds) * 1000);
  const imf = (date) => date.toUTCString();
  const rfc850 = (date) => {
    const [, weekday, day, month, , year, time] = imf(date).match(/^(\w+), (\d+) (\w+) (\d\d)(\d\d) (\S+) GMT$/);
    const weekdays = { Mon: "Monday", Tue: "Tuesday", Wed: "Wednesday", Thu: "Thursday", Fri: "Friday" };
    const name = { ...weekdays, Sat: "Saturday", Sun: "Sunday" }[weekday];
    return `${name}, ${day}-${month}-${year} ${time} GMT`;
  };
  const asctime = (date) => {
    const [, weekday, day, month, year, time] = imf(date).match(/^(\w+), (\d+) (\w+) (\d+) (\S+) GMT$/);
    return `${weekday} ${month} ${day.replace(/^0/, " ")} ${time} ${year}`;
  };

  /** The first answer carries `value()`; resolves to the delivery as it waits, and the two requests. */
  async function floored(path, status, value, policy) {
    let floor;
    receiver.behave(path, ({ at }) => {
      const { text, moment } = value(at);
      floor = moment;
      return { status, headers: { "retry-after": text } };
    });
    const { id } = await deliver(path, policy);
    const view = await service.until(id, "waiting", { attempts: 1 });
    await service.until(id, "delivered");
    return { view, floor, requests: receiver.to(path) };
  }

  const forms = {
    seconds: (at) => ({ text: "2", moment: at + 2_000 }),
    "an HTTP-date": () => ({ text: imf(afterSeconds(3)), moment: +afterSeconds(3) }),
    "an HTTP-date of RFC 850": () => ({ text: rfc850(afterSeconds(3)), moment: +afterSeconds(3) }),
    "an HTTP-date of asctime": () => ({ text: asctime(afterSeconds(3)), moment: +afterSeconds(3) }),
  };
  for (const [form, value] of Object.entries(forms)) {
    for (const status of [503, 429, 301, 500]) {
      test(`in ${form}, with a ${status}: the next attempt is not earlier, and the alarm names its instant`, async () => {
        const path = `/floor/${encodeURIComponent(form)}/${status}`;
        const { view, floor, requests } = await floored(path, status, value);
        assert.ok(view.nextAttemptAt >= floor, `due ${floor - view.nextAttemptAt} ms early`);
        assert.ok(view.nextAttemptAt < floor + 2_000, `due ${view.nextAttemptAt - floor} ms late`);
        assert.equal(view.nextAttemptAt, decidedInstant(view));
        assert.equal(view.alarm, view.nextAttemptAt);
        assert.equal(requests.length, 2);
        assert.ok(requests[1].at >= floor, `sent ${floor - requests[1].at} ms early`);
      });
    }
  }

  test("does not shorten the policy's own wait", async () => {
    const { view } = await floored("/floor/short", 503, () => ({ text: "1" }), { baseMs: 1_800 });
    assert.equal(view.history[0].delayMs, 1_800);
  });

  const noFloor = ["0", "-3", "1.5", "120 s", "+5", "1e3", "soon", "Fri, 31 Dec 1999 23:59:59 GMT"];
  for (const text of noFloor) {
    test(`"${text}" leaves the wait to the policy`, async () => {
      const path = `/floor/none/${encodeURIComponent(text)}`;
      const { view } = await floored(path, 503, () => ({ text }), { baseMs: 1_100 });
      assert.equal(view.history[0].delayMs, 1_100);
      assert.equal(view.alarm, view.nextAttemptAt);
    });
  }

  for (const text of ["1800", "9223372037", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"]) {
    test(`"${text}" past the deadline gives up at once`, async () => {
      const path = `/floor/far/${encodeURIComponent(text)}`;
      receiver.behave(path, { status: 503, headers: { "retry-after": text } });
      const { id } = await deliver(path, { deadlineMs: 900_000 });
      const view = await service.until(id, "gaveUp");
      assert.deepEqual([view.reason, view.attempts, view.alarm], ["deadline", 1, null]);
    });
  }
});
