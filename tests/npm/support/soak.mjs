// What a soak test of Node.js does, and what it looks at when it is over.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { after, before } from "node:test";
import { until } from "./until.mjs";

const RUNS = 10_000;
/** Unhandled rejections and warnings so far. */
export const complaints = [];
const complain = (what) => complaints.push(what);
before(() => {
  for (const event of ["unhandledRejection", "warning"]) process.on(event, complain);
});
after(() => {
  for (const event of ["unhandledRejection", "warning"]) process.off(event, complain);
});

/** Runs `one` so often, eight at a time, and looks at what is left: Node.js itself warns of an eleventh listener at once. */
export async function soak(one) {
  const { signal } = new AbortController();
  const resources = process.getActiveResourcesInfo().length;
  let ended = 0;
  for (let from = 0; from < RUNS; from += 8) {
    const batch = Array.from({ length: 8 }, (_, index) => one(from + index, signal));
    await Promise.all(batch.map((promise) => promise.then(() => ended++).catch(() => ended++)));
  }
  assert.equal(ended, RUNS);
  assert.equal(getEventListeners(signal, "abort").length, 0);
  // Whatever rejects late does so by a timer, which is a resource.
  await until(() => process.getActiveResourcesInfo().length <= resources, "something is left open");
  assert.deepEqual(complaints, []);
}
