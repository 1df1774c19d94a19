import { masked, visible } from "../reporters/visible.ts";
import { cut, widthOf } from "../reporters/width.ts";
import { entry, labelWidth, type Mark, type Pen, rightRoom } from "./entry.ts";
import type { ShownItem, ShownReply, ShownRequest } from "./shown.ts";

/** Maximum number of printed entries of one kind per step; the rest is counted. */
const maxShown = 30;

/** What a request added to the previous one, and what it lost. */
export function* request(shown: ShownRequest, pen: Pen): Generator<string> {
  const { system, tools, added, gone, loss, changed, moved, unanswered } = shown;
  if (system === null) yield* entry(pen, "gone", "system", "the system prompt is gone");
  else if (system !== undefined) yield* entry(pen, "new", "system", system);
  if (tools === null) yield* entry(pen, "gone", "tools", "the tools are gone");
  else if (tools !== undefined) yield* entry(pen, "new", "tools", toolsText(tools));
  const isGrave = loss === "current-turn" || loss === "older-turns";
  yield* limited(pen, gone, (one) =>
    // Clients often omit reasoning and side remarks, but never calls and results.
    item(pen, one, "gone", isGrave || one.kind === "call" || one.kind === "result" ? "gone" : "left out"),
  );
  yield* limited(pen, added, (one) => item(pen, one, one.kind === "result" ? "result" : "new"));
  yield* limited(pen, changed, function* ({ what, before, after }) {
    const lead = `${before.tool === undefined ? "" : `${before.tool} `}${what} `;
    yield* entry(pen, "changed", "changed", said(before, what), { lead, right: placeText(before, pen) });
    yield* entry(pen, "changed", "into", said(after, what), { right: `:${after.line}` });
  });
  yield* limited(pen, moved, (one) => item(pen, one, "changed", "moved"));
  yield* limited(pen, unanswered, (one) => item(pen, one, "missing", "no result"));
}

/** What the model replied. */
export function* reply({ items, error }: ShownReply, pen: Pen): Generator<string> {
  yield* limited(pen, items, (one) =>
    item(pen, one, one.kind === "call" ? "call" : one.kind === "result" ? "result" : "new"),
  );
  if (!error) return;
  yield* entry(pen, "missing", "error", [error.type, error.code, error.message].filter(Boolean).join(": "));
}

function* limited<T>(pen: Pen, all: readonly T[], print: (one: T) => Iterable<string>): Generator<string> {
  const shown = pen.isFull ? all : all.slice(0, maxShown);
  for (const one of shown) yield* print(one);
  if (all.length > shown.length) yield `     … and ${all.length - shown.length} more`;
}

function item(pen: Pen, shown: ShownItem, mark: Mark, label?: string): Generator<string> {
  const { kind, role, text, tool, remarks, line } = shown;
  const own = kind === "message" ? role : kind === "compaction" ? "summary" : kind;
  const words = [...(label === undefined ? [] : [own]), ...(tool === undefined ? [] : [tool])];
  return entry(pen, mark, label ?? own, text || (kind === "call" ? "(no arguments)" : "(no text)"), {
    lead: words.map((word) => `${word} `).join(""),
    right: rightSide(remarks.join(", "), placeText(shown, pen), `:${line}`, pen),
  });
}

/** An item's remarks and place. If there is little room, the id is dropped: the line identifies it. */
function rightSide(remark: string, place: string, line: string, pen: Pen): string {
  if (remark === "") return place;
  const whole = `${remark}  ${place}`;
  const room = rightRoom(pen, labelWidth);
  if (pen.isFull || widthOf(visible(whole)) <= room) return whole;
  return `${cut(visible(remark), Math.max(8, room - line.length - 2))}  ${line}`;
}

function placeText({ callId, line }: ShownItem, pen: Pen): string {
  return [...(callId === undefined ? [] : [shortId(callId, pen)]), `:${line}`].join("  ");
}

/** The content of a changed item. */
function said({ text, tool, callId }: ShownItem, what: ShownRequest["changed"][number]["what"]): string {
  const value = what === "name" ? (tool ?? "") : what === "id" ? (callId ?? "") : text;
  return value === "" ? "(empty)" : value;
}

function shortId(given: string, { isFull, showValues }: Pen): string {
  const id = showValues ? given : masked(given);
  return isFull || id.length <= 18 ? id : `${id.slice(0, 14)}…${id.slice(-3)}`;
}

function toolsText(tools: readonly string[]): string {
  const names = tools.filter((name) => name !== "");
  if (names.length > 0) return names.join(", ");
  return tools.length > 0 ? `${tools.length} without names` : "none";
}
