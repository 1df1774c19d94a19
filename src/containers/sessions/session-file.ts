import { isUtf8 } from "node:buffer";
import { gluedRecords } from "../../reading/glued-records.ts";
import { type JsonDefect, jsonDefect } from "../../reading/json-defect.ts";
import type { JsonNode } from "../../reading/json-node.ts";
import { readValue } from "../../reading/json-values.ts";
import type { Mutable } from "../../reading/mutable.ts";
import type { Origin } from "../../reading/origin.ts";
import { parseJson } from "../../reading/parse.ts";
import type { Span } from "../../reading/place.ts";
import { pointerToken, pointerTokens } from "../../reading/pointer.ts";
import { isComment, recordLines } from "../../reading/record-lines.ts";
import { mayRepeatKey, twinWithin } from "../../reading/repeated-keys.ts";
import { scanJson } from "../../reading/scan.ts";
import { type ByteSource, textStart } from "../../reading/source.ts";
import { invalidByte } from "../../reading/utf8.ts";
import { type Fields, isFields } from "../../reading/values.ts";
import { originIn, type View, wholeView } from "../../reading/view.ts";
import type { Defect, Recording, Skipped } from "../../traffic/container.ts";
import type { Branch, Decode } from "../../traffic/transcript.ts";
import { isIndented, sessionHeadOf } from "./head.ts";
import { type LeftOut, outliner } from "./partial-record.ts";
import { RecordShapes } from "./record-shapes.ts";
import { unreadSpeech } from "./unread-speech.ts";

/** A record of a session file: a line, or an element of a document. */
export interface SessionRecord {
  readonly value: Fields;
  /** Long texts of `value` are {@link LazyString}s: it serves for decoding, not for writing back. */
  readonly hasLazyTexts?: boolean;
  readonly span: Span;
  /** Pointer from the document to the element; `""` for a line. */
  readonly base: string;
}

/** A session file as the reader of an agent's format sees it. */
export interface SessionFile {
  /**
   * The records of JSON lines, in order. A document over several lines is one record, and so is each document
   * of a session kept in several files. Lines that are not records become defects. The parts in `leftOut` are
   * not read.
   */
  lines(leftOut?: LeftOut): Iterable<SessionRecord>;
  /** The objects in the array at a pointer into the document; empty without such an array. */
  elements(pointer: string): SessionRecord[];
  /** The objects that are members of the object at a pointer into the document. */
  members(pointer: string): SessionRecord[];
  /** The documents of a session kept in several files, in path order; else the one document. */
  documents(): SessionRecord[];
  /** The value at a pointer into the document; `undefined` when there is none. */
  value(pointer: string): unknown;
  /**
   * Reports a record as not part of the conversation, and why. `isKnown`: such records hold texts of another
   * kind, so that none of them is missed.
   */
  skip(record: Pick<SessionRecord, "span">, reason: string, isKnown?: boolean): void;
  /** Reports a row of a database's table that holds no conversation. */
  skipRow(record: SessionRecord): void;
  /** States that a record repeats what others say, so that nothing in it is unread. */
  repeats(record: SessionRecord): void;
  /** Reports that the record which this one follows is not in the file. */
  lacksBefore(record: SessionRecord, sentence: string, isHealed: boolean): void;
  /** States the session of the file, and whether it is a sub-agent's part. The first call counts. */
  belongsTo(session: string, isSubAgent: boolean): void;
  /** Reports that the file cannot hold a conversation: what it is, and what to use instead. */
  advise(sentence: string): void;
}

/** What is said of a record whose texts were not read. */
const unreadReasons = {
  record:
    "a record that looks like part of the conversation, in a form that toollint does not know: its text was not read",
  empty: "a message whose content has a form that toollint does not know: it was not read",
  part: "a message with a part in a form that toollint does not know: that part was not read",
} as const;

interface Extent {
  readonly start: number;
  readonly end: number;
}

/** A record that is no JSON only because of the text of a string in it, as where somebody masked a word. */
function laxRecord(
  bytes: Buffer,
  start: number,
  end: number,
): { readonly value: Fields; readonly defect: JsonDefect } | undefined {
  const node = scanJson(bytes, start, end);
  if (node?.state !== "complete" || bytes.toString("utf8", node.end, end).trim() !== "") return undefined;
  const defect = jsonDefect(bytes, node.start, node.end);
  const value = defect?.isInString ? readValue(bytes, node, 0) : undefined;
  return defect && isFields(value) ? { value, defect } : undefined;
}

/** Text, and neither a further record nor the brackets of the list that records were copied out of. */
function followsText(rest: string): boolean {
  return /^[\s,]*[^\s,{[]/.test(rest) && !isOuterBrackets(rest);
}

function isOuterBrackets(rest: string): boolean {
  return /^[\s,\]}]*$/.test(rest);
}

/** A session file over a source. Defects and skipped records are complete once its records have been read. */
export class OpenSession implements SessionFile {
  readonly defects: Defect[] = [];
  readonly skipped: Skipped[] = [];
  advice: string | undefined;
  session: Recording["session"];
  readonly #source: ByteSource;
  readonly #view: View;
  /** One entry of {@link skipped} per reason, because files can have thousands of records to skip. */
  readonly #skippedBy = new Map<string, Mutable<Skipped>>();
  /** Where elements begin that were reported. */
  readonly #rejected = new Set<number>();
  /** Where values begin that do not count, as their key stands again. */
  readonly #repeated = new Set<number>();
  /** The records that were given to the reader. */
  readonly #given: Extent[] = [];
  /** The first of them of each shape. */
  readonly #samples: Extent[] = [];
  readonly #shapes = new RecordShapes();
  /** Where records begin of which the reader said that nothing in them is missed. */
  readonly #known = new Set<number>();
  #hasBadByte = false;
  /** Scanned on first use: JSON lines need no document. */
  #scanned: { readonly bytes: Buffer; readonly root: JsonNode | undefined } | undefined;

  constructor(source: ByteSource) {
    this.#source = source;
    this.#view = wholeView(source);
  }

  *lines(leftOut?: LeftOut): Generator<SessionRecord> {
    const source = this.#source;
    if (source.segments || isIndented(source.read(0, 64))) {
      yield* source.segments ? this.documents() : this.#indented();
      return;
    }
    const outline = leftOut && outliner(source, leftOut);
    for (const { bytes, start, end, offset, isLast, isEnded } of recordLines(source)) {
      const from = offset === 0 ? textStart(bytes, start) : start;
      const shift = offset - start;
      const part = outline?.(bytes, from, end, shift);
      const text = part ? "" : bytes.toString("utf8", from, end);
      const value = part ? part.value : parseJson(text);
      this.#checkBytes(bytes.subarray(from, end), from + shift);
      if (isFields(value)) {
        if (!part) this.#checkKeys(text, value, from + shift, end + shift);
        const span = this.#give(from + shift, end + shift, value);
        yield part?.hasLazyTexts ? { value, hasLazyTexts: true, span, base: "" } : { value, span, base: "" };
        continue;
      }
      let at = from;
      for (const record of gluedRecords(bytes, from, end)) {
        at = record.end;
        yield {
          value: record.value,
          span: this.#give(record.start + shift, record.end + shift, record.value),
          base: "",
        };
      }
      const rest = bytes.toString("utf8", at, end).trim();
      // The comma behind an element of a list is left where its brackets are.
      if (rest === "" || (rest === "," && at > from) || isComment(rest)) continue;
      const lax = at === from ? laxRecord(bytes, from, end) : undefined;
      if (lax) {
        const place = lax.defect.at + shift;
        this.#addDefect("lax", place, place + 1, `not valid JSON: ${lax.defect.message}`);
        yield { value: lax.value, span: this.#give(from + shift, end + shift, lax.value), base: "" };
        continue;
      }
      // A paste may break off in its last record and end in a line end.
      if (isLast && (!isEnded || scanJson(bytes, at, end)?.state === "open"))
        this.#addDefect("unfinished", at + shift, end + shift, "the record ends in the middle");
      else this.#addDefect("broken", at + shift, end + shift, "the line is not a valid JSON object");
    }
  }

  /** The records of a file in which each takes several lines; one document is one record. */
  *#indented(): Generator<SessionRecord> {
    const { bytes, root } = this.#document();
    if (!root) return;
    yield* this.#recordAt(root, "");
    let at = root.end;
    for (const { value, start, end } of gluedRecords(bytes, at, bytes.length)) {
      yield { value, span: this.#give(start, end, value), base: "" };
      at = end;
    }
    // What follows the first document is reported with it.
    const rest = bytes.toString("latin1", at);
    if (at === root.end || isOuterBrackets(rest)) return;
    const start = at + rest.search(/[^\s,]/);
    if (parseJson(`{"list":[0${rest}`) !== undefined) {
      const why = "the records end in a body whose beginning is missing; the rest of it is not checked";
      this.#addDefect("lax", start, bytes.length, why);
      return;
    }
    const isOpen = scanJson(bytes, start, bytes.length)?.state === "open";
    const message = isOpen ? "the record ends in the middle" : "more text follows the record";
    this.#addDefect(isOpen ? "unfinished" : "broken", start, bytes.length, message);
  }

  elements(pointer: string): SessionRecord[] {
    const items = this.#find(pointer)?.items ?? [];
    return items.flatMap((node, index) => this.#recordAt(node, `${pointer}/${index}`));
  }

  members(pointer: string): SessionRecord[] {
    const members = this.#find(pointer)?.members ?? [];
    return members.flatMap(({ key, node }) => this.#recordAt(node, `${pointer}/${pointerToken(key)}`));
  }

  documents(): SessionRecord[] {
    const source = this.#source;
    if (!source.segments) {
      const root = this.#find("");
      return root ? this.#recordAt(root, "") : [];
    }
    const bytes = source.read(0, source.size);
    return source.segments.flatMap(({ start, end }) => {
      const node = scanJson(bytes, start, end);
      const value = node && parseJson(bytes.toString("utf8", node.start, node.end));
      if (node && isFields(value))
        return [{ value, span: this.#give(node.start, node.end, value), base: "" }];
      if (node?.state === "open")
        this.#addDefect("unfinished", start, end, "the document ends in the middle");
      else this.#addDefect("broken", start, end, "the file is not a JSON object");
      return [];
    });
  }

  value(pointer: string): unknown {
    const node = this.#find(pointer);
    return node && parseJson(this.#textOf(node));
  }

  skip({ span }: Pick<SessionRecord, "span">, reason: string, isKnown = false): void {
    if (isKnown) this.#known.add(span.start);
    const known = this.#skippedBy.get(reason);
    if (known) known.count = (known.count ?? 1) + 1;
    else {
      const first = { origin: originIn(this.#source, span.start, span.end), reason };
      this.#skippedBy.set(reason, first);
      this.skipped.push(first);
    }
  }

  skipRow(record: SessionRecord): void {
    const { table, sqlite } = record.value;
    const isNamed = typeof table === "string" || sqlite !== undefined;
    this.skip(
      record,
      isNamed ? "a row of another table" : "a row without the name of its table",
      typeof table === "string",
    );
  }

  repeats({ span }: SessionRecord): void {
    this.#known.add(span.start);
  }

  lacksBefore({ span }: SessionRecord, message: string, isHealed: boolean): void {
    const origin = originIn(this.#source, span.start, span.end);
    this.defects.push({ kind: "unlinked", origin, message, ...(isHealed && { isHealed }) });
  }

  belongsTo(id: string, isSubAgent: boolean): void {
    this.session ??= { id, isSubAgent };
  }

  advise(sentence: string): void {
    this.advice ??= sentence;
  }

  #document(): { readonly bytes: Buffer; readonly root: JsonNode | undefined } {
    if (!this.#scanned) {
      const bytes = this.#source.read(0, this.#source.size);
      const root = scanJson(bytes, textStart(bytes), bytes.length);
      this.#scanned = { bytes, root };
      this.#checkBytes(bytes, 0);
      // For a file of lines, its lines are named.
      const isLines = !root && sessionHeadOf(bytes).lines.length > 0;
      if ((!root && !isLines) || root?.state === "open")
        this.#addDefect("unfinished", root?.start ?? 0, bytes.length, "the document ends in the middle");
      else if (root) this.#checkRest(bytes, root.end);
    }
    return this.#scanned;
  }

  /** Reports what follows the document. Brackets may be those of a list that somebody copied it out of. */
  #checkRest(bytes: Buffer, end: number): void {
    const rest = bytes.toString("utf8", end, end + 64);
    if (followsText(rest)) this.#addDefect("broken", end, bytes.length, "more text follows the document");
    else if (/^[\s,]*[\]}]/.test(rest)) {
      const at = end + rest.search(/[\]}]/);
      const origin = originIn(this.#source, at, bytes.length);
      this.skipped.push({ origin, reason: "brackets after the end of the document" });
    }
  }

  #find(pointer: string): JsonNode | undefined {
    let node = this.#document().root;
    for (const token of pointerTokens(pointer))
      node = node?.members?.find(({ key }) => key === token)?.node ?? node?.items?.[Number(token)];
    return node;
  }

  #textOf({ start, end }: JsonNode): string {
    return this.#document().bytes.toString("utf8", start, end);
  }

  #recordAt(node: JsonNode, base: string): SessionRecord[] {
    const text = this.#textOf(node);
    const value = parseJson(text);
    if (isFields(value)) {
      this.#checkKeys(text, value, node.start, node.end);
      return [{ value, span: this.#give(node.start, node.end, value), base }];
    }
    if (value === undefined && node.state === "complete") this.#reject(node);
    else if (value !== undefined && value !== null) this.#rejectElement(node);
    return [];
  }

  /** Reports an element that was scanned and is no valid JSON, once. */
  #reject({ start, end }: JsonNode): void {
    if (this.#rejected.has(start)) return;
    this.#rejected.add(start);
    const defect = jsonDefect(this.#document().bytes, start, end);
    const message = defect ? `not valid JSON: ${defect.message}` : "the JSON is nested too deeply to read";
    this.#addDefect("broken", defect?.at ?? start, end, message);
  }

  /** Reports what somebody said in a record and the reader did not understand. Call when it has read all. */
  settle(branches: readonly Branch[], decode: Decode): void {
    const read = ({ start, end }: Extent): unknown =>
      parseJson(this.#source.read(start, end).toString("utf8"));
    const unknown = this.#given.filter(({ start }) => !this.#known.has(start));
    for (const { record, how } of unreadSpeech(unknown, this.#samples, branches, read, decode))
      this.skip({ span: this.#spanOf(record.start, record.end) }, unreadReasons[how]);
  }

  #rejectElement({ start, end }: JsonNode): void {
    const origin = originIn(this.#source, start, end);
    this.skipped.push({ origin, reason: "an element that is not a record: it was not read" });
  }

  /** Reports the first byte that is not UTF-8: it stands for a character that is lost. */
  #checkBytes(bytes: Buffer, offset: number): void {
    if (this.#hasBadByte || isUtf8(bytes)) return;
    this.#hasBadByte = true;
    const at = invalidByte(bytes);
    const code = (bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, "0");
    this.#addDefect("lax", offset + at, offset + at + 1, `the byte 0x${code} is not UTF-8`);
  }

  /** Reports a key that stands twice in an object of a record, once: its last value counts. */
  #checkKeys(text: string, value: Fields, start: number, end: number): void {
    if (!mayRepeatKey(text, value)) return;
    const bytes = this.#source.read(start, end);
    const root = scanJson(bytes, 0, bytes.length);
    const twin = root && twinWithin(bytes, root);
    if (!twin || this.#repeated.has(start + twin.node.start)) return;
    this.#repeated.add(start + twin.node.start);
    const place = (node: JsonNode): Origin => originIn(this.#source, start + node.start, start + node.end);
    this.defects.push({
      kind: "lax",
      origin: place(twin.node),
      message: `\`${twin.key}\` occurs twice in this record, and only one counts`,
      related: { message: "this one counts", origin: place(twin.last) },
    });
  }

  #give(start: number, end: number, value: Fields): Span {
    if (this.#given.at(-1)?.start !== start) {
      const record = { start, end };
      this.#given.push(record);
      if (this.#shapes.isNew(value)) this.#samples.push(record);
    }
    return this.#spanOf(start, end);
  }

  #spanOf(start: number, end: number): Span {
    return { view: this.#view, start, end, level: 0 };
  }

  #addDefect(kind: Defect["kind"], start: number, end: number, message: string): void {
    this.defects.push({ kind, origin: originIn(this.#source, start, end), message });
  }
}
