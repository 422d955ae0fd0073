// What stands in for Node.js' modules elsewhere must judge as they do.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { problemOf } from "../matrix/results.mjs";
import * as shim from "../matrix/shims/assert.mjs";
import { isDeepEqual } from "../matrix/shims/deep-equal.mjs";

const passes = (check) => {
  try {
    check();
    return true;
  } catch {
    return false;
  }
};

const circle = (extra) => {
  const value = { extra };
  value.self = value;
  return value;
};

const values = [
  ...[0, -0, 1, NaN, "", "0", "a", null, undefined, true, false, 1n, Symbol.iterator],
  ...[{}, { a: 1 }, { a: "1" }, { a: undefined }, { b: undefined }, { a: 1, b: 2 }, { b: 2, a: 1 }, { a: { a: 1 } }],
  ...[Object.create(null), Object.assign(Object.create(null), { a: 1 }), { [Symbol.iterator]: 1 }],
  ...[[], [1], [1, undefined], [undefined], new Array(1), [[1], [1]], { 0: 1, length: 1 }],
  ...[new Date(0), new Date(5), /a/, /a/g, new Error("a"), new Error("b"), new TypeError("a")],
  ...[new Error("a", { cause: 1 }), new Error("a", { cause: { a: 1 } }), Object.assign(new Error("a"), { code: "x" })],
  ...[new Map(), new Map([["a", 1]]), new Map([[{ a: 1 }, { a: 1 }]]), new Set(), new Set([1, { a: 1 }])],
  ...[new Uint8Array(2), new Uint8Array([0, 1]), new Uint16Array(2), new Uint8Array(2).buffer, circle(1), circle(2)],
];
const copies = () => values.map((value) => (typeof value === "object" && value !== null ? copyOf(value) : value));
const copyOf = (value) => {
  if (Object.getPrototypeOf(value) === null) return Object.assign(Object.create(null), value);
  if (value instanceof Error || Object.getOwnPropertySymbols(value).length > 0) return value;
  return structuredClone(value);
};

test("deep equality, each of many values with a copy of each", () => {
  let equal = 0;
  for (const left of values) {
    for (const right of copies()) {
      const real = passes(() => assert.deepEqual(left, right));
      equal += Number(real);
      assert.equal(isDeepEqual(left, right), real, `${String(typeof left)} ${values.indexOf(left)}`);
      assert.equal(
        passes(() => shim.notDeepEqual(left, right)),
        passes(() => assert.notDeepEqual(left, right)),
      );
    }
  }
  assert.ok(equal >= values.length);
});

test("equality and truth", () => {
  for (const left of values) {
    assert.equal(
      passes(() => shim.default(left)),
      passes(() => assert(left)),
    );
    for (const right of values) {
      for (const check of ["equal", "notEqual"]) {
        assert.equal(
          passes(() => shim.default[check](left, right)),
          passes(() => assert[check](left, right)),
        );
      }
    }
  }
});

const outcomes = [() => 5, ...values.map((value) => () => { throw value; })]; // prettier-ignore
const expectations = [
  ...[undefined, /a/, /^TypeError/, Error, TypeError, () => true, () => false, () => "yes", { message: "a" }],
  ...[{ message: /^a$/ }, { name: "TypeError", message: "a" }, { code: "x" }, { cause: { a: 1 } }],
];

test("what is thrown, and with what a promise is rejected", async () => {
  for (const outcome of outcomes) {
    for (const expected of expectations) {
      const real = passes(() => assert.throws(outcome, expected));
      assert.equal(
        passes(() => shim.throws(outcome, expected)),
        real,
      );
      const rejected = shim.rejects(async () => outcome(), expected);
      assert.equal(await rejected.then(() => true, () => false), real); // prettier-ignore
    }
    assert.equal(
      passes(() => shim.doesNotThrow(outcome)),
      passes(() => assert.doesNotThrow(outcome)),
    );
  }
});

test("patterns, failures and messages", async () => {
  for (const check of ["match", "doesNotMatch"]) {
    for (const text of ["abc", "xyz", 5, null]) {
      assert.equal(
        passes(() => shim[check](text, /b/)),
        passes(() => assert[check](text, /b/)),
      );
    }
  }
  assert.throws(() => shim.fail("so"), /so/);
  assert.throws(() => shim.equal(1, 2, "the sum"), /the sum/);
  assert.throws(() => shim.ok(0, new RangeError("mine")), RangeError);
});

test("a suite: what fails is named, subtests count, clean-up runs", async () => {
  const { describe, mock, run, test: register } = await import("../matrix/shims/test.mjs");
  const cleaned = [];
  register("passes", (t) => t.after(() => cleaned.push("passes")));
  register("fails", async (t) => {
    t.after(() => cleaned.push("fails"));
    throw new Error("so it goes");
  });
  describe("group", () => {
    register("outer", { timeout: 5 }, async (t) => {
      const work = mock.fn((value) => value + 1);
      assert.equal(work(1), 2);
      assert.deepEqual([work.mock.callCount(), work.mock.calls[0].arguments], [1, [1]]);
      await t.test("inner", () => {
        throw undefined;
      });
    });
  });
  assert.throws(() => register("left out", { skip: true }, () => {}), /skip/);
  const results = await run();
  const names = results.map(({ name, error }) => (error === undefined ? name : `${name}: failed`));
  assert.deepEqual(names, ["passes", "fails: failed", "group > outer", "group > outer > inner: failed"]);
  assert.match(results[1].error, /so it goes/);
  assert.deepEqual(cleaned, ["passes", "fails"]);
});

test("mocked methods and timers do what Node.js' do, and are put back", async (t) => {
  const { Mock } = await import("../matrix/shims/mock.mjs");
  const played = (mock) => {
    const seen = [];
    const owner = { greet: () => "hello" };
    const greet = mock.method(owner, "greet", () => "mocked");
    seen.push(owner.greet(1), greet.mock.calls.length, greet.mock.calls[0].arguments);
    greet.mock.restore();
    seen.push(owner.greet());
    mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_000 });
    const note = (what) => () => seen.push([what, Date.now(), new Date().getTime()]);
    setTimeout(note("late"), 30);
    setTimeout(() => (note("early")(), setTimeout(note("nested"), 5)), 10);
    clearTimeout(setTimeout(note("never"), 10));
    mock.timers.tick(9);
    seen.push(Date.now());
    mock.timers.tick(11);
    mock.timers.tick(100);
    mock.timers.reset();
    seen.push(Date.now() > 1e12, new Date(5).getTime());
    return seen;
  };
  assert.deepEqual(played(new Mock()), played(t.mock));
});

test("results: a failure or a missing test is a problem", () => {
  assert.equal(problemOf([{ name: "a" }, { name: "b" }], 2), undefined);
  assert.match(problemOf([{ name: "a" }], 2), /ran 1 of 2 tests/);
  assert.match(problemOf([{ name: "a" }, { name: "b", error: "why" }], 2), /1 of 2 tests failed.\n\nb\nwhy/);
});

test("listeners of a signal are counted as Node.js counts them", async () => {
  const shimmed = await import("../matrix/shims/events.mjs");
  const { signal } = new AbortController();
  const listener = () => {};
  const check = (count) => {
    assert.equal(shimmed.getEventListeners(signal, "abort").length, count);
    assert.equal(getEventListeners(signal, "abort").length, count);
  };
  check(0);
  signal.addEventListener("abort", listener);
  signal.addEventListener("abort", listener);
  check(1);
  signal.addEventListener("abort", () => {}, { once: true });
  check(2);
  signal.dispatchEvent(new Event("abort"));
  check(1);
  signal.removeEventListener("abort", listener);
  check(0);
});
