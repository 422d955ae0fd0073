// What an attempt of the probe does; in the words of tests/workers/src/attempt.rs.
import { reportFetch } from "retry-primitives-wasm/workers";

const call = ({ number, payload, signal }) =>
  reportFetch((async () => fetch(payload, { method: "POST", body: String(number), signal }))());

const fail = () => {
  throw new Error("as planned, of https://user:SECRET@127.0.0.1/");
};

const BEHAVIOURS = {
  fetch: call,
  fail: () => ({ ok: false, outcome: { retryable: true } }),
  failForEver: () => ({ ok: false, status: 503, outcome: { retryAfterMs: Number.MAX_VALUE } }),
  throw: fail,
  throwAfterFetch: async (attempt) => {
    await call(attempt);
    fail();
  },
  noReport: () => undefined,
  hang: () => new Promise(() => {}),
};

export const make = (attempt, behaviour) => BEHAVIOURS[behaviour](attempt);
