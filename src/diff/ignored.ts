import type { Item } from "../conversation/item.ts";
import { maskedStart } from "../reporters/visible.ts";
import type { Comparison } from "./compare.ts";
import { type Names, normalizedContent, shortName } from "./item-identity.ts";
import type { IgnoredReport } from "./report.ts";
import type { HalfComparison } from "./step-comparer.ts";

/** The maximum length of an example, in characters. */
const longest = 120;

/** Differences between items and replies that count as equal. */
export function ignoredIn({ runs, names }: Comparison): IgnoredReport[] {
  const found = new Map<IgnoredReport["kind"], { count: number; example: IgnoredReport["example"] }>();
  const seen = new Set<string>();
  const add = (kind: IgnoredReport["kind"], left: string, right: string): void => {
    const pair = shortName(JSON.stringify([kind, left, right]));
    if (seen.has(pair)) return;
    seen.add(pair);
    const known = found.get(kind);
    if (known) known.count++;
    else found.set(kind, { count: 1, example: { left: cut(left), right: cut(right) } });
  };
  for (const { left, right, request, reply } of runs.flatMap(({ steps }) => steps)) {
    for (const half of [request, reply]) inRows(half, names, add);
    const [one, other] = [left?.reply, right?.reply];
    if (!one || !other) continue;
    if (one.form !== other.form) add("streaming", one.form, other.form);
    const [spent, spentToo] = [one.usage, other.usage].map(
      (usage) => usage && `${usage.input ?? 0} + ${usage.output ?? 0}`,
    );
    if (spent !== undefined && spentToo !== undefined && spent !== spentToo)
      add("token counts", spent, spentToo);
  }
  return [...found].map(([kind, { count, example }]) => ({ kind, count, example }));
}

function cut(text: string): string {
  const safe = maskedStart(text, longest * 20);
  return safe.length > longest ? `${safe.slice(0, longest - 1)}…` : safe;
}

function inRows(
  { rows }: HalfComparison,
  names: Names,
  add: (kind: IgnoredReport["kind"], left: string, right: string) => void,
): void {
  for (const { mark, left, right } of rows) {
    if (mark !== "same" || !left || !right) continue;
    const [a, b] = [left.item, right.item];
    const [id, otherId] = [idOf(a), idOf(b)];
    if (id !== undefined && otherId !== undefined && id !== otherId) add("call ids", id, otherId);
    if (names.haveSameText(a, b)) continue;
    const [text, other] = [textOf(a), textOf(b)];
    if (text === other || normalizedContent(a) !== normalizedContent(b)) continue;
    if (text.replace(/\s+/g, "") === other.replace(/\s+/g, "")) {
      add(a.kind === "call" ? "spelling of arguments" : "white space", text, other);
      continue;
    }
    const kinds = new Map<string, string>();
    normalizedContent(a, {
      found: (kind, value) => {
        kinds.set(kind, value);
      },
    });
    normalizedContent(b, {
      found: (kind, value) => {
        const first = kinds.get(kind);
        if (first === undefined || first === value) return;
        kinds.delete(kind);
        add(kind === "id" ? "ids in texts" : "dates and times", first, value);
      },
    });
    if (a.kind === "call" && kinds.size === 0) add("spelling of arguments", text, other);
  }
}

function idOf(item: Item): string | undefined {
  if (item.kind === "call") return item.id;
  return item.kind === "result" ? item.callId : undefined;
}

function textOf(item: Item): string {
  if (item.kind === "call") return item.argumentsText;
  return "text" in item ? item.text : "";
}
