import { existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startReceiver } from "./receiver.mjs";
import { startService, token } from "./service.mjs";

const HOSTS = 3;
const MAX_REFUSALS = 180;
const AT_ONCE = 32;
const policy = { baseMs: 500, factor: 2, maxDelayMs: 4_000, jitter: "equal", maxAttempts: 100, timeoutMs: 10_000 };

/**
 * Hands the service that many deliveries to three hosts. The first is down from the start until `downMs` after all have
 * been handed over. Resolves once every delivery has arrived, with what the hosts saw.
 */
export async function soak({ deliveries, downMs, variables, patienceMs = 120_000 }) {
  const dataFolder = mkdtempSync(join(dataParent(), "soak-"));
  const service = await startService({
    dataFolder,
    variables: { API_TOKEN: token, ALLOW_PRIVATE_TARGETS: "true", BREAKER_OPEN_MS: "2000", ...variables },
  });
  const receivers = await Promise.all(Array.from({ length: HOSTS }, startReceiver));
  try {
    let down = true;
    const attempts = Array.from({ length: HOSTS }, () => ({ refused: 0, accepted: 0 }));
    const arrived = new Set();
    let resolve;
    const all = new Promise((done) => (resolve = done));
    receivers.forEach((receiver, index) =>
      receiver.otherwise((record) => {
        receiver.requests.length = 0; // Ten thousand of them need not be remembered.
        if (index === 0 && down) {
          attempts[index].refused += 1;
          return { status: 503 };
        }
        attempts[index].accepted += 1;
        arrived.add(record.headers["webhook-id"]);
        if (arrived.size === deliveries) resolve();
        return { status: 200 };
      }),
    );

    const startedAt = performance.now();
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
    const ids = new Set();
    let handed = 0;
    const hand = async () => {
      while (handed < deliveries) {
        const number = handed++;
        ids.add(await post(agent, service.url, `${receivers[number % HOSTS].url}/${number}`));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, hand));
    agent.destroy();
    const handedMs = performance.now() - startedAt;
    await new Promise((wake) => setTimeout(wake, downMs));
    down = false;
    const recoveredAt = performance.now();
    let timer;
    const patience = new Promise((_, reject) => {
      const missing = () =>
        reject(new Error(`${deliveries - arrived.size} of ${deliveries} deliveries did not arrive`));
      timer = setTimeout(missing, patienceMs);
    });
    await Promise.race([all, patience]).finally(() => clearTimeout(timer));
    return {
      deliveries,
      toDeadHost: Math.ceil(deliveries / HOSTS),
      downMs: Math.round(handedMs + downMs),
      wasted: attempts[0].refused,
      duplicates: attempts.reduce((sum, { accepted }) => sum + accepted, 0) - deliveries,
      strangers: [...arrived].filter((id) => !ids.has(id)).length,
      recoveryMs: Math.round(performance.now() - recoveredAt),
    };
  } finally {
    await service.dispose();
    await Promise.all(receivers.map((receiver) => receiver.close()));
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

/** In memory where there is much of it: an object is a file of its own, and this is no test of the disk. */
function dataParent() {
  const memory = "/dev/shm";
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > 4e9 ? memory : tmpdir();
}

/** Hands a delivery over as a careful caller does: asked to come back later, it does so, for the same delivery. */
async function post(agent, origin, url) {
  const body = JSON.stringify({ url, payload: { event: "soak" }, policy });
  const headers = {
    authorization: `Bearer ${token}`,
    "content-length": Buffer.byteLength(body),
    "idempotency-key": url,
  };
  for (let refusals = 0; ; refusals++) {
    const { status, text } = await new Promise((resolve, reject) => {
      const sent = request(`${origin}/deliveries`, { method: "POST", agent, headers }, async (response) =>
        resolve({ status: response.statusCode, text: (await response.toArray()).join("") }),
      );
      sent.on("error", reject).end(body);
    });
    if (status === 202) return JSON.parse(text).id;
    // With thousands of objects awake, a small limit on open files makes workerd refuse until some have gone to sleep.
    if (status !== 503 || refusals >= MAX_REFUSALS) throw new Error(`${status} ${text}`);
    await new Promise((wake) => setTimeout(wake, 1_000));
  }
}

/** The same soak without a breaker and with these kinds of it. */
export async function compare({ kinds, ...options }) {
  const results = [{ name: "none", ...(await soak({ ...options, variables: { BREAKER_FAILURES: "1000000000" } })) }];
  for (const kind of kinds) {
    const variables = { BREAKER: kind, BREAKER_FAILURES: "5" };
    results.push({ name: kind, ...(await soak({ ...options, variables })) });
  }
  return results;
}

/** The results side by side. */
export function table(results) {
  const columns = [
    ["breaker", ({ name }) => name],
    ["deliveries", ({ deliveries }) => deliveries],
    ["to the dead host", ({ toDeadHost }) => toDeadHost],
    ["down, s", ({ downMs }) => (downMs / 1_000).toFixed(1)],
    ["attempts against it while down", ({ wasted }) => wasted],
    ["arrived twice", ({ duplicates }) => duplicates],
    ["all arrived after, s", ({ recoveryMs }) => (recoveryMs / 1_000).toFixed(1)],
  ];
  const rows = [columns.map(([title]) => title), ...results.map((result) => columns.map(([, cell]) => cell(result)))];
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => String(row[index]).length)));
  return rows.map((row) => row.map((cell, index) => String(cell).padStart(widths[index])).join("  ")).join("\n");
}
