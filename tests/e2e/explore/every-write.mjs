// Kills workerd at its first write to disk, at its second, its third, ..., through the whole life of a delivery that
// fails once. Run by hand, since it needs strace: node tests/e2e/explore/every-write.mjs
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { startReceiver } from "../support/receiver.mjs";
import { quick, startService } from "../support/service.mjs";

const [first, last] = [1, 90];
const calls = "pwrite64,fsync,fdatasync,ftruncate";

const receiver = await startReceiver();
const service = await startService();
const accepted = new Map();
let kills = 0;
try {
  for (let write = first; write <= last; write += 1) {
    await service.workerd.restart();
    const path = `/write/${write}`;
    receiver.behave(path, { status: 503 });
    const strace = spawn(
      "strace",
      ["-f", "-e", `trace=${calls}`, "-e", `inject=${calls}:signal=KILL:when=${write}`, "-p", service.workerd.pid],
      { stdio: ["ignore", "ignore", "pipe"] },
    );
    const exited = once(strace, "exit");
    await once(strace.stderr, "data"); // It says that it is attached.
    strace.stderr.resume();
    const policy = { ...quick, baseMs: 30, timeoutMs: 200 };
    try {
      const { id } = await service.deliver(receiver.url + path, { policy });
      accepted.set(write, id);
      await service.until(id, "delivered", { everyMs: 10 });
      strace.kill("SIGTERM");
    } catch (error) {
      if (!(error instanceof TypeError) && !(error.cause instanceof TypeError)) throw error;
      kills += 1;
    }
    await exited;
  }
  await service.workerd.restart();
  let duplicates = 0;
  for (const [write, id] of accepted) {
    const view = await service.until(id, "delivered");
    assert.equal(view.alarm, null);
    const requests = receiver.to(`/write/${write}`).length;
    assert.ok(requests >= 2 && requests <= view.attempts, `${write}: ${requests} requests, ${JSON.stringify(view)}`);
    duplicates += requests - 2;
  }
  console.log(`writes=${last} kills=${kills} accepted=${accepted.size} duplicates=${duplicates} lost=0`);
} finally {
  await service.dispose();
  await receiver.close();
}
