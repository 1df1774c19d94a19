import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Io } from "../terminal/io.ts";
import { codeOf, reasonOf, Trouble } from "../trouble.ts";

/**
 * Runs a command whose clients ask a server of this process, and returns its exit code; after a signal
 * 128 + its number, as shells do.
 * @param variables environment variables that lead the clients to the server
 * @param started called when the command runs, before it can have asked anything; a failure ends the command
 */
export async function runCommand(
  command: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
  io: Io,
  started: () => Promise<void> = async () => {},
): Promise<number> {
  const child = spawn(command, args, {
    cwd: io.cwd,
    env: { ...io.env, ...variables, ...withoutProxy(io.env) },
    stdio: [
      io.stdin === process.stdin ? "inherit" : "pipe",
      io.stdout === process.stdout ? "inherit" : "pipe",
      io.stderr === process.stderr ? "inherit" : "pipe",
    ],
  });
  if (child.stdin) io.stdin.pipe(child.stdin);
  child.stdin?.on("error", () => {});
  child.stdout?.pipe(io.stdout, { end: false });
  child.stderr?.pipe(io.stderr, { end: false });
  const release = passSignals(child, io.stdin === process.stdin && process.stdin.isTTY);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.on("error", (error) =>
        reject(
          new Trouble(
            codeOf(error) === "ENOENT"
              ? `there is no command \`${command}\``
              : `cannot run \`${command}\`: ${reasonOf(error)}`,
          ),
        ),
      );
      child.on("spawn", () => {
        started().catch((error) => {
          child.kill();
          reject(error);
        });
      });
      child.on("close", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
    });
  } finally {
    release();
  }
}

/** Resolves at the first Ctrl-C, SIGTERM or SIGHUP; a second one ends the process at once. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
}

/** What to do about clients that the variables do not lead. */
export const otherClients =
  'Clients with a hard-coded address ignore the variables: use `process.env.OPENAI_BASE_URL` or `os.environ["OPENAI_BASE_URL"]` in the code, or a fixed port (`--port 8787`) and that address.';

/** The error of a server that cannot listen. */
export function listenTrouble(error: unknown, host: string, port: number): Trouble {
  return new Trouble(
    codeOf(error) === "EADDRINUSE"
      ? `port ${port} is in use: choose another with \`--port\`, or omit \`--port\``
      : `cannot listen on ${host}: ${reasonOf(error)}`,
  );
}

/** Keeps requests to this process away from the user's proxy. */
function withoutProxy(env: Io["env"]): Record<string, string> {
  const isProxied = Object.keys(env).some((name) => /^(?:https?|all)_proxy$/i.test(name));
  if (!isProxied) return {};
  const hosts = [env["NO_PROXY"] ?? env["no_proxy"], "127.0.0.1"].filter(Boolean).join(",");
  return { NO_PROXY: hosts, no_proxy: hosts };
}

/** How long a command may take to end by itself after Ctrl-C, in milliseconds. */
const ownEnd = 250;

/**
 * A terminal sends Ctrl-C to the command as well, which may take it for something else than its end; this
 * process waits. Without a terminal the signal may have been sent to this process alone, so a command that
 * still runs gets it. A second signal ends the command that does not end by itself.
 */
function passSignals(child: ChildProcess, isOnTerminal: boolean): () => void {
  let waiting: NodeJS.Timeout | undefined;
  let isEnding = false;
  const interrupt = () => {
    if (isOnTerminal) return;
    if (isEnding) child.kill("SIGKILL");
    isEnding = true;
    waiting ??= setTimeout(() => child.kill("SIGINT"), ownEnd);
  };
  const pass = (signal: NodeJS.Signals) => {
    child.kill(isEnding ? "SIGKILL" : signal);
    isEnding = true;
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", pass);
  process.on("SIGHUP", pass);
  return () => {
    clearTimeout(waiting);
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", pass);
    process.off("SIGHUP", pass);
  };
}
