import { createServer } from "node:net";
import { Failure } from "./failure.mjs";

export const defaultPort = 8787;

export function readPort(text) {
  if (text === undefined || text === "") return defaultPort;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65535) {
    throw new Failure(`PORT is "${text}", and a port is a whole number from 1 to 65535.`);
  }
  return port;
}

export const portTaken = (port) =>
  `Port ${port} on 127.0.0.1 is taken: end what listens there, or choose another one with PORT=${port === 65535 ? port - 1 : port + 1} npm start.`;

/** Fails early, before minutes of building, when the port cannot be had. */
export function checkPort(port) {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", ({ code, message }) =>
      reject(
        new Failure(code === "EADDRINUSE" ? portTaken(port) : `Port ${port} on 127.0.0.1 can't be had: ${message}.`),
      ),
    );
    probe.listen(port, "127.0.0.1", () => probe.close(resolve));
  });
}
