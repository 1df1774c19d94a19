import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import type { main as Main } from "../src/cli/main.ts";
import type * as Library from "../src/index.ts";

/** What one command wrote, and what it cost. */
export interface Outcome {
  readonly args: readonly string[];
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  /** In seconds of all cores. */
  readonly cpu: number;
}

/** The built program in this process. */
export interface Toollint {
  readonly library: typeof Library;
  /** Runs a command in the folder of the log. */
  run(...args: readonly string[]): Promise<Outcome>;
}

/** @param folder the commands' working directory. */
export async function loadToollint(root: string, folder: string): Promise<Toollint> {
  const module = (name: string): Promise<unknown> => import(pathToFileURL(join(root, "dist", name)).href);
  const { main } = (await module("cli.cjs")) as { main: typeof Main };
  const library = (await module("index.js")) as typeof Library;
  return {
    library,
    async run(...args) {
      const [out, err] = [sink(), sink()];
      const before = process.cpuUsage();
      const exit = await main(args, {
        stdin: Readable.from([]),
        stdout: out.stream,
        stderr: err.stream,
        env: { TOOLLINT_DEBUG: "1" },
        cwd: folder,
        isTTY: false,
        now: new Date(Date.UTC(2026, 0, 5, 12)),
      });
      const { user, system } = process.cpuUsage(before);
      return { args, exit, stdout: out.text(), stderr: err.text(), cpu: (user + system) / 1e6 };
    },
  };
}

function sink(): { readonly stream: Writable; readonly text: () => string } {
  const parts: string[] = [];
  const stream = new Writable({
    write(part, _, done) {
      parts.push(String(part));
      done();
    },
  });
  return { stream, text: () => parts.join("") };
}
