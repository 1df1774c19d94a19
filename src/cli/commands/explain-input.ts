import type { CheckResult } from "../../check/check.ts";
import { containers } from "../../containers/index.ts";
import { callerOf } from "../../conversation/callers.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import type { NotChecked } from "../../findings/report.ts";
import type { Joined, LogFile } from "../../log/log-file.ts";
import type { Run } from "../../log/open.ts";
import { protocols } from "../../protocols/index.ts";
import { groupBy } from "../../reading/group-by.ts";
import { linesOf, type Origin } from "../../reading/origin.ts";
import { counted } from "../../reporters/numbers.ts";
import { printable } from "../../reporters/visible.ts";
import type { paintFor } from "../terminal/paint.ts";
import { wrapped } from "../terminal/wrap.ts";

type Look = ReturnType<typeof paintFor> & { readonly width: number };

/** Maximum number of reasons and conversations listed per file. */
const maxListed = 12;

/** Explains how each file was read: its format and why, what was skipped, and how it was grouped. */
export function* explainInput({ report, runs }: CheckResult, look: Look): Generator<string> {
  let isFirst = true;
  for (const run of runs) {
    for (const file of run.files) {
      // Of a log split over many files, list only those in which something begins.
      if (file.isPart && file.exchanges.length === 0) continue;
      if (!isFirst) yield "";
      isFirst = false;
      yield look.bold(printable(file.path, false));
      const notChecked = report.notChecked.filter((each) => each.file === file.path);
      for (const [label, text] of facts(file, run, notChecked))
        for (const line of wrapped(
          printable(text, false),
          look.width,
          label.padEnd(labelWidth),
          " ".repeat(labelWidth),
        ))
          yield line;
    }
  }
}

const labelWidth = 17;
/** Maximum number of other files of a run that are named. */
const mostOthers = 4;

function* facts(
  log: LogFile,
  { files, byFile }: Run,
  notChecked: readonly NotChecked[],
): Generator<[string, string]> {
  const conversations = byFile.get(log) ?? [];
  const others = files.filter((file) => file !== log && file.exchanges.length > 0).map(({ path }) => path);
  const container = containers.find(({ name }) => name === log.container);
  yield ["  container", `${log.container}${container ? `: ${container.summary}` : ""}`];
  if (container) yield ["  recognised by", container.signs];
  yield [
    "  family",
    log.kind === "transcript"
      ? "transcript: each item appears once, so it does not show what was sent"
      : "requests: each one contains the history as sent",
  ];
  if (log.advice !== undefined) yield ["  but", `it is ${log.advice}`];
  const spoken = new Set(log.exchanges.map(({ protocol }) => protocol));
  for (const { name, summary } of protocols.filter((protocol) => spoken.has(protocol.name)))
    yield ["  protocol", `${name}: ${summary}`];
  yield [log.kind === "transcript" ? "  replies" : "  exchanges", exchangesText(log)];
  if (log.exchanges.length > 0) yield ["  joined", joinedText(log)];
  if (others.length > 0) yield ["  one run with", othersText(others, log)];
  for (const { reason, isCopy } of log.skipped) if (isCopy) yield ["  read as before", reason];
  yield* skipped(log);
  yield* conversations
    .slice(0, maxListed)
    .map((each): [string, string] => [`  ${each.name}`, conversationText(each, log.path)]);
  if (conversations.length > maxListed)
    yield ["", `… and ${conversations.length - maxListed} more conversations`];
  yield* unchecked(notChecked);
}

function exchangesText({ exchanges, kind }: LogFile): string {
  const replies = exchanges.filter(({ reply }) => reply).length;
  if (kind === "transcript") return `${replies} of the model`;
  const requests = exchanges.filter(({ request }) => request).length;
  return `${exchanges.length}: ${counted(requests, "request")}, ${replies} ${replies === 1 ? "reply" : "replies"}`;
}

const ways: Readonly<Record<keyof Joined, string>> = {
  record: "request and reply in one record",
  id: "by a shared id",
  order: "by their order",
  file: "by their file names",
  requestOnly: "requests without a reply",
  replyOnly: "replies without a request",
};

function joinedText({ joined }: LogFile): string {
  if (!joined) return "by what the records state: parents, reply ids, order in the file";
  return (Object.keys(ways) as (keyof Joined)[])
    .filter((way) => joined[way] > 0)
    .map((way) => `${ways[way]}: ${joined[way]}`)
    .join("; ");
}

/** Records that belong to no conversation, by reason, and records that could not be read. */
function* skipped({ skipped: notes, defects }: LogFile): Generator<[string, string]> {
  const reasons = new Map<string, { count: number; first: Origin }>();
  for (const { reason, origin, count = 1, isCopy } of notes) {
    if (isCopy) continue;
    const known = reasons.get(reason);
    if (known) known.count += count;
    else reasons.set(reason, { count, first: origin });
  }
  let label = "  skipped";
  for (const [reason, { count, first }] of [...reasons].slice(0, maxListed)) {
    yield [
      label,
      `${counted(count, "record")}, ${count === 1 ? "" : "the first "}in line ${lineOf(first)}: ${reason}`,
    ];
    label = "";
  }
  if (reasons.size > maxListed) yield ["", `… and ${reasons.size - maxListed} more reasons`];
  label = "  unreadable";
  for (const { origin, message } of defects.slice(0, maxListed)) {
    yield [label, `line ${lineOf(origin)}: ${message}`];
    label = "";
  }
  if (defects.length > maxListed) yield ["", `… and ${defects.length - maxListed} more`];
}

function lineOf({ source, start }: Origin): number {
  return linesOf(source).at(start).line;
}

/** The other files of the run, and why they belong to it. */
function othersText(others: readonly string[], { kind }: LogFile): string {
  const named =
    others.length > mostOthers
      ? [...others.slice(0, mostOthers), `${others.length - mostOthers} more`]
      : others;
  return `${named.join(", ")}: ${kind === "transcript" ? "a session and its sub-agents, or parts of one session" : "their requests continue each other"} (\`--separate\` keeps them apart)`;
}

function conversationText(conversation: Conversation, path: string): string {
  const { protocol, steps } = conversation;
  const caller = callerOf(conversation);
  const [first] = steps;
  const place = first?.request?.place ?? first?.reply?.place;
  const said = first?.added.find(({ item }) => item.kind === "message" && item.role === "user")?.item;
  const counts = new Map<string, number>();
  for (const { relation } of steps) counts.set(relation, (counts.get(relation) ?? 0) + 1);
  return [
    `${protocol}, ${counted(steps.length, "step")}`,
    ...(place ? [` from line ${lineOf(place.origin)}${fileOf(place.origin, path)}`] : []),
    ` (${[...counts].map(([relation, count]) => `${relation} ${count}`).join(", ")})`,
    ...(caller
      ? [
          `, a sub-agent's work for the call ${caller.item.name} ${caller.item.id ?? ""} in ${caller.step.conversation.name}`,
        ]
      : []),
    ...(said?.kind === "message" ? [`: “${said.text.trim().slice(0, 80)}”`] : []),
  ].join("");
}

/** The file in which a conversation begins, if it is another one. */
function fileOf({ source }: Origin, path: string): string {
  return source.name === path ? "" : ` of ${source.name}`;
}

function* unchecked(notChecked: readonly NotChecked[]): Generator<[string, string]> {
  for (const [reason, unchecked] of groupBy(notChecked, ({ why }) => why))
    yield ["  not checked", `${unchecked.map(({ rule }) => rule).join(", ")} (${reason})`];
}
