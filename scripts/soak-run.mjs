// The soak itself. Needs the Node.js that modern-node.mjs names.
import { parseArgs } from "node:util";
import { exitOnFailure } from "./lib/failure.mjs";
import { compare, table } from "../tests/e2e/support/soak.mjs";

await exitOnFailure(async () => {
  const { values } = parseArgs({
    options: {
      deliveries: { type: "string", default: "10000" },
      down: { type: "string", default: "10" },
      breakers: { type: "string", default: "kv" },
    },
  });
  const options = { deliveries: Number(values.deliveries), downMs: Number(values.down) * 1_000 };
  console.log(table(await compare({ ...options, kinds: values.breakers.split(",") })));
});
