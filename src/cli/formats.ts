import { containers } from "../containers/index.ts";
import { protocols } from "../protocols/index.ts";
import { type Io, print, printPieces, widthOf } from "./io.ts";
import { paintFor } from "./paint.ts";
import type { Invocation } from "./parse.ts";
import { choice } from "./values.ts";

/** `toollint formats`: says its exit code. */
export async function formats(invocation: Invocation, io: Io): Promise<number> {
  const format = choice(invocation, "format", ["text", "json"]);
  const paint = paintFor(invocation, io);
  const rows = (all: readonly { readonly name: string; readonly summary: string }[]) =>
    all.map(({ name, summary }) => ({ name, summary }));
  const data = { containers: rows(containers), protocols: rows(protocols) };
  if (format === "json") {
    await printPieces(io.stdout, [`${JSON.stringify(data, null, 2)}\n`]);
    return 0;
  }
  const { table } = await import("./tables.ts");
  const all = [...data.containers, ...data.protocols];
  const longest = Math.max(...all.map(({ name }) => name.length));
  const lines = (entries: typeof all) =>
    table(
      entries.map(({ name, summary }) => [`  ${paint.cyan(name.padEnd(longest))}`, summary]),
      widthOf(io),
    );
  await print(io.stdout, [
    paint.bold("Containers: how traffic is kept in a file"),
    ...lines(data.containers),
    "",
    paint.bold("Protocols: what the traffic says"),
    ...lines(data.protocols),
    "",
    "Both are found out by themselves; `--container NAME` and `--protocol NAME` decide.",
  ]);
  return 0;
}
