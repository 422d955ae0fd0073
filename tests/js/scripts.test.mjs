import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { describeDuration } from "../../scripts/lib/duration.mjs";
import { checkPort, defaultPort, readPort } from "../../scripts/lib/port.mjs";
import { lockedVersion } from "../../scripts/lib/rust.mjs";
import { welcome } from "../../scripts/lib/welcome.mjs";
import { fingerprint } from "../../scripts/lib/worker-build.mjs";

test("durations read well", () => {
  assert.equal(describeDuration(340), "0.3 s");
  assert.equal(describeDuration(12_400), "12 s");
  assert.equal(describeDuration(59_700), "1 min 00 s");
  assert.equal(describeDuration(185_000), "3 min 05 s");
});

test("a port is read from text, or refused in one sentence", () => {
  assert.equal(readPort(undefined), defaultPort);
  assert.equal(readPort("9000"), 9000);
  for (const text of ["http", "0", "65536", "80.5"]) {
    assert.throws(() => readPort(text), {
      message: `PORT is "${text}", and a port is a whole number from 1 to 65535.`,
    });
  }
});

test("a port that is taken is refused in one sentence", async () => {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await assert.rejects(checkPort(port), { message: new RegExp(`^Port ${port} on 127.0.0.1 is taken`) });
  await new Promise((resolve) => server.close(resolve));
  await checkPort(port);
});

test("the version of a crate comes from Cargo.lock", () => {
  const lock =
    '[[package]]\nname = "worker-build"\nversion = "9.9.9"\n\n[[package]]\nname = "worker"\nversion = "0.8.7"\n';
  assert.equal(lockedVersion("worker", lock), "0.8.7");
  assert.throws(() => lockedVersion("absent", lock), { message: "Cargo.lock does not name absent." });
});

test("a fingerprint changes with a content and with a name, not with what is built", () => {
  const folder = mkdtempSync(join(tmpdir(), "fingerprint-"));
  try {
    mkdirSync(join(folder, "src", "build"), { recursive: true });
    const take = () => fingerprint(folder, ["src"]);
    writeFileSync(join(folder, "src", "a.rs"), "one");
    const first = take();
    writeFileSync(join(folder, "src", "build", "out.wasm"), "built");
    assert.equal(take(), first);
    writeFileSync(join(folder, "src", "a.rs"), "two");
    const second = take();
    assert.notEqual(second, first);
    writeFileSync(join(folder, "src", "b.rs"), "");
    assert.notEqual(take(), second);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the commands to paste name the port and the token", () => {
  const text = welcome(9123, "a-token");
  assert.equal(text.match(/127\.0\.0\.1:9123/g).length, 5);
  assert.equal(text.match(/Bearer a-token/g).length, 3);
});
