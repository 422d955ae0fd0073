import assert from "node:assert/strict";
import { until } from "./until.mjs";
import { startWorkerd } from "./workerd.mjs";

export const token = "end-to-end-token-that-nobody-else-has";

/** Attempts that follow one another at once, as many as the service allows. */
export const quick = { baseMs: 1, factor: 1, jitter: "none", maxAttempts: 100, timeoutMs: 5_000 };

/**
 * Starts the webhook delivery service on a real workerd, allowed to call loopback unless `variables` say otherwise. Its
 * breakers stay closed unless they say how many failures open one: all receivers of a test are one host.
 */
export async function startService({ variables = { API_TOKEN: token, ALLOW_PRIVATE_TARGETS: "true" }, ...rest } = {}) {
  return new Service(await startWorkerd({ variables: { BREAKER_FAILURES: "1000000000", ...variables }, ...rest }));
}

class Service {
  constructor(workerd) {
    this.workerd = workerd;
  }

  get url() {
    return this.workerd.url;
  }

  /** `fetch` of a path, with the token. */
  request(path, { headers, ...init } = {}) {
    return this.workerd.fetch(path, { ...init, headers: { authorization: `Bearer ${token}`, ...headers } });
  }

  /** `POST /deliveries`; the body is text, or a value to be written as JSON. */
  post(body, init) {
    const text = typeof body === "string" || body instanceof ReadableStream ? body : JSON.stringify(body);
    return this.request("/deliveries", { method: "POST", body: text, ...init });
  }

  /** Asks for a delivery, which must be accepted; resolves to it as the service shows it. */
  async deliver(url, { payload = { event: "test" }, policy = quick } = {}) {
    return accepted(await this.post({ url, payload, policy }));
  }

  async view(id) {
    const response = await this.request(`/deliveries/${id}`);
    assert.equal(response.status, 200, await response.clone().text());
    return response.json();
  }

  cancel(id) {
    return this.request(`/deliveries/${id}`, { method: "DELETE" });
  }

  /** Resolves to the delivery once it has this status and, if given, this number of attempts. */
  async until(id, status, { attempts, ...options } = {}) {
    let view;
    const reached = async () => {
      view = await this.view(id);
      return view.status === status && (attempts === undefined || view.attempts === attempts);
    };
    try {
      await until(reached, { waitingFor: `status ${status}`, ...options });
    } catch (error) {
      throw new Error(`${error.message}; the delivery: ${JSON.stringify(view)}`, { cause: error });
    }
    return view;
  }

  dispose() {
    return this.workerd.dispose();
  }
}

/** The body of a 202. */
export async function accepted(response) {
  const text = await response.text();
  assert.equal(response.status, 202, text);
  return JSON.parse(text);
}

/** The instant that the last decision named: when its attempt ended, and the wait that was decided then. */
export function decidedInstant({ history }) {
  const { startedAt, tookMs, delayMs } = history.at(-1);
  return startedAt + tookMs + delayMs;
}
