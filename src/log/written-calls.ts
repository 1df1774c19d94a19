import { describeReactRun } from "../containers/files/text/react-runs.ts";
import { jsonPlace, streamPlace } from "../containers/payloads/slice.ts";
import { findControlTokens, findTextCalls } from "../protocols/text-calls/index.ts";
import { nodeAt } from "../reading/json-values.ts";
import { parseJson } from "../reading/parse.ts";
import { pointerToken } from "../reading/pointer.ts";
import { scanJson } from "../reading/scan.ts";
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
 * What a model wrote, where a file has nothing else: people paste the text of a reply alone, its content
 * without a role, or its choice, when a call or a token of a template stands in it as text. `undefined` for a
 * file without such a call.
 */
export function writtenReply(source: ByteSource): ReplyCandidate | undefined {
  if (source.size > maxSize || source.segments) return undefined;
  const bytes = source.read(0, source.size);
  const text = bytes.toString("utf8");
  const view = wholeView(source);
  const root = scanJson(bytes, 0, bytes.length);
  const body = root?.state === "complete" ? parseJson(text) : undefined;
  if (body === undefined) {
    if (/^\s*[[{]/.test(text)) return undefined;
    const isLog = logLine.test(text.trimStart().split("\n", 1)[0] ?? "");
    // An agent that adds the results to the text runs the calls in it.
    const isRun = describeReactRun(text) !== undefined;
    const whole = !isLog && !isRun && holdsCalls(text) ? { text, from: 0, to: text.length } : undefined;
    const said = whole ?? quotedIn(text);
    if (!said) return undefined;
    const start = Buffer.byteLength(text.slice(0, said.from));
    const end = start + Buffer.byteLength(text.slice(said.from, said.to));
    return candidate(said.text, streamPlace({ view, start, end, level: 0 }), start);
  }
  const pointer = placeOfCalls(body, "", 0);
  if (pointer === undefined || !root) return undefined;
  const { start, end } = nodeAt(root, pointer);
  const message = fields(parseJson(bytes.toString("utf8", start, end)));
  return candidate({ ...message, role: "assistant" }, jsonPlace({ view, start, end, level: 0 }), start);
}

/** A line of a program's log. */
const logLine = /^.{0,40}(?:\b\d\d:\d\d:\d\d\b|\b(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR)\b)/m;

/** What a server's log says before the text that a model generated. */
const introduction =
  /\b(?:output|response|completion|generated|content|message|text)["']?[ \t]{0,4}[:=][ \t]{0,8}/gi;

/** A log may say so in each line. */
const maxIntroductions = 400;

/** A server's parser gave up on a call. Other logs show what a model generated before it is parsed. */
const parserFailed =
  /\b(?:fail(?:ed|ure|s)?|errors?|invalid|unable|could not|cannot|can't|unexpected)\b[\s\S]{0,200}?\b(?:pars|tool|function)/i;

/** The first text of a model that a log quotes because its call could not be parsed. */
function quotedIn(
  log: string,
): { readonly text: string; readonly from: number; readonly to: number } | undefined {
  if (!logLine.test(log)) return undefined;
  let left = maxIntroductions;
  for (const { 0: words, index } of log.matchAll(introduction)) {
    if (left-- === 0) return undefined;
    if (!parserFailed.test(log.slice(Math.max(0, index - 400), index))) continue;
    const from = index + words.length;
    const quote = /^["']/.exec(log.slice(from, from + 1))?.[0];
    const [to, text] = quote === undefined ? [endOfRecord(log, from)] : quotedFrom(log, from + 1, quote);
    const said = text ?? log.slice(from, to);
    if (holdsCalls(said)) return { text: said, from, to };
  }
  return undefined;
}

/** Where the next record of the log, or an empty line, begins. */
function endOfRecord(log: string, from: number): number {
  for (let at = log.indexOf("\n", from); at >= 0; at = log.indexOf("\n", at + 1)) {
    const next = log.slice(at + 1, at + 200);
    if (/^\s*(?:\n|$)/.test(next) || logLine.test(next.split("\n", 1)[0] ?? "")) return at;
  }
  return log.length;
}

/** The end of a quoted text, and the text without its escapes. */
function quotedFrom(log: string, from: number, quote: string): readonly [number, string] {
  let at = from;
  while (at < log.length && log[at] !== quote && log[at] !== "\n") at += log[at] === "\\" ? 2 : 1;
  const text = log.slice(from, at).replace(/\\(.)/g, (_, char: string) => plainEscapes[char] ?? char);
  return [Math.min(at, log.length), text];
}

const plainEscapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

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
    const said = string(content) ?? parts.join("\n");
    // A model's own tokens are no prose where its message says who speaks.
    if (holdsCalls(said) || (role !== undefined && findControlTokens(said).length > 0)) return pointer;
  }
  const inner = Array.isArray(value) ? value.entries() : isFields(value) ? Object.entries(value) : [];
  for (const [key, child] of inner) {
    const found = placeOfCalls(child, `${pointer}/${pointerToken(String(key))}`, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Data may begin with a bracket or a quote, as a call without a token does. */
const beginsAsToken = /^(?:[^\s[{"]|\[[A-Z_]{4})/;

/** Whether a text is, for a good part, calls in the syntax of a model. */
function holdsCalls(text: string): boolean {
  const calls = findTextCalls(text).filter(({ start }) => beginsAsToken.test(text.slice(start, start + 8)));
  const size = calls.reduce((sum, { start, end }) => sum + end - start, 0);
  return size * minShare >= text.trim().length && calls.length > 0;
}
