import type { FixedRequest } from "./fixed-logs.ts";

/** A request before and after its fix, with one item or part per line, for a line diff. */
export interface Preview {
  readonly before: string;
  readonly after: string;
  /** The index of the recorded element for each line of `before`. */
  readonly elements: readonly number[];
  /** Some of its fixes were previewed before; they appear on both sides. */
  readonly isRest: boolean;
}

/** Maximum length of a value that stays on one line. */
const maxLine = 100;

/**
 * Lays out a request before and after its fix.
 *
 * @param shown keys of the changes already previewed; those of this request are added
 */
export function previewOf({ step, entries }: FixedRequest, shown: Set<string>): Preview {
  const history = step.request?.history;
  const recorded = Array.from({ length: history?.length ?? 0 }, (_, index) => history?.element(index).value);
  const before: (string | undefined)[] = recorded.map(jsonForPeople);
  /** Changes previewed before, by the recorded element that they follow. */
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
    if (entry.recorded !== undefined) before[entry.recorded] = jsonForPeople(value);
    else
      known
        .set(last, known.get(last) ?? [])
        .get(last)
        ?.push(jsonForPeople(value));
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
  const lines = [
    ...(known.get(-1) ?? []).map(at(0)),
    ...before.flatMap((text, index) =>
      [...(text === undefined ? [] : [text]), ...(known.get(index) ?? [])].map(at(index)),
    ),
  ];
  return {
    elements: lines.flatMap(({ text, index }) => text.split("\n").map(() => index)),
    before: inLines(lines.map(({ text }) => text)),
    after: inLines(entries.map(({ element }) => jsonForPeople(element.value))),
    isRest,
  };
}

function inLines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}

/**
 * JSON laid out for people: short values on one line, long ones with one member per line. No trailing commas,
 * because an additional member would then change the line before it.
 */
export function jsonForPeople(value: unknown): string {
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
