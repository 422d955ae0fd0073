// `node:assert/strict` where there is none. tests/js/assert-shim.test.mjs holds it beside the real one.
import { isDeepEqual } from "./deep-equal.mjs";

export class AssertionError extends Error {
  name = "AssertionError";
}

function show(value) {
  try {
    const text = JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part));
    if (text !== undefined && text !== "{}" && text !== "null") return text.slice(0, 1_000);
  } catch {
    // A circle.
  }
  try {
    return String(value);
  } catch {
    return typeof value;
  }
}

function check(holds, message, otherwise) {
  if (holds) return;
  if (message instanceof Error) throw message;
  throw new AssertionError(message === undefined ? otherwise() : `${message}: ${otherwise()}`);
}

export const ok = (value, message) => check(value, message, () => `${show(value)} is not truthy`);
const assert = (value, message) => ok(value, message);
export default assert;

export const equal = (actual, expected, message) =>
  check(Object.is(actual, expected), message, () => `${show(actual)} is not ${show(expected)}`);
export const notEqual = (actual, expected, message) =>
  check(!Object.is(actual, expected), message, () => `${show(actual)} is what it should not be`);
export const deepEqual = (actual, expected, message) =>
  check(isDeepEqual(actual, expected), message, () => `${show(actual)} does not equal ${show(expected)}`);
export const notDeepEqual = (actual, expected, message) =>
  check(!isDeepEqual(actual, expected), message, () => `${show(actual)} equals what it should not`);
export const match = (text, pattern, message) =>
  check(typeof text === "string" && pattern.test(text), message, () => `${show(text)} does not match ${pattern}`);
export const doesNotMatch = (text, pattern, message) =>
  check(typeof text === "string" && !pattern.test(text), message, () => `${show(text)} matches ${pattern}`);
export const fail = (message = "failed") => check(false, message, () => "failed");

const isErrorClass = (value) => value === Error || Error.isPrototypeOf(value);

/** Whether an error is as expected: a pattern, a class, a function that says so, or an object of some of its fields. */
function isExpected(error, expected) {
  if (expected === undefined) return true;
  if (expected instanceof RegExp) return expected.test(String(error));
  if (isErrorClass(expected)) return error instanceof expected;
  if (typeof expected === "function") return expected(error) === true;
  return Object.entries(expected).every(([key, value]) =>
    value instanceof RegExp && typeof error[key] === "string" ? value.test(error[key]) : isDeepEqual(error[key], value),
  );
}

function checkThrown(outcome, expected, message) {
  if (typeof expected === "string") [expected, message] = [undefined, expected];
  check("error" in outcome, message, () => "nothing was thrown");
  check(isExpected(outcome.error, expected), message, () => `${show(outcome.error)} is not what should be thrown`);
}

function outcomeOf(body) {
  try {
    return { value: body() };
  } catch (error) {
    return { error };
  }
}

const settled = async (body) => {
  try {
    return { value: await (typeof body === "function" ? body() : body) };
  } catch (error) {
    return { error };
  }
};

export const throws = (body, expected, message) => checkThrown(outcomeOf(body), expected, message);
export const rejects = async (body, expected, message) => checkThrown(await settled(body), expected, message);
export const doesNotThrow = (body, message) => {
  const outcome = outcomeOf(body);
  check(!("error" in outcome), message, () => `thrown: ${show(outcome.error)}`);
};
export const doesNotReject = async (body, message) => {
  const outcome = await settled(body);
  check(!("error" in outcome), message, () => `rejected: ${show(outcome.error)}`);
};
export const strictEqual = equal;
export const notStrictEqual = notEqual;
export const deepStrictEqual = deepEqual;
export const notDeepStrictEqual = notDeepEqual;

Object.assign(assert, {
  AssertionError,
  deepEqual,
  deepStrictEqual,
  doesNotMatch,
  doesNotReject,
  doesNotThrow,
  equal,
  fail,
  match,
  notDeepEqual,
  notDeepStrictEqual,
  notEqual,
  notStrictEqual,
  ok,
  rejects,
  strictEqual,
  throws,
});
