// A small soak; `npm run soak` is the large one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compare, table } from "./support/soak.mjs";

test("300 deliveries to three hosts, one of them down for a while: all arrive, and the breaker spares the dead one", async (context) => {
  const results = await compare({ deliveries: 300, downMs: 4_000, kinds: ["kv", "object"] });
  context.diagnostic(`\n${table(results)}`);
  const [without, ...breakers] = results;
  assert.ok(without.wasted >= without.toDeadHost, "without a breaker each delivery finds out for itself");
  for (const { name, wasted, strangers, duplicates } of breakers) {
    assert.ok(wasted * 5 < without.wasted, `${name}: ${wasted} against ${without.wasted}`);
    assert.deepEqual([strangers, duplicates], [0, 0]);
  }
});
