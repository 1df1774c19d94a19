import { diffWordsWithSpace } from "diff";

/** A slice of a text that one side or both sides have. */
export interface DiffPart {
  readonly text: string;
  readonly kind: "same" | "left" | "right";
}

/** Texts with longer middles, between common beginning and end, are not compared by words. */
const maxCompared = 4000;
const maxEdits = 600;

/** Splits two texts into common and own slices, in order. If too much differs, the middle is one change. */
export function diffParts(left: string, right: string): DiffPart[] {
  const shorter = Math.min(left.length, right.length);
  let head = 0;
  while (head < shorter && left[head] === right[head]) head++;
  let tail = 0;
  while (tail < shorter - head && left.at(-1 - tail) === right.at(-1 - tail)) tail++;
  // Do not cut between the two halves of a surrogate pair.
  if (head > 0 && isHighHalf(left.charCodeAt(head - 1))) head--;
  if (tail > 0 && isHighHalf(left.charCodeAt(left.length - tail - 1))) tail--;
  const a = left.slice(head, left.length - tail);
  const b = right.slice(head, right.length - tail);
  return [
    { text: left.slice(0, head), kind: "same" as const },
    ...middle(a, b),
    { text: left.slice(left.length - tail), kind: "same" as const },
  ].filter(({ text }) => text !== "");
}

function middle(a: string, b: string): DiffPart[] {
  const whole: DiffPart[] = [
    { text: a, kind: "left" },
    { text: b, kind: "right" },
  ];
  if (a === "" || b === "" || a.length > maxCompared || b.length > maxCompared) return whole;
  const changes = diffWordsWithSpace(a, b, { maxEditLength: maxEdits });
  if (!changes) return whole;
  const kept = changes
    .filter(({ added, removed }) => !added && !removed)
    .reduce((sum, { value }) => sum + value.length, 0);
  // Many single words are harder to read than both texts.
  if (kept * 2 < Math.min(a.length, b.length)) return whole;
  return changes.map(({ value, added, removed }) => ({
    text: value,
    kind: removed ? "left" : added ? "right" : "same",
  }));
}

function isHighHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** The text of one side, own slices marked; of a long text, `room` characters around the first one. */
export function excerptOf(
  slices: readonly DiffPart[],
  side: "left" | "right",
  room: number,
): { readonly text: string; readonly isOwn: boolean }[] {
  const own = slices.filter(({ kind }) => kind === "same" || kind === side);
  const parts = own.map(({ text, kind }) => ({ text, isOwn: kind === side }));
  const total = parts.reduce((sum, { text }) => sum + text.length, 0);
  if (total <= room) return parts;
  // Both excerpts begin at the same place, so that they can be compared by eye.
  const before = slices[0]?.kind === "same" ? slices[0].text.length : 0;
  const from = Math.max(0, before - Math.floor(room / 4));
  const cut: { text: string; isOwn: boolean }[] = from > 0 ? [{ text: "…", isOwn: false }] : [];
  let at = 0;
  let left = room - 2;
  for (const part of parts) {
    const start = Math.max(0, from - at);
    at += part.text.length;
    if (start >= part.text.length) continue;
    const text = part.text.slice(start, start + left);
    left -= text.length;
    if (text !== "") cut.push({ text, isOwn: part.isOwn });
    if (left <= 0) {
      cut.push({ text: "…", isOwn: false });
      break;
    }
  }
  return cut;
}
