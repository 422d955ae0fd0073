import { createServer } from "node:http";
import { Readable, pipeline } from "node:stream";

/**
 * An HTTP receiver on loopback that answers as told and records what it was sent.
 *
 * A behaviour is one of
 * - `{ status, headers, body, delayMs }`, every field optional, 200 without a body by default; a body may be a
 *   generator, and one that throws cuts the connection;
 * - `"hang"`: never answers; `"drop"`: closes the connection without an answer;
 * - a function of the recorded request that returns one of these, or a promise of one.
 */
export async function startReceiver({ port = 0 } = {}) {
  const receiver = new Receiver();
  await receiver.listen(port);
  return receiver;
}

class Receiver {
  /** Every request so far, oldest first: `{ at, method, path, query, headers, body, connectionClosed, closedAt }`. */
  requests = [];

  #server = createServer((request, response) => this.#receive(request, response));
  #queues = new Map();
  #otherwise = { status: 200 };
  #waiting = new Set();
  #handedOut = 0;

  async listen(port) {
    await new Promise((resolve, reject) => this.#server.once("error", reject).listen(port, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${this.#server.address().port}`;
  }

  /** Queues behaviours for the next requests to a path, one a request. */
  behave(path, ...behaviours) {
    const queue = this.#queues.get(path) ?? [];
    queue.push(...behaviours);
    this.#queues.set(path, queue);
    return this;
  }

  /** Behaviour of requests for which nothing is queued. */
  otherwise(behaviour) {
    this.#otherwise = behaviour;
    return this;
  }

  to(path) {
    return this.requests.filter((request) => request.path === path);
  }

  /** The next request that no earlier call has returned. */
  async next({ timeoutMs = 10_000 } = {}) {
    const index = this.#handedOut;
    this.#handedOut += 1;
    try {
      await this.until((requests) => requests.length > index, { timeoutMs, waitingFor: `request ${index + 1}` });
    } catch (error) {
      this.#handedOut -= 1;
      throw error;
    }
    return this.requests[index];
  }

  /** Resolves to the recorded requests once `predicate(requests)` holds; looked at anew with each request. */
  until(predicate, { timeoutMs = 10_000, waitingFor = "the condition" } = {}) {
    return new Promise((resolve, reject) => {
      const look = () => {
        try {
          if (!predicate(this.requests)) return;
          resolve(this.requests);
        } catch (error) {
          reject(error);
        }
        finish();
      };
      const timer = setTimeout(() => {
        finish();
        reject(new Error(`${waitingFor} did not come within ${timeoutMs} ms; ${this.requests.length} requests so far`));
      }, timeoutMs);
      const finish = () => {
        clearTimeout(timer);
        this.#waiting.delete(look);
      };
      this.#waiting.add(look);
      look();
    });
  }

  async close() {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #receive(request, response) {
    const url = new URL(request.url, this.url);
    const chunks = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return; // The sender ended in mid-request: nothing was received.
    }
    const record = {
      at: Date.now(),
      method: request.method,
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: Buffer.concat(chunks),
      connectionClosed: false,
      closedAt: undefined,
    };
    this.requests.push(record);
    response.on("close", () => {
      record.connectionClosed = !response.writableFinished;
      record.closedAt = Date.now();
      this.#lookAgain();
    });
    const behaviour = this.#queues.get(record.path)?.shift() ?? this.#otherwise;
    this.#lookAgain();
    await answer(response, typeof behaviour === "function" ? await behaviour(record) : behaviour);
  }

  #lookAgain() {
    for (const look of [...this.#waiting]) look();
  }
}

async function answer(response, behaviour) {
  if (behaviour === "hang") return;
  if (behaviour === "drop") {
    response.destroy();
    return;
  }
  const { status = 200, headers = {}, body = "", delayMs = 0 } = behaviour;
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
  response.writeHead(status, headers);
  if (typeof body === "string" || Buffer.isBuffer(body)) {
    response.end(body);
  } else {
    response.flushHeaders();
    pipeline(Readable.from(body), response, () => {}); // That it was cut, by either side, is no fault of ours.
  }
}
