import type { RepairedRequest } from "./repaired.ts";

/** A request before and after its repair, laid out so that a line is an item or a part of one: for comparing line by line. */
export interface Preview {
  readonly before: string;
  readonly after: string;
  /** The element of the recorded history that each line of `before` belongs to. */
  readonly elements: readonly number[];
  /** Some of its repairs were previewed before: they stand on both sides. */
  readonly isRest: boolean;
}

/** Elements that fit on a line of this length stay on it. */
const maxLine = 100;

/**
 * A request before and after its repair.
 *
 * @param shown the repairs that were previewed already, by what they change; those of this request are added
 */
export function previewOf({ step, entries }: RepairedRequest, shown: Set<string>): Preview {
  const history = step.request?.history;
  const recorded = Array.from({ length: history?.length ?? 0 }, (_, index) => history?.element(index).value);
  const before: (string | undefined)[] = recorded.map(laidOut);
  /** What was put in before, behind the recorded element that it follows. */
  const known = new Map<number, string[]>();
  const news: string[] = [];
  let last = -1;
  let isRest = false;
  let previous = "";
  for (const entry of entries) {
    const { value } = entry.element;
    const own = JSON.stringify(value);
    const was = entry.recorded === undefined ? previous : JSON.stringify(recorded[entry.recorded]);
    previous = own;
    if (entry.recorded !== undefined) last = Math.max(last, entry.recorded);
    const isChanged = entry.recorded === undefined || own !== was;
    if (!isChanged) continue;
    const change = `${entry.recorded === undefined ? "behind" : "from"} ${was}\n${own}`;
    if (!shown.has(change)) {
      news.push(change);
      continue;
    }
    isRest = true;
    if (entry.recorded !== undefined) before[entry.recorded] = laidOut(value);
    else
      known
        .set(last, known.get(last) ?? [])
        .get(last)
        ?.push(laidOut(value));
  }
  const kept = new Set(entries.map((entry) => entry.recorded));
  for (const [index, value] of recorded.entries()) {
    if (kept.has(index)) continue;
    const change = `without ${JSON.stringify(value)}`;
    if (shown.has(change)) {
      isRest = true;
      before[index] = undefined;
    } else news.push(change);
  }
  for (const change of news) shown.add(change);
  const at = (index: number) => (text: string) => ({ text, index });
  const told = [
    ...(known.get(-1) ?? []).map(at(0)),
    ...before.flatMap((text, index) =>
      [...(text === undefined ? [] : [text]), ...(known.get(index) ?? [])].map(at(index)),
    ),
  ];
  return {
    elements: told.flatMap(({ text, index }) => text.split("\n").map(() => index)),
    before: inLines(told.map(({ text }) => text)),
    after: inLines(entries.map(({ element }) => laidOut(element.value))),
    isRest,
  };
}

function inLines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}

/**
 * JSON as a person would lay it out: short values on one line, long ones a member a line. No commas at the ends of lines: a member more
 * would change the line before it.
 */
function laidOut(value: unknown): string {
  return indented(value, "");
}

function indented(value: unknown, indent: string): string {
  const flat = spaced(value);
  if (indent.length + flat.length <= maxLine || typeof value !== "object" || value === null) return flat;
  const inner = `${indent}  `;
  if (Array.isArray(value))
    return `[\n${value.map((item) => `${inner}${indented(item, inner)}`).join("\n")}\n${indent}]`;
  const members = Object.entries(value).map(
    ([key, member]) => `${inner}${JSON.stringify(key)}: ${indented(member, inner)}`,
  );
  return `{\n${members.join("\n")}\n${indent}}`;
}

function spaced(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${spaced(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
