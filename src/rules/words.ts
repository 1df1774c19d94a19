import { uncutSlice } from "../secrets/masks.ts";

/** A text on one line for messages, shortened to `limit` characters. */
export function short(text: string, limit = 60): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= limit ? line : `${uncutSlice(line, 0, limit - 1)}…`;
}

/**
 * Two different texts on one line each, shortened to `limit` characters that show where they differ: from the
 * beginning if they do so there, else from shortly before the first difference.
 */
export function shortApart(a: string, b: string, limit = 60): readonly [string, string] {
  const [left, right] = [short(a, limit), short(b, limit)];
  if (left !== right) return [left, right];
  const [first, second] = [a, b].map((text) => text.replace(/\s+/g, " ").trim()) as [string, string];
  let same = 0;
  while (same < first.length && first[same] === second[same]) same++;
  const from = Math.max(0, same - Math.floor(limit / 3));
  const after = (text: string): string => `…${short(uncutSlice(text, from, from + 2 * limit), limit - 1)}`;
  return [after(first), after(second)];
}

/** A value of the log in a message takes no more characters, whatever it is. */
const maxValue = 240;
/** A sentence takes no more characters: several values, and what is said of them. */
const maxSentence = 1000;

/** The facts of a message as it shows them: texts too long for a line are shortened. */
export function shownFacts(value: unknown): unknown {
  if (typeof value === "string") return value.length > maxValue ? short(value, maxValue) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(shownFacts);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shownFacts(member)]));
}

/** A sentence with a value of the log in it, which may be of any length. */
export function boundedSentence(text: string): string {
  if (text.length <= maxValue) return text;
  return short(
    text.replace(/[^\s`]+/g, (word) => (word.length > maxValue ? `${word.slice(0, maxValue - 1)}…` : word)),
    maxSentence,
  );
}

/** `1 item`, `3 items`. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}

/** A tool's name in a message: `` `search` ``; a call or definition may have an empty name or none. */
export function toolName(name: string, limit?: number): string {
  return name.trim() === "" ? "a tool without a name" : `\`${short(name, limit)}\``;
}
