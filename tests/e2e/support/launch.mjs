import childProcess from "node:child_process";
import { createInterface } from "node:readline";

const spawn = childProcess.spawn;
const running = new Set();
let turn = Promise.resolve();
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));

/**
 * Runs `start`, which makes Miniflare spawn a workerd, and resolves to that launch. It can be killed at any instruction
 * and repeated as often as wanted, without Miniflare noticing and without the second that Miniflare takes to start.
 */
export function recordLaunch(start) {
  // One at a time: which launch is whose could not be told otherwise.
  const launch = turn.then(() => record(start));
  turn = launch.catch(() => {});
  return launch;
}

async function record(start) {
  let launch;
  // Miniflare tells nobody its child or its pid, but it spawns through this module object.
  childProcess.spawn = (command, commandArguments, options) => {
    const child = spawn(command, commandArguments, options);
    if (command.endsWith("workerd")) launch = new Launch(child, { command, commandArguments, options });
    return child;
  };
  try {
    await start();
  } finally {
    childProcess.spawn = spawn;
  }
  return launch;
}

class Launch {
  #recipe;
  #configuration = [];
  #child;
  #exited;
  #release;

  constructor(child, recipe) {
    this.#recipe = recipe;
    const { exited, release } = withholdExit(child);
    this.#release = release;
    this.#run(child, exited);

    const write = child.stdin.write;
    child.stdin.write = (chunk, ...rest) => {
      this.#configuration.push(Buffer.from(chunk));
      return write.call(child.stdin, chunk, ...rest);
    };
  }

  get pid() {
    return this.#child.pid;
  }

  /** Sends SIGKILL; resolves when the process has gone and the kernel has closed its files. */
  async kill() {
    this.#child.kill("SIGKILL");
    await this.#exited;
  }

  /** Starts the same workerd with the same configuration once more; resolves to the port of the named socket. */
  async repeat(socket, onOutput) {
    const { command, commandArguments, options } = this.#recipe;
    const child = spawn(command, commandArguments, options);
    this.#run(child, new Promise((resolve) => child.once("exit", resolve)));
    for (const stream of [child.stdout, child.stderr]) createInterface(stream).on("line", onOutput);
    child.stdin.on("error", () => {}); // Killed before it had read everything.
    child.stdin.end(Buffer.concat(this.#configuration));
    return listeningPort(child.stdio[3], socket);
  }

  /** Tells Miniflare that its workerd has ended, so that it can be disposed. */
  release() {
    this.#release();
  }

  #run(child, exited) {
    running.add(child);
    this.#child = child;
    this.#exited = exited.then(() => running.delete(child));
  }
}

// Miniflare answers the end of its workerd with a new one, unless it does not hear of it.
function withholdExit(child) {
  const emit = child.emit;
  let release;
  const released = new Promise((resolve) => (release = resolve));
  const exited = new Promise((resolve) => {
    child.emit = (event, ...details) => {
      if (event !== "exit") return emit.call(child, event, ...details);
      resolve();
      released.then(() => emit.call(child, event, ...details));
      return true;
    };
  });
  return { exited, release };
}

// workerd announces each socket as a line of JSON on its control pipe.
async function listeningPort(controlPipe, socket) {
  for await (const line of createInterface(controlPipe)) {
    const message = JSON.parse(line);
    if (message.event === "listen" && message.socket === socket) {
      controlPipe.resume();
      return message.port;
    }
  }
  throw new Error("workerd ended before it listened");
}
