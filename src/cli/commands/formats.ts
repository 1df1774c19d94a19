import { containers } from "../../containers/index.ts";
import { shapes } from "../../containers/payloads/shapes.ts";
import { unsupportedInputs } from "../../log/unsupported-inputs.ts";
import { protocols } from "../../protocols/index.ts";
import { profiles } from "../../protocols/profiles/index.ts";
import { ruleTable } from "../../rules/index.ts";
import { type Io, print, printChunks, terminalWidth } from "../terminal/io.ts";
import { paintFor } from "../terminal/paint.ts";
import { wrapped } from "../terminal/wrap.ts";
import type { Invocation } from "../usage/parse.ts";
import { choice } from "../usage/values.ts";

/** Runs `toollint formats` and returns its exit code. */
export async function formatsCommand(invocation: Invocation, io: Io): Promise<number> {
  const format = choice(invocation, "format", ["text", "json"]);
  const paint = paintFor(invocation, io);
  const rows = (all: readonly { readonly name: string; readonly summary: string }[]) =>
    all.map(({ name, summary }) => ({ name, summary }));
  /** How many rules can judge a format in which only these parts can be seen. */
  const judging = (...seen: readonly string[]): number =>
    ruleTable.filter(({ needs }) => needs === "anything" || needs === "file" || seen.includes(needs)).length;
  const all = ruleTable.length;
  const [ofRequests, ofSessions, ofRecords] = [judging("requests"), judging(), judging("history")];
  const kept = containers.map(({ name, summary, signs, kind = "requests" }) => ({
    name,
    summary,
    signs,
    kind,
    rules: kind === "requests" ? all : ofRecords,
  }));
  const listings = protocols.flatMap(({ listings = [] }) => listings);
  const found = [...shapes, ...listings.map((listing) => ({ ...listing, holds: "told" as const }))];
  const data = {
    containers: kept,
    shapes: found.map((shape) => ({ ...shape, rules: shape.holds === "sent" ? all : ofRequests })),
    unfit: unsupportedInputs,
    protocols: rows(protocols),
    profiles: profiles.map(({ name, summary, hosts, protocols: spoken }) => ({
      name,
      summary,
      protocols: Object.keys(spoken),
      hosts,
    })),
  };
  if (format === "json") {
    await printChunks(io.stdout, [`${JSON.stringify(data, null, 2)}\n`]);
    return 0;
  }
  const { table } = await import("../terminal/tables.ts");
  const named = [data.containers, found, unsupportedInputs, data.protocols, data.profiles].flatMap(rows);
  const longest = Math.max(...named.map(({ name }) => name.length));
  const lines = (entries: typeof named) =>
    table(
      entries.map(({ name, summary }) => [`  ${paint.cyan(name.padEnd(longest))}`, summary]),
      terminalWidth(io),
    );
  const withSigns = (entries: readonly { name: string; summary: string; signs: string }[]) =>
    lines(
      entries.map(({ name, summary, signs }) => ({ name, summary: `${summary} ${paint.dim(`· ${signs}`)}` })),
    );
  const ofKind = (kind: string) => kept.filter((each) => each.kind === kind);
  const heading = (text: string) => wrapped(text, terminalWidth(io)).map((line) => paint.bold(line));
  await print(io.stdout, [
    ...heading(
      `Containers: how traffic is kept in a file, and how it is recognised. All ${all} rules can judge requests and replies as they were sent`,
    ),
    ...withSigns(ofKind("requests")),
    "",
    ...heading("Found in these by their shape, as they were sent: logs of gateways, recorders and programs"),
    ...withSigns(found.filter(({ holds }) => holds === "sent")),
    "",
    ...heading(
      `Found by their shape, and told in words of their own: traces, and dumps of frameworks. The form on the wire is not in them, so ${ofRequests} of ${all} rules can judge them`,
    ),
    ...withSigns(found.filter(({ holds }) => holds === "told")),
    "",
    ...heading(
      `Transcripts: session files of agents, in which each thing that was said stands once. What was sent is not in them, so ${ofSessions} of ${all} rules can judge them, and ${ofRecords} where the agent makes its next request of these records`,
    ),
    ...withSigns(ofKind("transcript").sort((a, b) => (a.name < b.name ? -1 : 1))),
    "",
    ...heading("Known, and named for what they are: what is needed is not in them"),
    ...lines(
      unsupportedInputs.map(({ name, summary, instead }) => ({
        name,
        summary: `${summary} ${paint.dim(`· instead: ${instead}`)}`,
      })),
    ),
    "",
    paint.bold("Protocols: what the traffic says"),
    ...lines(data.protocols),
    "",
    paint.bold("Profiles: by whose demands requests are judged"),
    ...lines(data.profiles),
    "",
    ...wrapped(
      "All are found out by themselves, a profile by the host, by marks of the replies and by the model; `--container NAME`, `--protocol NAME` and `--profile NAME` decide. `check --target NAME` judges for another provider.",
      terminalWidth(io),
    ),
  ]);
  return 0;
}
