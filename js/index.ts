export * from "./backoff.js";
export * from "./breaker.js";
export * from "./classify.js";
