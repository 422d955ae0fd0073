export { BreakerObject } from "./workers/breaker-object.js";
export { DurableRetry, OPERATION_KEY, PAYLOAD_KEY } from "./workers/durable-retry.js";
export type { Attempt, Behind, DurableRetryOptions } from "./workers/durable-retry.js";
export { StateError } from "./core/errors.js";
export { KEY_PREFIX, KvBreaker } from "./workers/kv-breaker.js";
export type { KvBreakerOptions } from "./workers/kv-breaker.js";
export { ObjectBreaker } from "./workers/object-breaker.js";
export type { AttemptRecord, Operation, Phase } from "./workers/operation.js";
export type {
  Background,
  BindingOf,
  KvNamespace,
  ObjectNamespace,
  ObjectState,
  ObjectStorage,
  QueueMessage,
} from "./workers/platform.js";
export { settle } from "./workers/queue.js";
export type { Settled } from "./workers/queue.js";
export type { Report } from "./workers/report.js";
export { reportFetch } from "./workers/report-fetch.js";
export { judgeFetch } from "./workers/shared-breaker.js";
export type { Admission, Force, SharedBreaker, Snapshot } from "./workers/shared-breaker.js";
