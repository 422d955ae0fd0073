import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "./failure.mjs";

/**
 * Claims a folder for this process until it exits. Two services on the same databases would lock each other out, and
 * wake no alarm of the other's.
 */
export function claim(folder) {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "claimed-by");
  try {
    writeFileSync(path, String(process.pid), { flag: "wx" });
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    const owner = Number(readFileSync(path, "utf8"));
    if (isRunning(owner)) {
      throw new Failure(`Another service runs on the data in ${folder}: end process ${owner} first.`);
    }
    // Left behind by one that was killed.
    writeFileSync(path, String(process.pid));
  }
  process.on("exit", () => rmSync(path, { force: true }));
}

function isRunning(pid) {
  if (!Number.isInteger(pid) || pid < 1) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
