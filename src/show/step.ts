import { cut } from "../reporters/width.ts";
import { entry, type Mark, type Pen } from "./entry.ts";
import type { ShownItem, ShownReply, ShownRequest } from "./shown.ts";

/** Entries of one kind in one step that are printed; the rest is counted. */
const most = 30;

/** What a request brought beyond the one before, and what it lost. */
export function* request(shown: ShownRequest, pen: Pen): Generator<string> {
  const { system, tools, added, gone, loss, changed, moved, unanswered } = shown;
  if (system === null) yield* entry(pen, "gone", "system", "the system prompt is gone");
  else if (system !== undefined) yield* entry(pen, "new", "system", system);
  if (tools === null) yield* entry(pen, "gone", "tools", "no tools are offered any more");
  else if (tools !== undefined) yield* entry(pen, "new", "tools", toolsText(tools));
  const isGrave = loss === "current-turn" || loss === "older-turns";
  yield* limited(pen, gone, (one) =>
    // Clients leave reasoning and side remarks out by habit; calls and results never.
    item(pen, one, "gone", isGrave || one.kind === "call" || one.kind === "result" ? "gone" : "left out"),
  );
  yield* limited(pen, added, (one) => item(pen, one, one.kind === "result" ? "result" : "new"));
  yield* limited(pen, changed, function* ({ what, before, after }) {
    yield* entry(pen, "changed", "changed", before.text, { lead: `${what} was `, right: `:${before.line}` });
    yield* entry(pen, "changed", "", after.text, { lead: `${what} is  `, right: `:${after.line}` });
  });
  yield* limited(pen, moved, (one) => item(pen, one, "changed", "moved"));
  yield* limited(pen, unanswered, (one) => item(pen, one, "missing", "no result"));
}

/** What came back. */
export function* reply({ items, error }: ShownReply, pen: Pen): Generator<string> {
  yield* limited(pen, items, (one) =>
    item(pen, one, one.kind === "call" ? "call" : one.kind === "result" ? "result" : "new"),
  );
  if (!error) return;
  yield* entry(pen, "missing", "error", [error.type, error.code, error.message].filter(Boolean).join(": "));
}

function* limited<T>(pen: Pen, all: readonly T[], print: (one: T) => Iterable<string>): Generator<string> {
  const shown = pen.isFull ? all : all.slice(0, most);
  for (const one of shown) yield* print(one);
  if (all.length > shown.length) yield `     … and ${all.length - shown.length} more`;
}

function item(pen: Pen, shown: ShownItem, mark: Mark, label?: string): Generator<string> {
  const { kind, role, text, tool, callId, remarks, line } = shown;
  const own = kind === "message" ? role : kind;
  const words = [...(label === undefined ? [] : [own]), ...(tool === undefined ? [] : [tool])];
  const place = [...(callId === undefined ? [] : [shortId(callId, pen)]), `:${line}`].join("  ");
  const said = cut(remarks.join(", "), Math.max(10, (pen.width >> 1) - place.length - 2));
  return entry(pen, mark, label ?? own, text || (kind === "call" ? "" : "(no text)"), {
    lead: words.map((word) => `${word} `).join(""),
    right: said ? `${said}  ${place}` : place,
  });
}

function shortId(id: string, { isFull }: Pen): string {
  return isFull || id.length <= 18 ? id : `${id.slice(0, 14)}…${id.slice(-3)}`;
}

function toolsText(tools: readonly string[]): string {
  const names = tools.filter((name) => name !== "");
  if (names.length > 0) return names.join(", ");
  return tools.length > 0 ? `${tools.length} without names` : "none";
}
