import { isUtf8 } from "node:buffer";
import { jsonDefect } from "../../../reading/json-defect.ts";
import { beginsAsMap } from "../../../reading/map-notation.ts";
import type { Origin } from "../../../reading/origin.ts";
import { isJson } from "../../../reading/parse.ts";
import { skipValue } from "../../../reading/scan.ts";
import type { ByteSource } from "../../../reading/source.ts";
import { invalidByte } from "../../../reading/utf8.ts";
import { originIn, type View, wholeView } from "../../../reading/view.ts";
import { threshold } from "../../../traffic/certainty.ts";
import type { Defect, Skipped } from "../../../traffic/container.ts";
import type { PayloadPlace } from "../../../traffic/place.ts";
import type { RecognizedPayload, Recognizer } from "../../../traffic/recognizer.ts";
import { loosePeek } from "../../payloads/loose-peek.ts";
import type { Context } from "../../payloads/record-context.ts";
import type { DeepEvents, LostEvents } from "../../payloads/unread-events.ts";
import { AlikeValues } from "./alike.ts";
import { isAnnounced, isBesideMembers, isUnknownReply } from "./announced.ts";
import { CopiedLines } from "./copied-lines.ts";
import { ElidedLines } from "./elided-lines.ts";
import { endsText, headLength, type Line, lineAt } from "./lines.ts";
import { Unheard } from "./unheard.ts";
import type { BrokenValue, TextValue } from "./value-reader.ts";

/** What programs print in place of a body: a page, an object without its members. */
const standsForBody =
  /(?:^[^\w<[]*|[=:>\]] *|(?:\bhttps?:\/\/\S+|\b[1-5]\d\d) +)(<!doctype\b|<html\b|\[object \w+\]|\[Circular\b|<[\w.]+ (?:object at 0x|\[\d{3}\]>))/i;

/** A text in single quotes, as Python and Node print one. */
const printedText = /[=:([{,] ?'/;

/** A member of JSON at the beginning of a string: somebody put each line of the JSON in quotes. */
const escapedMember = /^[^\\"]{0,200}"\s{0,80}\\"[\w.-]{1,80}\\"\s?:/;

/** The name of a member before a value, in JSON or as programs print it, perhaps behind a wrong separator. */
const behindKey =
  /(?:"[\w.-]+"|'[\w.-]+'|(?:[{,]|: ?['"][^'"]{0,80}['"];)[ \t]{0,8}\w{1,80})[ \t]{0,8}:[ \t]{0,8}$/;

/** The line of a message that says who speaks. */
const memberOfMessage = /"role"[ \t]*:[ \t]*"(?:user|assistant|system|tool|model)"/;

/** The same in YAML. */
const memberInYaml = /(?:^|[ \t])role:[ \t]+["']?(?:user|assistant|system|tool|model)["']?\s*$/;

/** A member that prints of messages have. */
const ofMessages = /[[{(, :](?:messages|choices|candidates|contents|role)"?[)\]]?(?:[:=]| ->|[ ]=?[ ]?["[{])/;

/** Fewer lines may be code. */
const fewLines = 3;

/** The first of lines that have something in common, and how many there are. */
interface LinesAlike {
  readonly origin: Skipped["origin"];
  readonly count: number;
}

/** Bytes of a line that are inspected. */
const maxLine = 8 << 10;

const LINE_FEED = 10;

const notAsAnnounced = "not valid JSON, although a body is announced";

/** Lines at the beginning of a log that are inspected. */
const maxLines = 200;

/** Notes what a text log holds of traffic that cannot be read. Logs also quote code and broken JSON. */
export class TextLosses {
  private readonly source: ByteSource;
  private readonly bytes: Buffer;
  private readonly recognizer: Recognizer;
  private readonly defects: Defect[];
  private readonly skipped: Skipped[];
  /** The first line of the newest reply's head. */
  private head: Line | undefined;
  private readonly alike: AlikeValues;
  /** What begins before this offset was noted. */
  private done = 0;
  /** Where the newest traffic ends. */
  private read = 0;
  private isSpent = false;
  private readonly unheard: readonly Unheard[];
  private readonly unheardModel: Unheard;
  private readonly copied = new CopiedLines();
  private readonly elided = new ElidedLines();
  /** The first line that begins with an escaped member, and how many there are. */
  private escaped: LinesAlike | undefined;
  /** The same for printed maps with messages that could not be read. */
  private maps: LinesAlike | undefined;
  /** The same for lines that name who speaks, in no value that could be read. */
  private strewn: LinesAlike | undefined;
  /** The same for such lines in YAML. */
  private yaml: LinesAlike | undefined;

  constructor(
    source: ByteSource,
    bytes: Buffer,
    recognizer: Recognizer,
    defects: Defect[],
    skipped: Skipped[],
  ) {
    this.source = source;
    this.bytes = bytes;
    this.recognizer = recognizer;
    this.defects = defects;
    this.skipped = skipped;
    this.unheardModel = new Unheard("model", source, bytes);
    this.unheard = [new Unheard("user", source, bytes), this.unheardModel];
    this.alike = new AlikeValues(bytes, (extent) => {
      const own = originIn(source, extent.start, extent.end);
      const isKnown = [...defects, ...skipped].some(
        ({ origin }) => origin.start < own.end && own.start < origin.end,
      );
      const message = "not valid JSON, although it stands where other records are traffic";
      if (!isKnown) defects.push({ kind: "unknown", origin: own, message });
    });
  }

  /** Traffic was found at an offset of a line, up to another one. */
  traffic(begin: number, line: Line, end: number): void {
    this.read = end;
    this.head = undefined;
    this.elided.behind(this.bytes, line.start, begin);
    this.alike.traffic(begin, line);
  }

  /** A stream begins behind the bytes of a line. */
  stream(line: Line, context: Context): void {
    this.elided.behind(this.bytes, line.start, line.end);
    if (line.end > line.start) this.line(line, context);
  }

  /** Notes a whole value without traffic. */
  quiet(begin: number, line: Line, value: TextValue, context: Context): void {
    this.lax(begin, line, value, context);
    for (const each of this.unheard) each.add(begin, value);
  }

  /** Notes a value in the place of a reply in which none was found. */
  notReply(begin: number, line: Line, { at, node, fileEnd }: TextValue): void {
    if (this.isDone(begin) || !isUnknownReply(this.bytes, begin, line, { at, node })) return;
    this.done = Math.max(this.done, fileEnd);
    const origin = originIn(this.source, begin, fileEnd);
    this.defects.push({
      kind: "unknown",
      origin,
      message: "no known API sends this response",
      half: "reply",
    });
  }

  /** The head of a reply to the last request begins on a line; `undefined`: its body was read. */
  replyBegins(line: Line | undefined): void {
    this.head = line;
  }

  /**
   * Notes at the end what many lines have, words of a user that were not read, and a head of a reply that is
   * all that the log has of the last one.
   */
  end(hasRequests: boolean, hasReplies: boolean, isAsked: boolean): void {
    if (isAsked && this.head) this.lostBody(this.head);
    for (const each of this.copied.told(this.source)) this.skipped.push(each);
    if (this.strewn && this.strewn.count >= fewLines)
      this.skipped.push({
        ...this.strewn,
        reason: "JSON of messages over several lines that cannot be joined",
      });
    if (hasRequests || hasReplies) for (const each of this.elided.told(this.source)) this.skipped.push(each);
    if (this.maps && (hasRequests || hasReplies))
      this.skipped.push({ ...this.maps, reason: "a map that a program printed, which cannot be read" });
    if (this.yaml && this.yaml.count >= fewLines)
      this.skipped.push({ ...this.yaml, reason: "messages in YAML between the lines of a log" });
    if (this.escaped && this.escaped.count >= fewLines)
      this.skipped.push({ ...this.escaped, reason: "JSON over several lines, each in quotes" });
    for (const each of this.unheard) {
      const unheard = each.told(hasRequests, hasReplies);
      if (unheard && !(unheard.count === 1 && this.isNoted(unheard.origin))) this.skipped.push(unheard);
    }
  }

  /** Whether something was said of the line on which a place begins. */
  private isNoted({ start }: Origin): boolean {
    const from = this.bytes.lastIndexOf(LINE_FEED, start) + 1;
    const { end } = lineAt(this.bytes, from);
    return [...this.defects, ...this.skipped].some(
      ({ origin }) => from <= origin.start && origin.start <= end,
    );
  }

  private countedWith(known: LinesAlike | undefined, { start, end }: Line): LinesAlike {
    const origin = known?.origin ?? originIn(this.source, start, end);
    return { origin, count: (known?.count ?? 0) + 1 };
  }

  private lostBody({ start, end }: Line): void {
    const origin = originIn(this.source, start, end);
    const isLater = (other: { readonly origin: Origin }): boolean => other.origin.start >= origin.start;
    const hasNoBody = /^\W{0,3}content-length: *0\s*$/im.test(this.bytes.toString("latin1", start));
    if (hasNoBody || this.defects.some(isLater) || this.skipped.some(isLater)) return;
    this.skipped.push({ origin, reason: "the log ends after the head of this reply" });
  }

  /** Notes a value without traffic that was read although it is not quite JSON. */
  private lax(begin: number, line: Line, { at, node, fileEnd }: TextValue, context: Context): void {
    const isOwn = at.bytes === this.bytes;
    if (!isOwn || this.isDone(begin) || !this.namesMembers(begin, line, at.bytes, node)) return;
    if (isJson(at.bytes.toString("utf8", node.start, node.end))) return;
    const slip = jsonDefect(at.bytes, node.start, node.end);
    // A damaged key or role hides what a body is.
    if (!slip?.isInString || !this.isDue(begin, line, context)) {
      this.alike.broken(begin, line, node.end);
      return;
    }
    this.done = Math.max(this.done, fileEnd);
    const origin = originIn(this.source, slip.at, slip.at + 1);
    const message = `not valid JSON: ${slip.message}`;
    const looks = this.looksLike(at, node.start, node.end, context);
    if (looks) this.defects.push({ kind: "broken", origin, message, half: halfOf(looks) });
    else this.skipped.push({ origin, reason: notAsAnnounced });
  }

  isDone(begin: number): boolean {
    return begin < this.done;
  }

  /** Notes JSON with a flaw; `isRead`: what stands before the flaw gave a payload. */
  broken(begin: number, line: Line, value: BrokenValue, context: Context, isRead: boolean): void {
    const { at, start, end, flawAt, fileEnd, expected } = value;
    const looks = isRead ? undefined : this.looksLike(at, start, end, context);
    const isDue = this.isDue(begin, line, context) || (looks !== undefined && this.isFirst(begin));
    if (!isRead && !looks) {
      if (!this.namesMembers(begin, line, at.bytes, { start, end })) return;
      if (!isDue) {
        this.alike.broken(begin, line, fileEnd);
        // A record of a session looks like no API's traffic.
        for (const each of this.unheard) each.add(begin, { at, node: { start, end }, fileEnd });
        return;
      }
    }
    const origin = originIn(this.source, flawAt, Math.max(flawAt, fileEnd));
    this.done = Math.max(this.done, fileEnd);
    const isOurs = isRead || (looks !== undefined && isDue);
    const isCode = isOurs && isExpression(this.bytes, flawAt);
    if (isOurs && !isCode)
      this.defects.push({
        kind: "broken",
        origin,
        message: `not valid JSON: ${expected} is expected here`,
        ...(looks && { half: halfOf(looks) }),
      });
    else
      this.skipped.push({
        origin: originIn(this.source, isRead ? flawAt : begin, Math.max(flawAt, fileEnd)),
        reason: isCode
          ? "the code of a program, not what it sent"
          : looks
            ? "not valid JSON, although it looks like model traffic"
            : notAsAnnounced,
      });
  }

  /**
   * Notes a line in which nothing was found up to `end`, or what of it stands before a value, if it holds
   * something in place of a body.
   */
  line(line: Line, context: Context, end = line.end): void {
    if (this.isDone(line.start)) return;
    const text = this.bytes.toString("latin1", line.start, Math.min(line.end, line.start + maxLine));
    if (this.copied.add(text, line)) return;
    // A flaw early in a printed object hides that it is a value.
    if (text.includes("role")) this.unheardModel.addLine(line.start, end);
    if (holdsMap(text)) this.maps = this.countedWith(this.maps, line);
    this.elided.add(text, line);
    if (escapedMember.test(text)) this.escaped = this.countedWith(this.escaped, line);
    if (memberOfMessage.test(text)) this.strewn = this.countedWith(this.strewn, line);
    if (memberInYaml.test(text)) this.yaml = this.countedWith(this.yaml, line);
    const at = standsForBody.exec(text)?.[1];
    const isTail = !at && (text.match(/"[\w.-]+"[ \t]*:/g)?.length ?? 0) > 1;
    const begin = line.start + (at ? text.indexOf(at) : Math.max(0, text.search(/"[\w.-]+"[ \t]*:/)));
    const isPage = at?.startsWith("<") === true && begin === line.start;
    if (!at && !isTail) return;
    if (!isPage && !this.isDue(begin, line, context)) {
      if (isTail) this.alike.broken(line.start + text.search(/[[{"]/), line, line.end);
      return;
    }
    this.done = lineAt(this.bytes, line.start).end;
    this.skipped.push({
      origin: originIn(this.source, begin, line.end),
      reason: at ? "a body is announced, but this is not one" : "JSON whose beginning cannot be read",
    });
  }

  /** Notes once that long values are no longer looked for from here on. */
  spent(begin: number): void {
    if (this.isSpent) return;
    this.isSpent = true;
    this.skipped.push({
      origin: originIn(this.source, begin, this.bytes.length),
      reason: "too many values are cut off before it, so only short ones are read from here on",
    });
  }

  /** Notes a log that begins in the middle of JSON: brackets close that were not opened. */
  beginning(first: Line): void {
    const head = this.bytes.toString("latin1", first.start, Math.min(first.end, first.start + maxLine));
    if (wholeMember.test(head)) {
      const origin = originIn(this.source, first.start, first.end);
      this.skipped.push({ origin, reason: "the log begins in the middle of a record" });
      return;
    }
    let depth = 0;
    let fewest = 0;
    let line = first;
    for (let count = 0; count < maxLines && line.start < this.bytes.length; count++) {
      const whole = this.bytes.toString("latin1", line.start, Math.min(line.end, line.start + maxLine));
      // A string that the log begins in ends before the first bracket.
      const text = count === 0 ? whole.replace(/^[^"{}[\]]*"(?=[}\],])/, "") : whole;
      const outside = printedText.test(text) ? text.replace(/'(?:[^'\\]|\\.)*'/g, "") : text;
      const marks = outside.replace(/"(?:[^"\\]|\\.)*"/g, "").replace(/^[^"{}[\]]*"/, "");
      const own = depthsOf(marks, depth);
      // An apostrophe in words takes brackets for text.
      const all = depthsOf(text, fewest);
      if (own.lowest < 0 && (outside === text || all.lowest < 0)) {
        const origin = originIn(this.source, first.start, line.end);
        this.skipped.push({ origin, reason: "the log begins in the middle of a record" });
      }
      if (own.lowest < 0 || whole.length === maxLine) return;
      [depth, fewest] = [own.depth, all.depth];
      line = lineAt(this.bytes, line.next);
    }
  }

  /** Notes what of the events of a stream cannot be read; `lost` are those that belong to no reply. */
  events(lost: LostEvents, deep: DeepEvents, bytes: Buffer, view: View, place: PayloadPlace): void {
    for (const defect of [lost.defect(place), deep.defect(place)]) if (defect) this.defects.push(defect);
    if (isUtf8(bytes)) return;
    const at = invalidByte(bytes);
    const origin = view.origin(at, Math.min(bytes.length, at + 1));
    this.defects.push({ kind: "lax", origin, message: "a byte that is not UTF-8", half: "reply" });
  }

  /** Notes the reply to a request that is no more than the beginning of an event. */
  cutStream(place: PayloadPlace): void {
    this.skipped.push({ origin: place.origin, reason: "the stream is cut off in its first event" });
  }

  /** Notes JSON that breaks off before it shows what it is. */
  cut(begin: number, line: Line, { at, node, fileEnd }: TextValue, context: Context): void {
    if (this.isDone(begin) || at.view.source !== wholeView(this.source).source) return;
    const looks = this.looksLike(at, node.start, node.end, context);
    const isDue = this.isDue(begin, line, context);
    if (!looks && !this.namesMembers(begin, line, at.bytes, node)) return;
    if (!looks && !isDue) {
      this.alike.broken(begin, line, fileEnd);
      return;
    }
    const origin = originIn(this.source, begin, fileEnd);
    this.done = Math.max(this.done, fileEnd);
    if (looks && isDue)
      this.defects.push({
        kind: endsText(this.bytes, fileEnd) ? "unfinished" : "cut",
        origin,
        message: "the record ends in the middle",
        half: halfOf(looks),
      });
    else this.skipped.push({ origin, reason: "it begins as JSON and is cut off" });
  }

  /**
   * Notes that a payload is a part of a value that cannot be read: of `around`, or of an object whose
   * beginning is broken.
   */
  within(begin: number, line: Line, around: BrokenValue | undefined): void {
    if (this.isDone(begin)) return;
    const isInside = around !== undefined && begin < around.fileEnd;
    const before = this.bytes.toString("latin1", Math.max(line.start, begin - headLength), begin);
    if (!isInside && !behindKey.test(before) && !isBesideMembers(this.bytes, begin, this.read)) {
      // A message may be all that can be read of a map around it.
      if (holdsMap(before)) this.maps = this.countedWith(this.maps, line);
      return;
    }
    const stop = isInside ? around.fileEnd : skipValue(this.bytes, begin, this.bytes.length, 0);
    this.done = stop < 0 ? this.bytes.length : stop;
    this.skipped.push({
      origin: isInside
        ? originIn(this.source, around.flawAt, stop)
        : originIn(this.source, line.start, begin),
      reason: "the JSON around part of the traffic cannot be read",
    });
  }

  private looksLike(
    at: BrokenValue["at"],
    start: number,
    end: number,
    context: Context,
  ): RecognizedPayload | undefined {
    const found = this.recognizer.recognize(loosePeek(at, start, end), context.url);
    return found && found.part !== "aside" && found.certainty >= threshold.leading ? found : undefined;
  }

  /** Whether a value has members with names, which words in brackets do not. */
  private namesMembers(
    begin: number,
    line: Line,
    bytes: Buffer,
    { start, end }: { readonly start: number; readonly end: number },
  ): boolean {
    const text = bytes.toString("latin1", start, end);
    const isArgument = this.bytes[begin - 1] === 40;
    return named.test(text) || (bareNamed.test(text) && !isArgument && isAnnounced(this.bytes, begin, line));
  }

  /** Whether nothing stands before a value: people paste a body alone, too. */
  private isFirst(begin: number): boolean {
    return begin <= headLength && this.bytes.toString("latin1", 0, begin).trim() === "";
  }

  /** Whether the log announces a body here. */
  private isDue(begin: number, line: Line, { url, status, method }: Context): boolean {
    if (url !== undefined || status !== undefined || method !== undefined) return true;
    return isAnnounced(this.bytes, begin, line);
  }
}

/** Whether a line has a map of messages or of a message, as other languages print one. */
function holdsMap(text: string): boolean {
  if (!ofMessages.test(text)) return false;
  let tries = 0;
  for (const { index } of text.matchAll(/(?:\bmap|\bMap|\bList|\bObject |\bArray )?[[{(]/g)) {
    if (beginsAsMap(text.slice(index, index + 200))) return true;
    if (++tries >= 8) return false;
  }
  return false;
}

/** How deep a text ends that begins at a depth, by its brackets, and the lowest depth in it. */
function depthsOf(text: string, from: number): { readonly depth: number; readonly lowest: number } {
  let depth = from;
  let lowest = from;
  for (const [mark] of text.matchAll(/[{}[\]]/g)) {
    depth += mark === "{" || mark === "[" ? 1 : -1;
    lowest = Math.min(lowest, depth);
  }
  return { depth, lowest };
}

/**
 * Whether a program's expression stands where a value or the next one belongs: `(`, `*parts`, `...history`,
 * `f"{name}"`, `os.environ["KEY"]`, `+ text`. Nothing prints that, so the text is code.
 */
function isExpression(bytes: Buffer, at: number): boolean {
  const text = bytes.toString("latin1", at, at + 80);
  const before = bytes.toString("latin1", Math.max(0, at - 8), at);
  return (
    /^(?:\(\s*(?:[rbfu]{0,2}["']|[A-Za-z_]\w{0,40}[.([])|\*{1,2}[A-Za-z_]|\.{3}[A-Za-z_]|[rbfu]{1,2}["'])/i.test(
      text,
    ) ||
    /^(?:[A-Za-z_]\w{0,40}\s?(?:\.[A-Za-z_]\w{0,40}\s?){0,6}[([]|[+%]\s?[\w"'([]|\.(?:format|join|map|concat|get)\()/.test(
      text,
    ) ||
    (/^["']/.test(text) && /[:[,(]\s?[rbfu]{1,2}$/i.test(before)) ||
    (/^\([A-Za-z_]\w{0,40}[),]/.test(text) && /\w$/.test(before)) ||
    isVariable(bytes, at)
  );
}

/** Whether the flaw is in a name that stands for a value: `"content": tool_response,`. */
function isVariable(bytes: Buffer, at: number): boolean {
  const before = /:\s?([a-z][\w.]*)$/.exec(bytes.toString("latin1", Math.max(0, at - 60), at))?.[1];
  const behind = /^[\w.]*(?=\s*[,}])/.exec(bytes.toString("latin1", at, at + 60))?.[0];
  return before !== undefined && behind !== undefined && /[_.]/.test(before + behind);
}

/** A member of an object alone, with the comma before the next one. */
const wholeMember = /^\s*"[\w.-]+"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\w.+-]+),\s*$/;
/** A member, or the beginning of an object whose first name is no element of a set. */
const named = /["']\s*:|^\{\s*["'][\w$.-]+["']\s*[^\s,:}]/;
/** A member as Node prints it; code has such members, too. */
const bareNamed = /[{,]\s*[A-Za-z_$][\w$]*\s*:\s*['"[{]/;

function halfOf({ part }: RecognizedPayload): "request" | "reply" {
  return part === "request" ? "request" : "reply";
}
