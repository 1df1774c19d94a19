import { containers } from "../containers/index.ts";
import { protocols } from "../protocols/index.ts";
import { profiles } from "../protocols/profiles/index.ts";
import { type Io, print, printPieces, widthOf } from "./io.ts";
import { paintFor } from "./paint.ts";
import type { Invocation } from "./parse.ts";
import { choice } from "./values.ts";
import { wrapped } from "./wrap.ts";

/** `toollint formats`: says its exit code. */
export async function formats(invocation: Invocation, io: Io): Promise<number> {
  const format = choice(invocation, "format", ["text", "json"]);
  const paint = paintFor(invocation, io);
  const rows = (all: readonly { readonly name: string; readonly summary: string }[]) =>
    all.map(({ name, summary }) => ({ name, summary }));
  const data = {
    containers: rows(containers),
    protocols: rows(protocols),
    profiles: profiles.map(({ name, summary, hosts, protocols: spoken }) => ({
      name,
      summary,
      protocols: Object.keys(spoken),
      hosts,
    })),
  };
  if (format === "json") {
    await printPieces(io.stdout, [`${JSON.stringify(data, null, 2)}\n`]);
    return 0;
  }
  const { table } = await import("./tables.ts");
  const all = [...data.containers, ...data.protocols, ...rows(data.profiles)];
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
    paint.bold("Profiles: by whose demands requests are judged"),
    ...lines(data.profiles),
    "",
    ...wrapped(
      "All are found out by themselves, a profile by the host, by marks of the replies and by the model; `--container NAME`, `--protocol NAME` and `--profile NAME` decide. `check --target NAME` judges for another provider.",
      widthOf(io),
    ),
  ]);
  return 0;
}
