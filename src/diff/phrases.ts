import type { Placed, Step } from "../conversation/conversation.ts";
import { maskedStart } from "../reporters/visible.ts";
import { type DiffedPart, diffedParts, valueParts } from "./item-diff.ts";
import type { Names } from "./item-identity.ts";
import type { SettingDifference } from "./settings.ts";
import type { ComparedRow, HalfComparison } from "./step-comparer.ts";
import { news, type Parting } from "./verdict.ts";

/** The maximum length of quoted values and texts, in characters. */
const shortValue = 60;
const shortText = 32;
/** Only this much of a value is read. */
const reach = 2000;
/** The maximum number of items named in a sentence. */
const namedItems = 4;

/** The differences at a parting, a phrase each, from the view of the failing run; log values in backticks. */
export function whatDiffers({ run, step, side, isAlone }: Parting, names: Names): string[] {
  if (isAlone)
    return [
      aloneText(
        step.left,
        step.right,
        run.steps.indexOf(step) === run.steps.findLastIndex(({ left }) => left),
        step.isRecovered,
      ),
    ];
  // If the log has no replies, the next request shows what the model said.
  const half = side === "reply" && step.reply.state !== "uncompared" ? step.reply : step.request;
  return half === step.request && side === "request" ? requestTexts(half, names) : [replyText(half, names)];
}

function aloneText(
  left: Step | undefined,
  right: Step | undefined,
  isLast: boolean,
  isRecovered: boolean,
): string {
  if (isRecovered) return `a request failed and was retried${right ? " in the passing run" : ""}`;
  if (left) {
    if (left.relation === "repeat") return "the same request is sent again";
    return isLast
      ? "the run continues where the passing run has ended"
      : "a request that the passing run does not send";
  }
  const results = right?.added.filter(({ item }) => item.kind === "result") ?? [];
  if (results.length > 0) return `no later request contains ${listOf(results.map(itemText))}`;
  return "the run ends where the passing run sends another request";
}

function requestTexts(half: HalfComparison, names: Names): string[] {
  const rows = news(half);
  const settings = half.settings.map(settingText);
  const allMissing = rows.filter(({ mark }) => mark === "missing").flatMap(({ right }) => right ?? []);
  const allAdded = rows.filter(({ mark }) => mark === "added").flatMap(({ left }) => left ?? []);
  // A result of a changed call: both runs have one.
  const isReplaced = (others: readonly Placed[]) => (placed: Placed) =>
    placed.item.kind === "result" &&
    others.some((other) => other.item.kind === "result" && itemText(other) === itemText(placed));
  const replaced = allMissing.filter(isReplaced(allAdded));
  const missing = allMissing.filter((placed) => !replaced.includes(placed));
  const added = allAdded.filter((placed) => !isReplaced(allMissing)(placed));
  const moved = rows.filter(({ mark }) => mark === "moved").flatMap(({ left }) => left ?? []);
  // A result whose call is missing has no call to answer; that is a consequence.
  const lacksCalls = missing.some(({ item }) => item.kind === "call");
  const changed = rows
    .filter((row) => row.mark === "changed" && !(lacksCalls && isOrphaned(row, names)))
    .map((row) => changedText(row, names));
  return [
    ...settings,
    ...distinct(changed),
    ...(replaced.length > 0 ? [countedItems(replaced, "differs", "differ")] : []),
    ...(missing.length > 0 ? [countedItems(missing, "is missing", "are missing")] : []),
    ...(added.length > 0
      ? [countedItems(added, "is only in the failing run", "are only in the failing run")]
      : []),
    ...(moved.length > 0 ? [countedItems(moved, "is in another place", "are in other places")] : []),
  ];
}

/** The results differ only in the call that they answer. */
function isOrphaned(row: ComparedRow, names: Names): boolean {
  const parts = diffedParts(row, names);
  return parts.length === 1 && parts[0]?.name === "answers" && parts[0].left?.startsWith("no call") === true;
}

/** What the reply decided, compared with the passing run. */
function replyText(half: HalfComparison, names: Names): string {
  const rows = half.rows.filter(({ mark }) => mark !== "same");
  if (half.outcome && half.outcome.left !== "whole") return `the reply ${verbOf(half.outcome.left)}`;
  if (half.outcome) return `the reply is complete; in the passing run it ${verbOf(half.outcome.right)}`;
  const major = rows.filter(({ isMinor }) => !isMinor);
  if (major.length === 0) return "the same content in different words";
  const calls = major.filter((row) => (row.left ?? row.right)?.item.kind === "call");
  const own = calls.flatMap(({ mark, left }) => (mark === "added" && left ? [callText(left)] : []));
  const others = calls.flatMap(({ mark, right }) => (mark === "missing" && right ? [callText(right)] : []));
  const changed = calls.filter(({ mark }) => mark === "changed").map((row) => changedText(row, names));
  const parts = [...changed];
  const hasText = (side: "left" | "right") => half.rows.some((row) => row[side]?.item.kind === "message");
  const keepsCalls = half.rows.some(({ mark, left }) => mark !== "added" && left?.item.kind === "call");
  if (own.length > 0 && others.length > 0)
    parts.push(`the model calls ${listOf(own)} instead of ${listOf(others)}`);
  else if (own.length > 0)
    parts.push(
      `the model calls ${listOf(own)}${hasText("right") && !keepsCalls ? " instead of answering" : ", too"}`,
    );
  else if (others.length > 0)
    parts.push(
      hasText("left") && !keepsCalls
        ? `the model writes text instead of calling ${listOf(others)}`
        : `the model does not call ${listOf(others)}`,
    );
  if (parts.length === 0) {
    const rest = major.map(({ mark, left, right }) =>
      mark === "missing"
        ? `lacks ${right ? itemText(right) : ""}`
        : `has ${left ? itemText(left) : ""}${mark === "changed" ? " in a different form" : ""}`,
    );
    return `the reply ${listOf(distinct(rest))}`;
  }
  return sentenceOf(parts);
}

function verbOf(outcome: string): string {
  if (outcome.startsWith("failed") || outcome.startsWith("announces")) return outcome;
  if (outcome === "no reply") return "is not in the log";
  return `is ${outcome.replace(/^stopped: (.*)$/, "stopped (`$1`)")}`;
}

/** What differs inside an item that both runs have. */
function changedText(row: ComparedRow, names: Names): string {
  const parts = diffedParts(row, names);
  const { left } = row;
  if (!left) return "";
  const { item } = left;
  const part = (name: string): DiffedPart | undefined => parts.find((one) => one.name === name);
  const answered = item.kind === "result" ? names.linkOf("left", item)?.call?.item.name : undefined;
  const what = answered === undefined ? itemText(left) : `the result of ${quoted(answered)}`;
  const form = part("form");
  if (form) {
    if (form.left?.includes("without type")) return `${what} is sent without \`type\``;
    return form.left ? `${what} is sent in a wrong form (${form.left})` : `${what} is sent in the right form`;
  }
  if (part("kind")) return `${what} has a different type`;
  if (item.kind === "call") {
    const inside = parts.filter(({ name }) => name === "arguments");
    if (part("state")) return `${what} is cut off`;
    if (inside.length > 0) return argumentsText(what, left, inside);
  }
  if (item.kind === "result") {
    const answers = part("answers");
    if (answers) return `${what} ${flawText(item.callId, answers)}`;
    if (part("text")) return `${what} differs`;
    return `${what} has a different error mark`;
  }
  return `${what} differs`;
}

function argumentsText(what: string, left: Placed, inside: readonly DiffedPart[]): string {
  const history = left.part === "request" ? "is sent with different arguments" : "has different arguments";
  const [first] = inside;
  if (!first || inside.length > 2) return `${what} ${history}`;
  const details = inside.map(({ pointer, left: one, right: other }) => {
    const name = pointer === "" ? "" : `${pointer.split("/").at(-1) ?? ""} `;
    return `${name}${quoted(one ?? "nothing")} instead of ${quoted(other ?? "nothing")}`;
  });
  return `${what} ${history}: ${listOf(details)}`;
}

function flawText(callId: string | undefined, { left }: DiffedPart): string {
  const id = callId === undefined ? "no id" : quoted(callId);
  if (left?.startsWith("no call")) return `names ${id}, which no call has`;
  if (left?.startsWith("not its call")) return `names ${id}, which is not its call's id`;
  if (left?.startsWith("a call that has")) return "appears twice";
  if (left?.startsWith("its call, from")) return "is in the wrong place";
  return "answers a different call";
}

/** A difference between two settings, in words. */
function settingText({ setting, name = "", left, right }: SettingDifference): string {
  switch (setting) {
    case "model":
      return `the model is ${quoted(text(left))} instead of ${quoted(text(right))}`;
    case "system":
      if (left === undefined) return "there is no system prompt";
      return right === undefined ? "there is a system prompt" : "the system prompt differs";
    case "tools":
      if (left === undefined) return `the tool ${quoted(name)} is offered only in the passing run`;
      if (right === undefined) return `the tool ${quoted(name)} is offered only in the failing run`;
      return `the tool ${quoted(name)} has a different definition`;
    case "tool-choice":
      return `tool_choice is ${quoted(choiceText(left))} instead of ${quoted(choiceText(right))}`;
    case "parameter": {
      if (left === undefined) return `${quoted(name)} is not set`;
      if (right === undefined) return `${quoted(name)} is set (${quoted(text(left))})`;
      const [first, ...rest] = valueParts("", left, right);
      if (first && rest.length === 0)
        return `${quoted(`${name}${first.pointer}`)} is ${quoted(first.left ?? "not set")} instead of ${quoted(first.right ?? "not set")}`;
      return `${quoted(name)} differs`;
    }
  }
}

function choiceText(choice: unknown): string {
  if (typeof choice !== "object" || choice === null) return "auto";
  const { mode, name } = choice as { readonly mode?: string; readonly name?: string };
  return name ?? mode ?? "auto";
}

function text(value: unknown): string {
  return value === undefined ? "none" : typeof value === "string" ? value : JSON.stringify(value);
}

const speakers: Readonly<Record<string, string>> = {
  assistant: "the model's text",
  user: "the user's message",
  system: "the system prompt",
};

/** `the result of \`read_file\``, `the call to \`read_file\``, `the user's message`. */
function itemText({ item, step }: Placed): string {
  switch (item.kind) {
    case "call":
      return `the call to ${quoted(item.name)}`;
    case "result": {
      const name = item.name ?? callOf(step, item.callId);
      return name === undefined ? "a tool's result" : `the result of ${quoted(name)}`;
    }
    case "message":
      return `${speakers[item.role] ?? "a message"} ${quoted(item.text, shortText)}`;
    case "reasoning":
      return "the model's reasoning";
    case "reference":
      return "a reference to an earlier item";
    case "compaction":
      return "a summary";
    case "opaque":
      return `an item ${quoted(item.wireType)}`;
  }
}

/** The tool of the call with this id, if the step or its ancestors have the call. */
function callOf(step: Step, id: string | undefined): string | undefined {
  if (id === undefined) return undefined;
  for (let at: Step | undefined = step, tries = 0; at && tries < 50; at = at.parent, tries++) {
    for (const { item } of at.added) if (item.kind === "call" && item.id === id) return item.name;
    for (const item of at.reply?.items ?? []) if (item.kind === "call" && item.id === id) return item.name;
  }
  return undefined;
}

function callText({ item }: Placed): string {
  if (item.kind !== "call") return "";
  return quoted(`${item.name} ${item.argumentsText}`.trim());
}

function countedItems(items: readonly Placed[], one: string, several: string): string {
  const [first] = items;
  if (items.length === 1 && first) return `${itemText(first)} ${one}`;
  const named = items.slice(0, namedItems).map(itemText);
  const rest = items.length - named.length;
  return `${items.length} items ${several}: ${rest > 0 ? `${named.join(", ")} and ${rest} more` : listOf(named)}`;
}

function quoted(value: string, longest = shortValue): string {
  // Mask before cutting: half of a credential would not be recognised.
  const line = maskedStart(value, reach).replace(/\s+/g, " ").replaceAll("`", "'").trim();
  return `\`${line.length > longest ? `${line.slice(0, longest - 1)}…` : line}\``;
}

function listOf(texts: readonly string[]): string {
  if (texts.length <= 1) return texts[0] ?? "";
  const shown = texts.slice(0, namedItems);
  const more = texts.length - shown.length;
  return more > 0
    ? `${shown.join(", ")} and ${more} more`
    : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

/** Joins several differences into one sentence. */
export function sentenceOf(parts: readonly string[]): string {
  const shown = parts.slice(0, namedItems);
  const more = parts.length - shown.length;
  return `${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

function distinct(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const one of texts) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].map(([one, count]) => (count > 1 ? `${one} (${count} times)` : one));
}
