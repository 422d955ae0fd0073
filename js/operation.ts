/**
 * One operation that is retried, as a value for any store: a row of a table, a document, a file. The functions are pure
 * but for the policy's draws; each returns the operation to store. `/workers` does the same in a Durable Object.
 *
 * ```js
 * const jobs = new Map(); // a table: by id the payload, the operation, and the moment to come back, which is indexed
 *
 * const store = (id, payload, next) => {
 *   const { operation, at } = arm(next, Date.now());
 *   jobs.set(id, { payload, operation: JSON.stringify(operation), due: at });
 * };
 *
 * store(7, "the payload", start(policy, Date.now()));
 *
 * // For each job whose `due` has come, in one transaction: the attempt is stored before it is made.
 * const { payload, operation } = jobs.get(7);
 * const woken = wake(readOperation(JSON.parse(operation)), policy, Date.now(), 15_000);
 * store(7, payload, woken.operation);
 * if (woken.ticket) {
 *   const report = await send(payload); // within 15 s; should the process end meanwhile, the job is due again then
 *   const current = readOperation(JSON.parse(jobs.get(7).operation)); // somebody may have cancelled it
 *   store(7, payload, settle(current, policy, woken.ticket, Date.now(), report));
 * }
 * ```
 *
 * @module
 */
export { StateError } from "./core/errors.js";
export { arm, cancel, isDue, postpone, readOperation, settle, start, startOver, wake } from "./workers/operation.js";
export type { AttemptRecord, Operation, Phase, Ticket } from "./workers/operation.js";
export { isOver, progress } from "./workers/progress.js";
export type { Progress } from "./workers/progress.js";
export type { Report } from "./workers/report.js";
export type { Outcome, Policy, RetryState, StopReason } from "./core/types.js";
