import picocolors from "picocolors";
import { listed } from "../reporters/layout.ts";
import { ranges } from "../reporters/numbers.ts";
import { protocolNames } from "../reporters/protocol-names.ts";
import { cut, cutMiddle, widthOf } from "../reporters/width.ts";
import { aligned, entry, labelWidth, type Pen, type ShowStyle, safe, safeStart } from "./entry.ts";
import type { ShownConversation, ShownLog, ShownRepeat, ShownStep } from "./shown.ts";
import { reply, request } from "./step.ts";
import { countsText, countText, durationText, outcomeText, relationText, tokensText } from "./words.ts";

export type { ShowStyle };

/** The log for people, line by line: its conversations, and what each step sent, lost and received. */
export function* printedSteps({ file, conversations }: ShownLog, style: ShowStyle): Generator<string> {
  const pen: Pen = { ...style, paint: picocolors.createColors(style.color) };
  const parts = [
    safe(pen, file.path),
    file.container,
    ...protocolNames(file.protocols),
    ...(file.kind === "transcript" ? [] : [countText(file.exchanges, "exchange")]),
    ...(file.besideTurns ? [`${file.besideTurns} of them not turns (token counts, stored data)`] : []),
    countText(file.conversations, "conversation"),
  ];
  if (file.kind === "transcript") parts.push("a transcript: each item once, not the requests as sent");
  yield* listed(parts, pen.width);
  if (conversations.length > 1) {
    yield "";
    yield* contents(conversations, pen);
  }
  for (const each of conversations) {
    yield "";
    yield* conversation(each, file.conversations > 1, pen);
  }
}

/** The table of conversations. */
function* contents(conversations: readonly ShownConversation[], pen: Pen): Generator<string> {
  const rows = conversations.map(({ name, totals, steps, opening }) => [
    name,
    `${steps[0]?.exchange ?? ""}`,
    `${totals.steps}`,
    `${totals.calls}`,
    safeStart(pen, opening ?? "(no user message)", pen.width * 4),
  ]);
  const head = ["", "from exchange", "steps", "calls", "begins with"];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => widthOf(row[column] ?? ""))),
  );
  const line = (cells: readonly string[]) => {
    const [name = "", ...rest] = cells;
    const text = rest.pop() ?? "";
    return cut(
      [
        name.padEnd(widths[0] ?? 0),
        ...rest.map((cell, column) => cell.padStart(widths[column + 1] ?? 0)),
        text,
      ].join("  "),
      pen.width,
    );
  };
  yield pen.paint.dim(line(head));
  for (const row of rows) yield line(row);
}

function* conversation(
  { name, protocol, totals, steps, repeats, calledBy }: ShownConversation,
  isNamed: boolean,
  pen: Pen,
): Generator<string> {
  const parts = [
    ...(isNamed ? [name] : []),
    ...protocolNames([protocol]),
    countText(totals.steps, "step"),
    countText(totals.turns, "turn"),
    countText(totals.calls, "call"),
    ...(totals.tokens ? [tokensText(totals.tokens)] : []),
    ...(totals.durationMs === null ? [] : [durationText(totals.durationMs)]),
  ];
  for (const line of listed(parts, pen.width)) yield pen.paint.bold(line);
  if (calledBy) {
    const { tool, callId, conversation: caller, exchange } = calledBy;
    const call = safe(pen, callId === null ? tool : `${tool} ${callId}`);
    yield `a sub-agent's work for the call ${call} in step ${exchange} of ${caller}`;
  }
  let model: string | null = null;
  for (const each of steps) {
    yield* step(each, each.model !== model ? each.model : null, pen);
    model = each.model ?? model;
  }
  if (repeats.length === 0) return;
  yield "";
  yield pen.paint.bold("Repeated");
  const shown = pen.isFull ? repeats : repeats.slice(0, mostRepeats);
  for (const each of shown) yield* repeat(each, pen);
  if (repeats.length > shown.length) yield `     … and ${repeats.length - shown.length} more`;
}

const mostRepeats = 10;

function* step(shown: ShownStep, model: string | null, pen: Pen): Generator<string> {
  const what = shown.request
    ? shown.reply
      ? "request → reply"
      : "request, no reply"
    : "reply without request";
  const places = [shown.request, shown.reply].map((half) => half && `${fileText(half, pen)}:${half.line}`);
  const right = places.filter(Boolean).join(" → ");
  const head = `${`${String(shown.exchange).padEnd(2)} ${what}`.padEnd(19)}  `;
  const room = pen.width - widthOf(head) - widthOf(right) - 2;
  const start = stepText(shown, model === null ? "" : safe(pen, model), room, pen);
  yield aligned(pen, head, { start }, right, pen.paint.bold);
  if (shown.request) yield* request(shown.request, pen);
  if (shown.reply) yield* reply(shown.reply, pen);
}

/** The name of the file, if there are several. */
function fileText({ file }: { readonly file?: string }, pen: Pen): string {
  return file === undefined ? "" : safe(pen, cutMiddle(file.replace(/^.*[\\/]/s, ""), 24));
}

/** Minimum width at which a model's name stays distinctive. */
const leastModel = 16;

/**
 * The summary of a step on its line. If it is too long, first the model's name is cut, then the provider's
 * stop reason is dropped, then details other than its size.
 */
function stepText(shown: ShownStep, model: string, room: number, pen: Pen): string {
  const short = stepWords(shown, { hasReason: false }, pen);
  const shortest = stepWords(shown, { hasReason: false, hasDetails: false }, pen);
  const ways: readonly (readonly [words: readonly string[], least: number])[] = [
    [stepWords(shown, {}, pen), leastModel],
    [short, leastModel],
    [shortest, leastModel],
    [shortest, leastModel >> 1],
  ];
  for (const [words, least] of ways) {
    const rest = words.map((word) => ` · ${word}`).join("");
    const text =
      model === "" ? rest.slice(3) : cutMiddle(model, Math.max(least, room - widthOf(rest))) + rest;
    if (widthOf(text) <= room) return text;
  }
  return shortest.join(" · ");
}

function stepWords(
  shown: ShownStep,
  { hasReason = true, hasDetails = true }: { readonly hasReason?: boolean; readonly hasDetails?: boolean },
  pen: Pen,
): string[] {
  const { request, reply, isAborted, status, durationMs } = shown;
  const tokens = reply?.tokens;
  return [
    ...relationText(shown),
    ...(request ? [countsText(request, shown)] : []),
    ...(isAborted ? ["aborted"] : []),
    ...(status !== null && status >= 400 ? [`HTTP ${status}`] : []),
    ...(reply ? outcomeText(reply, hasReason && reply.stop ? safe(pen, reply.stop.reason) : "") : []),
    ...(reply && !reply.error && reply.state === "open" ? ["cut off: the stream has no end"] : []),
    ...(tokens ? [tokensText(hasDetails ? tokens : { ...tokens, cached: 0 })] : []),
    ...(durationMs === null || !hasDetails ? [] : [durationText(durationMs)]),
  ].filter((word) => word !== "");
}

function* repeat({ calls, exchanges, results, cost }: ShownRepeat, pen: Pen): Generator<string> {
  yield* entry(
    pen,
    "call",
    "call",
    calls.map((call) => `${call.tool} ${call.arguments || "(no arguments)"}`).join(", "),
  );
  const spent = [countText(exchanges.length - 1, "request")];
  if (cost.tokens !== null) spent.push(countText(cost.tokens, "token"));
  if (cost.durationMs !== null) spent.push(durationText(cost.durationMs));
  const parts = [`${exchanges.length} times`, `replies ${ranges(exchanges)}`];
  if (results > 0) parts.push(results === 1 ? "always the same result" : `${results} different results`);
  parts.push(`the repeats cost ${spent.join(", ")}`);
  for (const line of listed(parts, pen.width - labelWidth)) yield `${" ".repeat(labelWidth)}${line}`;
}
