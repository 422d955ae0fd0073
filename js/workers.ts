export { BreakerObject } from "./breaker-object.js";
export { DurableRetry, OPERATION_KEY, PAYLOAD_KEY } from "./durable-retry.js";
export type { Attempt, Behind, DurableRetryOptions } from "./durable-retry.js";
export { StateError } from "./errors.js";
export { KEY_PREFIX, KvBreaker } from "./kv-breaker.js";
export type { KvBreakerOptions } from "./kv-breaker.js";
export { ObjectBreaker } from "./object-breaker.js";
export type { AttemptRecord, Operation, Phase } from "./operation.js";
export type {
  Background,
  BindingOf,
  KvNamespace,
  ObjectNamespace,
  ObjectState,
  ObjectStorage,
  QueueMessage,
} from "./platform.js";
export { settle } from "./queue.js";
export type { Settled } from "./queue.js";
export { reportFetch } from "./report.js";
export type { Report } from "./report.js";
export { judgeFetch } from "./shared-breaker.js";
export type { Admission, Force, SharedBreaker, Snapshot } from "./shared-breaker.js";
