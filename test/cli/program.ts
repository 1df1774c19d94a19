import { Readable, Writable } from "node:stream";
import { main } from "../../src/cli/main.ts";

/** The world of one run; what is left out is a pipe in an empty environment. */
export interface World {
  readonly cwd?: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly isTTY?: boolean;
  readonly isErrorTTY?: boolean;
  readonly columns?: number;
  readonly now?: Date;
  /** What reading standard input fails with. */
  readonly stdinFails?: string;
  /** What writing to standard output fails with. */
  readonly stdoutFails?: string;
}

export interface Outcome {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program in this process and keeps what it writes. */
export async function toollint(args: readonly string[], world: World = {}): Promise<Outcome> {
  const stdout = sink(world.stdoutFails);
  const stderr = sink();
  const exit = await main(args, {
    stdin: Readable.from(source(world)),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: world.env ?? {},
    cwd: world.cwd ?? process.cwd(),
    isTTY: world.isTTY ?? false,
    isErrorTTY: world.isErrorTTY ?? false,
    columns: world.columns,
    now: world.now,
  });
  return { exit, stdout: stdout.text(), stderr: stderr.text() };
}

function* source({ stdin, stdinFails }: World): Generator<Buffer> {
  if (stdin !== undefined) yield Buffer.from(stdin);
  if (stdinFails !== undefined) throw new Error(stdinFails);
}

function sink(failure?: string): { stream: Writable; text: () => string } {
  const parts: string[] = [];
  const stream = new Writable({
    write(part, _, done) {
      parts.push(String(part));
      done(failure === undefined ? null : Object.assign(new Error(failure), { code: failure }));
    },
  });
  return { stream, text: () => parts.join("") };
}
