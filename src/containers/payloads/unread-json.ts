import { isUtf8 } from "node:buffer";
import { crowdMessage } from "../../reading/crowds.ts";
import { plainText } from "../../reading/escapes.ts";
import { depthOfDefect, jsonDefect } from "../../reading/json-defect.ts";
import type { JsonNode } from "../../reading/json-node.ts";
import { originOf, plainSpan, type Span } from "../../reading/place.ts";
import { scanJson } from "../../reading/scan.ts";
import type { Element, SharedRun } from "../../reading/shared-run.ts";
import { invalidByte } from "../../reading/utf8.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import { threshold } from "../../traffic/certainty.ts";
import type { RecordContext } from "../../traffic/record-context.ts";
import { loosePeek } from "./loose-peek.ts";
import { repeatedInMessage } from "./repeated-keys.ts";
import { flawsOf, holdsBroken, type Slice, spanOf } from "./slice.ts";
import { isCertain, isWordInBrackets, type UnreadTexts } from "./unread.ts";

/** Where a JSON text cannot be read, by the offset of the first wrong byte, and what is expected there. */
export interface BrokenAt {
  readonly at: number;
  readonly expected: string;
}

/** Finds out why {@link scanJson} cannot read a text. */
export function brokenAt(at: Slice, start: number, end: number): BrokenAt | undefined {
  let found: BrokenAt | undefined;
  const noHints = { historyKeys: new Set<string>(), stableKeys: new Set<string>(), pool: noPool, shift: 0 };
  scanJson(at.bytes, start, end, at.level, {
    ...noHints,
    onDefect: (offset, expected) => {
      found ??= { at: offset, expected };
    },
  });
  return found;
}

const noPool = {
  scanRun: () => undefined,
  findStable: () => undefined,
  keepStable: () => undefined,
};

/** Whether a text begins as JSON that a program wrote: other texts begin with a bracket, too. */
function beginsAsJson(at: Slice, start: number): boolean {
  const head = plainText(at.bytes, start, Math.min(at.bytes.length, start + 80), at.level);
  return /^\s*(?:\{\s*["}]|\[\s*(?:[[{"\]\d-]|true|false|null))/.test(head);
}

/** Whether a program put a word in brackets in place of a body: `[Circular]`, `{...}`, `[object Object]`. */
function isPlaceholder(at: Slice, start: number, end: number): boolean {
  return end - start < 200 && isWordInBrackets(plainText(at.bytes, start, end, at.level));
}

/** Whether a text that a log keeps as a half of an exchange was a payload before it was damaged. */
export function looksLikePayload(
  { recognizer }: UnreadTexts,
  at: Slice,
  start: number,
  end: number,
  context: RecordContext,
): boolean {
  if (dueHalf(context) === undefined) return false;
  const bytes = Buffer.from(plainText(at.bytes, start, end, at.level));
  const plain: Slice = { ...at, bytes, shift: 0, level: 0 };
  const found = recognizer.recognize(loosePeek(plain, 0, bytes.length), context.url, context.fidelity);
  return found !== undefined && found.part !== "aside" && found.certainty >= threshold.leading;
}

/** Notes a JSON text that was read up to `broken`. */
export function unreadBehind(
  unread: UnreadTexts,
  at: Slice,
  broken: BrokenAt,
  start: number,
  end: number,
  context: RecordContext,
  found: readonly PayloadCandidate[],
): void {
  const { view, shift, level } = at;
  const isHalf = context.half !== undefined;
  if (found.length === 0 && (isHalf ? isPlaceholder(at, start, end) : !beginsAsJson(at, start))) return;
  if (found.length === 0 && isWords(at, start, end)) return;
  unread.add({
    kind: "broken",
    origin: originOf({ view, start: broken.at + shift, end: end + shift, level }),
    message: `not valid JSON: ${broken.expected} is expected here`,
    isReadBefore: true,
    half: halfOf(found) ?? dueHalf(context),
    context,
    isPayload: found.some(isCertain) || looksLikePayload(unread, at, start, end, context),
  });
}

/** Whether a text in brackets has neither a string nor an object: a citation, a progress bar. */
function isWords({ bytes }: Slice, start: number, end: number): boolean {
  const text = bytes.toString("latin1", start, Math.min(end, start + (4 << 10)));
  return text.startsWith("[") && !/["{]/.test(text);
}

/** An element that was copied out of a list, as an excerpt of a log, keeps the comma behind it. */
function isCommaAlone({ bytes }: Slice, start: number, end: number): boolean {
  return end - start < 40 && /^(?:\s|\\+[nrt])*,(?:\s|\\+[nrt])*$/.test(bytes.toString("latin1", start, end));
}

/** Notes the end of a JSON text that has none, or what stands behind its value. */
export function unreadRest(
  unread: UnreadTexts,
  at: Slice,
  node: JsonNode,
  end: number,
  context: RecordContext,
  found: readonly PayloadCandidate[],
): void {
  const { view, shift, level } = at;
  const isOpen = node.state === "open";
  if (!isOpen && isCommaAlone(at, node.end, end)) return;
  const isDue = found.length > 0 || context.half !== undefined;
  if (isOpen && !isDue && !beginsAsJson(at, node.start)) return;
  // A text may begin with brackets that are no JSON: `{} & Mode & Turns`, `[] no rows`.
  if (!isDue && (node.members ?? node.items)?.length === 0) return;
  if (found.length === 0 && node.items?.every(({ kind }) => kind === "number" || kind === "literal")) return;
  const start = isOpen ? node.start : node.end;
  unread.add({
    kind: isOpen ? "cut" : "broken",
    origin: originOf({ view, start: start + shift, end: end + shift, level }),
    message: isOpen ? "the JSON of this body is cut off" : "more text follows the JSON value of this body",
    half: halfOf(found) ?? dueHalf(context),
    context,
    isPayload: found.some(isCertain),
  });
}

/**
 * Notes a text that is a payload by its place and no JSON: it breaks off, or has a wrong byte. A tail
 * (`isTail`) is one by its content only, and its beginning is missing.
 */
export function unreadJson(
  unread: UnreadTexts,
  at: Slice,
  start: number,
  end: number,
  context: RecordContext,
  isTail = false,
): void {
  const { view, shift, level, bytes } = at;
  const node = isTail ? undefined : scanJson(bytes, start, end, level);
  const broken = node || isTail ? undefined : brokenAt(at, start, end);
  const isCut = node?.state === "open";
  const from = broken?.at ?? (isCut || isTail ? start : (node?.end ?? start));
  unread.add({
    kind: isCut ? "cut" : "broken",
    origin: originOf({ view, start: from + shift, end: end + shift, level }),
    message: isTail
      ? "the beginning of the JSON is missing"
      : broken
        ? `not valid JSON: ${broken.expected} is expected here`
        : isCut
          ? "the JSON of this body is cut off"
          : "more text follows the JSON value of this body",
    half: context.half,
    context,
    isPayload: !isTail,
  });
}

/** Notes a body that was read although it is no JSON: a program printed a value of its language. */
export function unreadPrinted(
  unread: UnreadTexts,
  { view, shift, level }: Slice,
  start: number,
  end: number,
  context: RecordContext,
): void {
  unread.add({
    kind: "lax",
    origin: originOf({ view, start: start + shift, end: end + shift, level }),
    message: "the body is an object as a program prints it, not JSON",
    half: context.half,
    context,
    isPayload: true,
  });
}

/** The half that stands in a place by what is said around it. */
export function dueHalf({ half, reportedHalf }: RecordContext): "request" | "reply" | undefined {
  return half ?? reportedHalf;
}

/** The half that candidates belong to; `undefined` for none or both. */
function halfOf(found: readonly PayloadCandidate[]): "request" | "reply" | undefined {
  const isRequest = found.filter(isCertain).map(({ part }) => part === "request");
  if (isRequest.length === 0 || new Set(isRequest).size > 1) return undefined;
  return isRequest[0] ? "request" : "reply";
}

/** Notes a body in which no payload was found although it is JSON: its history may be broken. */
export function unreadValue(unread: UnreadTexts, at: Slice, node: JsonNode, context: RecordContext): void {
  if (node.kind !== "object" && node.kind !== "array") return;
  if (holdsBroken(node)) {
    const half = dueHalf(context);
    const isPayload = looksLikePayload(unread, at, node.start, node.end, context);
    brokenLists(unread, at, node, context, half, isPayload);
  } else if (context.half && (node.members ?? node.items ?? []).length > 0)
    unread.add({
      kind: "unknown",
      origin: originOf(spanOf(at, node)),
      message:
        context.half === "request" ? "no known API accepts this request" : "no known API sends this response",
      half: context.half,
      context,
      isPayload: false,
    });
}

/** Notes a value that is nested too deeply to be searched. */
export function unreadDepth(unread: UnreadTexts, at: Slice, node: JsonNode, context: RecordContext): void {
  unread.add({
    kind: "broken",
    origin: originOf(spanOf(at, node)),
    message: "the JSON of this body is nested too deeply to search",
    half: context.half,
    context,
    isPayload: false,
  });
}

/** Notes bytes of a record that are no UTF-8, if they stand in a payload, or in the body around one. */
export function unreadBytes(
  unread: UnreadTexts,
  at: Slice,
  start: number,
  end: number,
  context: RecordContext,
  found: readonly PayloadCandidate[],
): void {
  const bytes = at.bytes.subarray(start, end);
  if (found.length === 0 || isUtf8(bytes)) return;
  for (let from = invalidByte(bytes); from < bytes.length; ) {
    const origin = at.view.origin(start + from + at.shift, start + from + at.shift + 1);
    const holder = found.find(
      ({ place }) => place.origin.start <= origin.start && origin.start < place.origin.end,
    );
    if (holder || context.half) {
      const code = `0x${(bytes[from] ?? 0).toString(16).toUpperCase().padStart(2, "0")}`;
      const half = holder ? (holder.part === "request" ? "request" : "reply") : context.half;
      const message = `the byte ${code} is not UTF-8`;
      unread.add({ kind: "lax", origin, message, half, context, isPayload: true });
      return;
    }
    from += 1 + invalidByte(bytes.subarray(from + 1));
  }
}

/** A callback for a value of a payload that JSON.parse rejects although it was read. */
export function laxValue(
  unread: UnreadTexts,
  at: Slice,
  context: RecordContext,
  half: "request" | "reply" | undefined,
): (node: JsonNode) => void {
  let isReported = false;
  return (node) => {
    if (isReported) return;
    isReported = true;
    tellLax(unread, spanOf(at, node), context, half);
  };
}

/** What is no JSON is read to about this depth. */
const deepest = 56;

function tellLax(
  unread: UnreadTexts,
  span: Span,
  context: RecordContext,
  half: "request" | "reply" | undefined = undefined,
): void {
  const plain = plainSpan(span);
  const bytes = plain.view.read(plain.start, plain.end);
  const defect = jsonDefect(bytes);
  const from = plain.start + (defect?.at ?? 0);
  const origin = plain.view.origin(from, Math.min(plain.end, from + 1));
  const isDeep = defect !== undefined && depthOfDefect(bytes) >= deepest;
  unread.add({
    kind: defect && !isDeep ? "lax" : "broken",
    origin,
    message: defect
      ? `not valid JSON: ${defect.message}${isDeep ? `, nested more than ${deepest} levels deep` : ""}`
      : "the JSON is nested too deeply to read completely",
    half: half ?? context.half,
    context,
    isPayload: true,
  });
}

/** Elements that were reported; requests share them. */
const reported = new WeakSet<Element>();

/** Notes what of the lists of messages in a value is no JSON. `isPayload`: the value was recognized. */
export function brokenLists(
  unread: UnreadTexts,
  at: Slice,
  node: JsonNode,
  context: RecordContext,
  half: Half,
  isPayload = true,
): void {
  if (node.run) brokenList(unread, at, node.run, context, half, isPayload);
  if (node.isCrowd && isPayload) tellCrowd(unread, spanOf(at, node), context, half);
  if (node.members)
    for (const { node: child } of node.members) brokenLists(unread, at, child, context, half, isPayload);
  if (node.items) for (const child of node.items) brokenLists(unread, at, child, context, half, isPayload);
}

type Half = RecordContext["half"];

function tellCrowd(unread: UnreadTexts, span: Span, outer: RecordContext, half: Half): void {
  const context = withHalf(outer, half);
  const origin = originOf(span);
  unread.add({ kind: "broken", origin, message: crowdMessage, half: context.half, context, isPayload: true });
}

/** The context of a value that is this half, if it is known to be one. */
function withHalf(context: RecordContext, half: Half): RecordContext {
  return half && half !== context.half ? { ...context, half } : context;
}

/** Notes what of a list of messages is no JSON, each element once. */
export function brokenList(
  unread: UnreadTexts,
  at: Slice,
  run: SharedRun,
  outer: RecordContext,
  half: Half,
  isPayload = true,
): void {
  if (run.crowdedAt === undefined && run.brokenAt === undefined && run.laxAt === undefined)
    if (flawsOf(run).length === 0) return;
  const context = withHalf(outer, half);
  const { view, level } = at;
  const tell = (start: number, end: number, message: string, kind: "broken" | "lax" = "broken"): void =>
    unread.add({
      kind,
      origin: originOf({ view, start, end, level }),
      message,
      half: context.half,
      context,
      isPayload,
    });
  if (run.crowdedAt !== undefined) tell(run.crowdedAt, run.arrayEnd, crowdMessage);
  if (run.brokenAt !== undefined)
    tell(run.brokenAt, run.arrayEnd, "not valid JSON: a value is expected here");
  if (isPayload && run.laxAt !== undefined)
    tell(run.laxAt, run.laxAt + 1, "not valid JSON: a comma without a value", "lax");
  for (const index of flawsOf(run)) {
    const element = run.element(index);
    if (!element.isBroken && !element.isCrowd && !(isPayload && (element.isLax || element.mayRepeatKey)))
      continue;
    if (reported.has(element)) continue;
    if (isPayload) reported.add(element);
    const [start, end] = [run.start(index), run.end(index)];
    if (element.isCrowd) tell(start, end, crowdMessage);
    if (element.mayRepeatKey) repeatedInMessage(unread, at, run, index, context);
    if (!element.isBroken && !element.isLax) continue;
    if (element.isLax) {
      tellLax(unread, { view, start, end, level }, context, context.half);
      continue;
    }
    const broken = brokenAt(at, start - at.shift, end - at.shift);
    tell(
      broken ? broken.at + at.shift : start,
      end,
      broken ? `not valid JSON: ${broken.expected} is expected here` : "not valid JSON",
    );
  }
}
