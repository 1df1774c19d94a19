import { parseJson } from "../../reading/parse.ts";
import { type Fields, fields, isFields } from "../../reading/values.ts";
import type { PlainMessage } from "../../traffic/plain-message.ts";
import type { Branch, Entry } from "../../traffic/transcript.ts";

/**
 * Finds what somebody said in a record that no reader understood: a record of an unknown role or type, a part
 * of an unknown form. Sessions hold much else, so a text counts only where other records of the file hold the
 * conversation, or in a message that has no part, and only if it was read nowhere else.
 */

/** A record of the file, or the document. */
export interface RecordExtent {
  readonly start: number;
  readonly end: number;
}

export interface UnreadSpeech<T extends RecordExtent> {
  readonly record: T;
  /** A message was made of the record, without this part. */
  readonly isPart: boolean;
}

/** Records that are looked at to learn where a file keeps the conversation. */
const maxSamples = 48;

/** Records in which a text is looked for among all that was read: each costs time. */
const maxSearched = 200;

/** The keys under which messages hold what was said, in any agent's form. */
const speechKeys =
  /^(?:text|content|parts|data|value|thinking|think|reasoning|arguments|args|input|output|result|parameters|rawInput)$/;

/** Below these keys every text is a call's. */
const argumentKeys = /^(?:arguments|args|input|parameters|rawInput)$/;

/** The records whose texts were not read, in order. `read` gives a record's value. */
export function unreadSpeech<T extends RecordExtent>(
  records: readonly T[],
  branches: readonly Branch[],
  read: (record: T) => unknown,
): UnreadSpeech<T>[] {
  const entries = entriesByStart(branches);
  const suspects = records.flatMap((record) => {
    const own = entries.get(record.start);
    return !own || own.some(lacksParts) ? [{ record, isPart: own !== undefined }] : [];
  });
  if (suspects.length === 0 || entries.size === 0) return [];
  const places = placesOf(records, entries, read);
  let said: Said | undefined;
  let searched = 0;
  return suspects.filter(({ record, isPart }) => {
    if (searched >= maxSearched) return false;
    for (const { path, text } of textsIn(read(record))) {
      if (!isSpeech(path) || !(isPart || isAmong(places, path))) continue;
      said ??= new Said([...entries.values()].flat());
      if (said.has(text)) continue;
      searched++;
      if (!said.holds(text)) return true;
      if (searched >= maxSearched) return false;
    }
    return false;
  });
}

function entriesByStart(branches: readonly Branch[]): Map<number, Entry[]> {
  const entries = new Map<number, Entry[]>();
  for (const branch of branches)
    for (const entry of branch.entries) {
      const own = entries.get(entry.span.start);
      if (own) own.push(entry);
      else entries.set(entry.span.start, [entry]);
    }
  return entries;
}

/** Whether a message in an agent's own form has no part, or none for an element of a list that has others. */
function lacksParts(entry: Entry): boolean {
  // An outline has the same parts, and its long texts stay in the file.
  const value = entry.outline ?? entry.value;
  return isPlain(value) && value.parts.length === 0;
}

function isPlain(value: unknown): value is PlainMessage {
  return (
    isFields(value) && Array.isArray(value["parts"]) && value["parts"].every((part) => "at" in fields(part))
  );
}

/** All that was read of a file. */
class Said {
  readonly #texts = new Set<string>();
  #all: string | undefined;

  constructor(entries: readonly Entry[]) {
    for (const { value } of entries)
      if (isPlain(value))
        for (const part of value.parts) {
          if ("text" in part) this.#texts.add(part.text);
          if (part.kind === "call") this.#addAll(part.arguments);
        }
      else this.#addAll(value);
  }

  #addAll(value: unknown): void {
    if (typeof value === "string") this.#texts.add(value);
    for (const { text } of textsIn(value)) this.#texts.add(text);
  }

  has(text: string): boolean {
    return this.#texts.has(text);
  }

  /** Also as a part of a longer text. */
  holds(text: string): boolean {
    if (this.#texts.has(text)) return true;
    this.#all ??= [...this.#texts].join("\n");
    return this.#all.includes(text);
  }
}

interface PlacedText {
  /** The keys that lead to it, without the positions in lists. */
  readonly path: readonly string[];
  readonly text: string;
}

/** Deeper texts are no messages. */
const maxDepth = 12;

/** The texts of a value, also in strings that are JSON. */
function* textsIn(value: unknown, path: readonly string[] = []): Generator<PlacedText> {
  if (path.length > maxDepth) return;
  if (typeof value === "string") {
    if (value.trim() === "") return;
    const inner = /^\s*[[{]/.test(value) ? parseJson(value) : undefined;
    if (typeof inner === "object" && inner !== null) yield* textsIn(inner, path);
    else yield { path, text: value };
  } else if (Array.isArray(value)) for (const each of value) yield* textsIn(each, path);
  else if (isFields(value))
    for (const [key, each] of Object.entries(value as Fields))
      yield* textsIn(each, argumentKeys.test(path.at(-1) ?? "") ? path : [...path, key]);
}

/** Where the records that were read hold the texts of the conversation. */
function placesOf<T extends RecordExtent>(
  records: readonly T[],
  entries: ReadonlyMap<number, readonly Entry[]>,
  read: (record: T) => unknown,
): ReadonlySet<string> {
  const places = new Set<string>();
  const used = records.filter(({ start }) => entries.has(start));
  const step = Math.max(1, Math.floor(used.length / maxSamples));
  for (let index = 0; index < used.length; index += step) {
    const record = used[index] as T;
    const said = new Said(entries.get(record.start) ?? []);
    for (const { path, text } of textsIn(read(record)))
      if (isSpeech(path) && text.length > 2 && said.has(text)) places.add(path.join("\0"));
  }
  return places;
}

function isSpeech(path: readonly string[]): boolean {
  return speechKeys.test(path.at(-1) ?? "");
}

/** Whether a path is one of the places, also where an object stands in place of the text. */
function isAmong(places: ReadonlySet<string>, path: readonly string[]): boolean {
  return places.has(path.join("\0")) || (path.length > 1 && places.has(path.slice(0, -1).join("\0")));
}
