import picocolors from "picocolors";
import { listed } from "../reporters/layout.ts";
import { ranges } from "../reporters/numbers.ts";
import { cut, widthOf } from "../reporters/width.ts";
import { aligned, entry, labelWidth, oneLine, type Pen, type ShowStyle, safe } from "./entry.ts";
import type { ShownConversation, ShownLog, ShownRepeat, ShownReply, ShownStep } from "./shown.ts";
import { reply, request } from "./step.ts";
import { countsText, countText, durationText, relationText, stopText, tokensText } from "./words.ts";

export type { ShowStyle };

/** The log for people, line by line: its conversations, and what each step sent, lost and got back. */
export function* printed({ file, conversations }: ShownLog, style: ShowStyle): Generator<string> {
  const pen: Pen = { ...style, paint: picocolors.createColors(style.color) };
  const parts = [
    safe(pen, file.path),
    file.container,
    file.protocols.join(", "),
    countText(file.exchanges, "exchange"),
    countText(file.conversations, "conversation"),
  ];
  if (file.kind === "transcript") parts.push("a transcript: each item once, not what was sent");
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
    safe(pen, oneLine((opening ?? "(no user message)").slice(0, pen.width * 4))),
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
  { name, protocol, totals, steps, repeats }: ShownConversation,
  isNamed: boolean,
  pen: Pen,
): Generator<string> {
  const parts = [
    ...(isNamed ? [name] : []),
    protocol,
    countText(totals.steps, "step"),
    countText(totals.turns, "turn"),
    countText(totals.calls, "call"),
    ...(totals.tokens ? [tokensText(totals.tokens)] : []),
    ...(totals.durationMs === null ? [] : [durationText(totals.durationMs)]),
  ];
  for (const line of listed(parts, pen.width)) yield pen.paint.bold(line);
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
  const parts = [
    ...(model === null ? [] : [safe(pen, model)]),
    ...relationText(shown),
    ...(shown.request ? [countsText(shown.request, shown)] : []),
    ...(shown.isAborted ? ["aborted"] : []),
    ...(shown.status !== null && shown.status >= 400 ? [`HTTP ${shown.status}`] : []),
    ...(shown.reply ? replyWords(shown.reply, pen) : []),
    ...(shown.durationMs === null ? [] : [durationText(shown.durationMs)]),
  ];
  const places = [shown.request && `:${shown.request.line}`, shown.reply && `:${shown.reply.line}`];
  const head = `${`${String(shown.exchange).padEnd(2)} ${what}`.padEnd(19)}  `;
  const start = parts.filter(Boolean).join(" · ");
  yield aligned(pen, head, { start }, places.filter(Boolean).join(" → "), pen.paint.bold);
  if (shown.request) yield* request(shown.request, pen);
  if (shown.reply) yield* reply(shown.reply, pen);
}

function replyWords({ stop, state, tokens, error }: ShownReply, pen: Pen): string[] {
  const words = stop ? [stopText(stop.meaning, safe(pen, stop.reason))] : [];
  if (!error && state === "open") words.push("cut off: the stream has no end");
  if (tokens) words.push(tokensText(tokens));
  return words;
}

function* repeat({ calls, exchanges, results, cost }: ShownRepeat, pen: Pen): Generator<string> {
  yield* entry(pen, "call", "call", calls.map((call) => `${call.tool} ${call.arguments}`).join(", "));
  const spent = [countText(exchanges.length - 1, "request")];
  if (cost.tokens !== null) spent.push(countText(cost.tokens, "token"));
  if (cost.durationMs !== null) spent.push(durationText(cost.durationMs));
  const parts = [`${exchanges.length} times`, `replies ${ranges(exchanges)}`];
  if (results > 0) parts.push(results === 1 ? "always the same result" : `${results} different results`);
  parts.push(`the repeats cost ${spent.join(", ")}`);
  for (const line of listed(parts, pen.width - labelWidth)) yield `${" ".repeat(labelWidth)}${line}`;
}
