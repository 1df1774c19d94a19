import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import type { main as Main } from "../src/cli/main.ts";
import type * as Library from "../src/index.ts";
import type { CheckReport, Log } from "../src/index.ts";

/** What one command wrote, and what it cost. */
export interface Outcome {
  readonly args: readonly string[];
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  /** In seconds of all cores. */
  readonly cpu: number;
}

type Asks<T> = (log: Uint8Array, options: { readonly name: string }) => Promise<T>;

/** The program and the library in this process. */
export interface Toollint {
  readonly library: {
    readonly fix: typeof Library.fix;
    /** They work once for the same log, as oracles ask the same. */
    readonly check: Asks<CheckReport>;
    readonly read: Asks<Log>;
  };
  /** Runs a command in the folder of the log. */
  run(...args: readonly string[]): Promise<Outcome>;
}

/**
 * @param modules the files that export the program and the library, together or each for itself.
 * @param folder the commands' working directory.
 */
export async function loadToollint(modules: readonly string[], folder: string): Promise<Toollint> {
  const loaded: unknown[] = await Promise.all(modules.map((file) => import(pathToFileURL(file).href)));
  const { main, fix, check, read }: { main: typeof Main } & typeof Library = Object.assign({}, ...loaded);
  return {
    library: { fix, check: once(check), read: once(read) },
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

/** Logs whose answers are kept: a mutant as it is, and what both kinds of repair made of it. */
const kept = 6;

/** The same function, which remembers what it said of the last logs. */
function once<T>(ask: Asks<T>): Asks<T> {
  const known: { readonly log: Buffer; readonly name: string; readonly answer: Promise<T> }[] = [];
  return (log, { name }) => {
    const own = Buffer.from(log);
    const found = known.find((each) => each.name === name && each.log.equals(own));
    if (found) return found.answer;
    const answer = ask(log, { name });
    known.unshift({ log: own, name, answer });
    known.length = Math.min(known.length, kept);
    return answer;
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
