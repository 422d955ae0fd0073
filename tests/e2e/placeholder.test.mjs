// Goes away with the placeholder in worker-example.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startWorkerd } from "./support/workerd.mjs";

test("the Rust worker keeps its value and its alarm through a kill", async () => {
  const workerd = await startWorkerd({ variables: { API_TOKEN: "token" } });
  try {
    const written = await workerd.fetch("/placeholder/one?value=kept&alarm_in_ms=1", { method: "PUT" });
    assert.equal(written.status, 200, await written.clone().text());
    await workerd.restart();
    const [value] = await (await workerd.fetch("/placeholder/one")).json();
    assert.equal(value, "kept");
    const deadline = Date.now() + 10_000;
    let fired = 0;
    while (fired === 0 && Date.now() < deadline) {
      [, fired] = await (await workerd.fetch("/placeholder/one")).json();
    }
    assert.equal(fired, 1);
  } finally {
    await workerd.dispose();
  }
});
