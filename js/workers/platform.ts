// What is used of Cloudflare's platform, by shape: the real objects fit, and so does a stand-in of a test.

export interface ObjectStorage {
  get<T = unknown>(key: string): Promise<T | undefined>;
  put<T>(key: string, value: T): Promise<void>;
  delete(key: string): Promise<boolean>;
  list(options: { prefix: string; limit: number }): Promise<Map<string, unknown>>;
  getAlarm(): Promise<number | null>;
  /** Milliseconds since 1970. */
  setAlarm(moment: number): Promise<void>;
  deleteAlarm(): Promise<void>;
}

export interface ObjectState {
  readonly storage: ObjectStorage;
}

/** What outlives a response: the context of a fetch, or a Durable Object's state. */
export interface Background {
  waitUntil(work: Promise<unknown>): void;
}

export interface KvNamespace {
  get(key: string, options: { type: "text"; cacheTtl: number }): Promise<string | null>;
  put(key: string, value: string, options: { expirationTtl: number; metadata: unknown }): Promise<void>;
  list(options: { prefix: string }): Promise<{ keys: { name: string; metadata?: unknown }[] }>;
}

export interface ObjectNamespace {
  // Of its own type each: an id comes from the namespace that it goes back to.
  idFromName(name: string): unknown;
  get(id: never): { fetch(url: string, init: { method: string; body: string }): Promise<FetchAnswer> };
}

/** A response, by what is read of it. */
export interface FetchAnswer {
  readonly status: number;
  json(): Promise<unknown>;
}

export interface QueueMessage {
  readonly id: string;
  readonly timestamp: Date;
  /** Deliveries so far, this one included. */
  readonly attempts: number;
  ack(): void;
  retry(options: { delaySeconds: number }): void;
}

/** The names of an environment's bindings of one kind. */
export type BindingOf<Environment, Kind> = {
  [Name in keyof Environment]-?: Environment[Name] extends Kind ? Name : never;
}[keyof Environment] &
  string;
