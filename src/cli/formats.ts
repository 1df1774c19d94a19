import { containers } from "../containers/index.ts";
import { protocols } from "../protocols/index.ts";
import { profiles } from "../protocols/profiles/index.ts";
import { ruleTable } from "../rules/index.ts";
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
  const kept = containers.map(({ name, summary, signs, kind = "requests" }) => ({
    name,
    summary,
    signs,
    kind,
    rules: ruleTable.filter(({ needs }) => kind === "requests" || !/^(?:wire|requests)$/.test(needs)).length,
  }));
  const data = {
    containers: kept,
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
  const all = [...rows(data.containers), ...data.protocols, ...rows(data.profiles)];
  const longest = Math.max(...all.map(({ name }) => name.length));
  const lines = (entries: typeof all) =>
    table(
      entries.map(({ name, summary }) => [`  ${paint.cyan(name.padEnd(longest))}`, summary]),
      widthOf(io),
    );
  const judging = (kind: string) => kept.find((each) => each.kind === kind)?.rules ?? 0;
  const keptLines = (kind: string) =>
    lines(
      kept
        .filter((each) => each.kind === kind)
        .map(({ name, summary, signs }) => ({ name, summary: `${summary} ${paint.dim(`· ${signs}`)}` })),
    );
  await print(io.stdout, [
    paint.bold("Containers: how traffic is kept in a file, and how it is recognised"),
    ...keptLines("requests"),
    "",
    ...wrapped(
      `Transcripts: session files of agents, in which each thing that was said stands once. What was sent is not in them, so ${judging("transcript")} of ${judging("requests")} rules can judge them`,
      widthOf(io),
    ).map((line) => paint.bold(line)),
    ...keptLines("transcript"),
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
