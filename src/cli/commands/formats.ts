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
      `Containers: file formats of traffic, and how they are recognised. All ${all} rules can check requests and replies as they were sent`,
    ),
    ...withSigns(ofKind("requests")),
    "",
    ...heading("Recognised inside these by shape, as sent: logs of gateways, recorders and programs"),
    ...withSigns(found.filter(({ holds }) => holds === "sent")),
    "",
    ...heading(
      `Recognised by shape, but rewritten: traces and framework dumps. They do not show the wire format, so ${ofRequests} of ${all} rules can check them`,
    ),
    ...withSigns(found.filter(({ holds }) => holds === "told")),
    "",
    ...heading(
      `Transcripts: session files of agents, in which each item appears once. They do not show the requests, so ${ofSessions} of ${all} rules can check them, or ${ofRecords} if the agent builds its next request from them`,
    ),
    ...withSigns(ofKind("transcript").sort((a, b) => (a.name < b.name ? -1 : 1))),
    "",
    ...heading("Recognised, but not readable: the content that toollint needs is not in them"),
    ...lines(
      unsupportedInputs.map(({ name, summary, instead }) => ({
        name,
        summary: `${summary} ${paint.dim(`· instead: ${instead}`)}`,
      })),
    ),
    "",
    paint.bold("Protocols: the APIs of the traffic"),
    ...lines(data.protocols),
    "",
    paint.bold("Profiles: providers whose rules requests are checked against"),
    ...lines(data.profiles),
    "",
    ...wrapped(
      "toollint recognises all of them; a profile by the host, the form of replies and the model. `--container NAME`, `--protocol NAME` and `--profile NAME` override that. `check --target NAME` checks for another provider.",
      terminalWidth(io),
    ),
  ]);
  return 0;
}
