import { jsonPlace, streamPlace } from "../containers/payloads/slice.ts";
import { findTextCalls } from "../protocols/text-calls/index.ts";
import { parseJson } from "../reading/parse.ts";
import { pointerToken } from "../reading/pointer.ts";
import { nodeAt, scanJson } from "../reading/scan.ts";
import type { ByteSource } from "../reading/source.ts";
import { fields, isFields, list, string } from "../reading/values.ts";
import { wholeView } from "../reading/view.ts";
import type { PayloadCandidate } from "../traffic/candidate.ts";
import { level } from "../traffic/certainty.ts";
import type { PayloadPlace } from "../traffic/place.ts";

type ReplyCandidate = Extract<PayloadCandidate, { readonly part: "reply" }>;

/** Longer files are logs, and what a model wrote is a small part of them. */
const maxSize = 64 << 10;

/** People paste little around what the model wrote. */
const minShare = 4;

/** A body holds the model's text at most so deep. */
const maxDepth = 6;

/**
 * What a model wrote, where a file has nothing else: people paste the text of a reply alone, or its content
 * without a role, when a call stands in it as text. `undefined` for a file without such a call.
 */
export function writtenReply(source: ByteSource): ReplyCandidate | undefined {
  if (source.size > maxSize || source.segments) return undefined;
  const bytes = source.read(0, source.size);
  const text = bytes.toString("utf8");
  const view = wholeView(source);
  const root = scanJson(bytes, 0, bytes.length);
  const body = root?.state === "complete" ? parseJson(text) : undefined;
  if (body === undefined) {
    if (/^\s*[[{]/.test(text) || !holdsCalls(text)) return undefined;
    return candidate(text, streamPlace({ view, start: 0, end: bytes.length, level: 0 }), 0);
  }
  const pointer = placeOfCalls(body, "", 0);
  if (pointer === undefined || !root) return undefined;
  const { start, end } = nodeAt(root, pointer);
  const message = fields(parseJson(bytes.toString("utf8", start, end)));
  return candidate({ ...message, role: "assistant" }, jsonPlace({ view, start, end, level: 0 }), start);
}

function candidate(value: unknown, place: PayloadPlace, start: number): ReplyCandidate {
  return {
    protocol: "sdk-messages",
    certainty: level.possible,
    record: { index: 0, headers: {}, ids: new Map() },
    start,
    isCut: false,
    fidelity: "reported",
    part: "reply",
    place,
    value,
    isBare: true,
    isLone: true,
  };
}

/** Where the object stands whose content has calls in it. */
function placeOfCalls(value: unknown, pointer: string, depth: number): string | undefined {
  if (depth > maxDepth) return undefined;
  const { role, content } = fields(value);
  if (role === undefined || role === "assistant" || role === "model") {
    const parts = list(content).map((part) => string(fields(part)["text"]) ?? "");
    if (holdsCalls(string(content) ?? parts.join("\n"))) return pointer;
  }
  const inner = Array.isArray(value) ? value.entries() : isFields(value) ? Object.entries(value) : [];
  for (const [key, child] of inner) {
    const found = placeOfCalls(child, `${pointer}/${pointerToken(String(key))}`, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a text is, for a good part, calls in the syntax of a model. */
function holdsCalls(text: string): boolean {
  const calls = findTextCalls(text).filter(({ start }) => /[^\s[{"]/.test(text[start] ?? ""));
  const size = calls.reduce((sum, { start, end }) => sum + end - start, 0);
  return size * minShare >= text.trim().length && calls.length > 0;
}
