import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

export const fromRoot = (...parts) => join(root, ...parts);

// Compiled tools may be shared between checkouts through this variable.
export const toolsFolder = process.env.RETRY_PRIMITIVES_TOOLS || fromRoot("target", "tools");

export const dataFolder = fromRoot(".data");
