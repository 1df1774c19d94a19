import { plainText } from "../../reading/escapes.ts";
import { isJsonSpace } from "../../reading/json-bytes.ts";
import { jsonDefect } from "../../reading/json-defect.ts";
import type { JsonNode } from "../../reading/json-node.ts";
import { isJson } from "../../reading/parse.ts";
import { originOf, type Span } from "../../reading/place.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import type { Context } from "./record-context.ts";
import { type Slice, spanOf } from "./slice.ts";
import { isCertain, type UnreadTexts } from "./unread.ts";

/**
 * Notes what JSON does not allow in a record around its payloads. There it may hide a payload: a member whose
 * key is damaged is not found. Where both halves of an exchange were found, a slip outside strings (`NaN`)
 * hides nothing.
 */
export function unreadAround(
  unread: UnreadTexts,
  at: Slice,
  node: JsonNode,
  context: Context,
  found: readonly PayloadCandidate[],
): void {
  if (node.state === "open" || found.length === 0) return;
  // Most records are one payload as a whole.
  const [only] = found;
  if (found.length === 1 && only && isWithin(at, node, only.place.span)) return;
  const slip = slipAround(at, node, rangesOf(found, at));
  if (!slip) return;
  const isRequest = found.some((candidate) => candidate.part === "request");
  const isReply = found.some((candidate) => candidate.part !== "request" && isCertain(candidate));
  const isExplained = isRequest && isReply;
  if (isExplained && !slip.isInString) return;
  unread.add({
    kind: slip.isInString && !isExplained ? "broken" : "lax",
    origin: at.view.origin(at.shift + slip.at, at.shift + Math.min(node.end, slip.at + 1)),
    message: `not valid JSON: ${slip.message}`,
    half: isRequest ? (isReply ? context.half : "reply") : "request",
    context,
    isPayload: true,
  });
}

/** Whether a value stands in a span of the same bytes, read without decoding. */
function isWithin(at: Slice, node: JsonNode, { view, start, end, level }: Span): boolean {
  return view === at.view && level === 0 && start <= at.shift + node.start && end >= at.shift + node.end;
}

/** The first byte that JSON does not allow; its offset is one of the slice's bytes. */
interface Slip {
  readonly at: number;
  readonly message: string;
  readonly isInString?: true;
}

/** Ranges of the file, sorted, none of which touch each other. */
type Ranges = readonly { readonly start: number; end: number }[];

function rangesOf(found: readonly PayloadCandidate[], { view }: Slice): Ranges {
  const origins = found.map(({ place }) => place.origin).filter(({ source }) => source === view.source);
  const ranges: { start: number; end: number }[] = [];
  for (const { start, end } of origins.sort((a, b) => a.start - b.start)) {
    const last = ranges.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else ranges.push({ start, end });
  }
  return ranges;
}

/** The first range that ends behind an offset. */
function rangeBehind(ranges: Ranges, offset: number): Ranges[number] | undefined {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.end ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return ranges[low];
}

function slipAround(at: Slice, node: JsonNode, read: Ranges): Slip | undefined {
  const { start, end } = originOf(spanOf(at, node));
  const next = rangeBehind(read, start);
  if (!next || next.start >= end) return slipIn(at, node.start, node.end);
  if (next.start <= start && next.end >= end) return undefined;
  const parts = node.members ?? node.items;
  // A string that holds a payload was read with it, and so was a list of messages.
  if (!parts) return undefined;
  let from = node.start;
  for (const [index, part] of parts.entries()) {
    const child = "key" in part ? part.node : part;
    const slip = slipBetween(at, from, child.start, "key" in part, index) ?? slipAround(at, child, read);
    if (slip) return slip;
    from = child.end;
  }
  return slipBehind(at, from, node.end);
}

/** Whether a bracket or a comma, a key without escapes and a colon stand there: what most records have. */
function isPlainKey(bytes: Buffer, start: number, end: number, index: number): boolean {
  let at = start;
  const step = (): void => {
    while (at < end && isJsonSpace(bytes[at])) at++;
  };
  if (index > 0) step();
  if (bytes[at++] !== (index === 0 ? OPEN : COMMA)) return false;
  step();
  if (bytes[at++] !== QUOTE) return false;
  for (let byte = bytes[at]; at < end && byte !== QUOTE; byte = bytes[++at])
    if (byte === undefined || byte < 32 || byte === BACKSLASH) return false;
  at++;
  step();
  if (bytes[at++] !== COLON) return false;
  step();
  return at === end;
}

const [QUOTE, COMMA, COLON, BACKSLASH, OPEN] = [34, 44, 58, 92, 123];

const bracket = /^[[{]/;

/** What is wrong between the values of an object or a list: a comma too many, or in a key. */
function slipBetween(
  at: Slice,
  start: number,
  end: number,
  hasKey: boolean,
  index: number,
): Slip | undefined {
  if (hasKey && at.level === 0 && isPlainKey(at.bytes, start, end, index)) return undefined;
  const whole = plainText(at.bytes, start, end, at.level);
  const text = index === 0 ? whole.replace(bracket, "").trim() : whole.trim();
  if (index > 0 !== text.startsWith(",")) return { at: start, message: "a comma too many" };
  const key = text.slice(index > 0 ? 1 : 0).trim();
  if (!hasKey) return key === "" ? undefined : { at: start, message: "a comma too many" };
  const name = key.endsWith(":") ? key.slice(0, -1).trimEnd() : key;
  if (isJson(name)) return undefined;
  const quote = at.bytes.indexOf(QUOTE, start);
  const from = quote < 0 ? start : quote;
  return { at: from, message: "a key that is not valid JSON", ...defectIn(at, from, end) };
}

function slipBehind(at: Slice, start: number, end: number): Slip | undefined {
  const text = plainText(at.bytes, start, end, at.level);
  return text.includes(",") ? { at: start + text.indexOf(","), message: "a trailing comma" } : undefined;
}

function slipIn(at: Slice, start: number, end: number): Slip | undefined {
  if (isJson(plainText(at.bytes, start, end, at.level))) return undefined;
  return defectIn(at, start, end);
}

/** What is wrong in a part of a slice; in a string, its place is where the part begins. */
function defectIn(at: Slice, start: number, end: number): Slip | undefined {
  if (at.level === 0) return jsonDefect(at.bytes, start, end);
  const defect = jsonDefect(Buffer.from(plainText(at.bytes, start, end, at.level)));
  return defect && { ...defect, at: start };
}
