import { opensJson } from "../../reading/json-bytes.ts";
import { jsonDefect } from "../../reading/json-defect.ts";
import type { JsonNode, Member } from "../../reading/json-node.ts";
import { readValue } from "../../reading/json-values.ts";
import { pushAll } from "../../reading/lists.ts";
import type { Mutable } from "../../reading/mutable.ts";
import { isJson } from "../../reading/parse.ts";
import { type ScanHints, scanJson, skipValue } from "../../reading/scan.ts";
import { createPool } from "../../reading/shared.ts";
import { type ByteSource, textStart } from "../../reading/source.ts";
import { unwrapped } from "../../reading/terminal-wraps.ts";
import { wholeView } from "../../reading/view.ts";
import { isWireLog } from "../../reading/wire-lines.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import { level, threshold } from "../../traffic/certainty.ts";
import {
  type Container,
  type Defect,
  type Recording,
  type Skipped,
  wholeFile,
} from "../../traffic/container.ts";
import { itemsInOrder } from "../../traffic/listed-items.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import { peekValue } from "../payloads/peek.ts";
import { scalars } from "../payloads/plain-members.ts";
import { shortenedValue } from "../payloads/printed-slice.ts";
import { type Context, contextWithin, noContext } from "../payloads/record-context.ts";
import { payloadSearch } from "../payloads/search.ts";
import { skippedRecord, statedContext } from "../payloads/skipped.ts";
import { holdsBroken, type Slice } from "../payloads/slice.ts";
import { halfOfKey } from "../payloads/unread-bodies.ts";
import { brokenAt } from "../payloads/unread-json.ts";
import { holdsWordsOf } from "../payloads/user-words.ts";
import { savedExchanges } from "./request-collections.ts";
import { recordLengths } from "./stated-lengths.ts";

/** One JSON document or several in sequence: a bare body, a list of records, an export. */
export const json: Container = {
  name: "json",
  isLogOfProgram: true,
  summary: "a JSON document: a body, a messages array, or records, spans and runs of traces at any depth",
  signs: "a JSON document that no other format matches",
  maxSize: wholeFile,
  // To recognise it, all of the head is scanned.
  mostCertain: level.plausible,
  recognize(head) {
    const text = head
      .toString("utf8")
      .replace(/^\uFEFF/, "")
      .trimStart();
    if (!/^[{[]/.test(text) || label.test(text)) return 0;
    const start = head.indexOf(text[0] ?? "");
    const node = scanJson(head, start, head.length);
    if (!node) return isBrokenDocument(text, head, start) ? level.weak : 0;
    return node.state === "open" ? level.fairlyPlausible : certaintyOfRest(head, node.end);
  },
  read(source, recognizer) {
    const restored = unwrapped(source);
    const recording = readDocuments(restored, recognizer, "json");
    return restored === source ? recording : { ...recording, restored };
  },
  lengths: recordLengths,
};

/** A log's label in brackets before what it logs: `[GEMINI] {"error": …}`. */
const label = /^\[(?!(?:true|false|null)\b)[A-Za-z][\w .:-]{0,60}\][ \t]*\S/;

/** A document with a defect in it, from the first bracket to the last: not a text that begins with one. */
function isBrokenDocument(text: string, head: Buffer, start: number): boolean {
  if (!/^(?:\{\s*"|\[\s*[[{"])/.test(text)) return false;
  const stop = skipValue(head, start, head.length, 0);
  return stop < 0 ? /[\]}]\s*$/.test(text) : head.toString("latin1", stop).trim() === "";
}

/**
 * Several documents may follow each other, but JSON lines are likelier; JSON before other text is a text, and
 * so are elements of a list without its brackets.
 */
function certaintyOfRest(head: Buffer, end: number): number {
  let at = end;
  let certainty = level.plausible;
  let isListed = false;
  for (;;) {
    while (at < head.length && ((head[at] ?? 0) <= 32 || head[at] === 44)) {
      isListed ||= head[at] === 44;
      at++;
    }
    if (at === head.length) return isListed && certainty < level.plausible ? level.faintest : certainty;
    const node = opensJson(head[at]) ? scanJson(head, at, head.length) : undefined;
    if (!node) return level.faintest;
    certainty = level.even;
    at = node.end;
  }
}

/** HTTP archives of browsers, proxies and Polly.js. */
export const har: Container = {
  name: "har",
  summary: "HAR 1.2, as browsers, proxies and Polly.js write it",
  signs: "log with its creator, version or entries",
  maxSize: wholeFile,
  recognize(head) {
    const text = head.toString("utf8");
    if (!/^\uFEFF?\s*\{\s*"log"\s*:\s*\{/.test(text)) return 0;
    return /"(creator|entries|_recordingName|version)"/.test(text) ? level.nearlyCertain : 0;
  },
  read: (source, recognizer) => readDocuments(source, recognizer, "har"),
  lengths: recordLengths,
};

function readDocuments(source: ByteSource, recognizer: Recognizer, container: string): Recording {
  const defects: Defect[] = [];
  const skipped: Skipped[] = [];
  const search = payloadSearch(recognizer, createPool({ areKept: true }), defects);
  const { parents } = search;
  const recording: Mutable<Recording> = {
    container,
    kind: "requests",
    candidates: candidates(),
    parents,
    defects,
    skipped,
  };
  return recording;

  function* candidates(): Generator<PayloadCandidate> {
    const view = wholeView(source);
    const bytes = source.read(0, source.size);
    const slice: Slice = { view, bytes, shift: 0, level: 0 };
    let index = 0;
    const silent: Document[] = [];
    let hasTraffic = false;
    let isSplit = false;
    for (const { at, node: root } of documentsIn(slice, search.hints(0), defects)) {
      // Nobody sent the items that a server lists, but alone in a file they are somebody's history.
      const isAlone = index === 0 && bytes.toString("latin1", root.end).trim() === "";
      const node = (isAlone && itemsInOrder(root, (list) => readValue(at.bytes, list, at.level))) || root;
      let isSilent = true;
      const passed: Skipped[] = [];
      for (const [record, context] of recordsOf(at, node, noContext)) {
        isSplit ||= record !== node;
        const found = search.searchNode(at, record, context, index);
        const around = statedContext(at, record, context);
        if (
          around.url !== undefined &&
          !found.some((candidate) => isTraffic(candidate, around.url, recognizer))
        ) {
          const origin = at.view.origin(record.start, record.end);
          skipped.push(skippedRecord(origin, around, recognizer));
          isSilent = false;
        } else if (found.length > 0) {
          isSilent = false;
          yield* found;
        } else {
          const slip = slipIn(at, record);
          if (slip) defects.push(slip);
          else if (record !== node && record.state === "complete")
            passed.push(skippedRecord(at.view.origin(record.start, record.end), around, recognizer));
        }
        index++;
      }
      if (isSilent) silent.push({ at, node });
      else {
        hasTraffic = true;
        pushAll(skipped, passed);
      }
    }
    const [only] = silent;
    if (!hasTraffic && only && isOneValue(only) && !isWireLog(source)) {
      // What records are not by themselves, their document may be as a whole.
      if (isSplit) yield* search.searchNode(only.at, only.node, noContext, index);
      recording.isSearched = true;
    }
    // A session's records, say: alone they are read, beside the traffic of others they are not.
    for (const { at, node } of hasTraffic ? silent : []) {
      const isOfUser = holdsWordsOf("user", at.bytes, node);
      if (isOfUser || holdsWordsOf("model", at.bytes, node))
        skipped.push({
          origin: at.view.origin(node.start, node.end),
          reason: `a document of a conversation that no known ${isOfUser ? "request" : "reply"} contains`,
        });
    }
  }
}

/** Whether a document is all that its file holds, and nothing but JSON. */
function isOneValue({ at, node }: Document): boolean {
  const text = at.view.isFile ? at.bytes.toString("utf8") : "";
  return node.end - node.start >= text.trim().length && isJson(text);
}

/** What is no JSON in a record without traffic: it may be why none was found. */
function slipIn({ bytes, view }: Slice, record: JsonNode): Defect | undefined {
  if (record.state === "open" || isJson(bytes.toString("utf8", record.start, record.end))) return undefined;
  const defect = jsonDefect(bytes, record.start, record.end);
  if (!defect) return undefined;
  const origin = view.origin(defect.at, Math.min(record.end, defect.at + 1));
  return { kind: "lax", origin, message: `not valid JSON: ${defect.message}` };
}

/** A document of a file, and the bytes that its offsets refer to. */
interface Document {
  readonly at: Slice;
  readonly node: JsonNode;
}

/** The documents of a file, one behind the other; the last one up to its end or its first defect. */
export function* documentsIn(at: Slice, hints: ScanHints, defects: Defect[]): Generator<Document> {
  const { bytes } = at;
  for (let start = textStart(bytes); ; ) {
    while (start < bytes.length && ((bytes[start] ?? 0) <= 32 || bytes[start] === 44)) start++;
    if (start >= bytes.length) return;
    const { document, end } = readDocument(at, start, hints, defects);
    if (document) yield document;
    if (end === undefined) return;
    start = Math.max(end, start + 1);
  }
}

/** A document, up to its end or its first defect. `end` is absent where nothing behind it can be read. */
function readDocument(
  at: Slice,
  start: number,
  hints: ScanHints,
  defects: Defect[],
): { readonly document?: Document; readonly end?: number } {
  const { bytes, view } = at;
  const end = bytes.length;
  const isJson = opensJson(bytes[start]);
  const whole = isJson ? scanJson(bytes, start, end, 0, hints) : undefined;
  // Of a history, the scan leaves out elements that are no JSON.
  const isBroken = isJson && (!whole || holdsBroken(whole));
  const shortened = isBroken ? shortenedValue(at, start, end, hints) : undefined;
  if (shortened) {
    if (shortened.defect) defects.push(shortened.defect);
    return { document: { at: shortened.slice, node: shortened.node }, end: shortened.end };
  }
  if (whole) {
    const origin = view.origin(start, whole.end);
    if (whole.state === "open")
      defects.push({ kind: "unfinished", origin, message: "the document ends in the middle" });
    return { document: { at, node: whole }, end: whole.end };
  }
  const broken = isJson ? brokenAt(at, start, end) : undefined;
  const what = isJson ? "the document is not valid JSON" : "what follows is not JSON";
  const message = broken ? `${what}: ${broken.expected} is expected here` : what;
  const origin = view.origin(broken?.at ?? start, end);
  defects.push({ kind: "broken", origin, message, ...(broken && { isReadBefore: true }) });
  const node = broken && scanJson(bytes, start, broken.at, 0, hints);
  return node ? { document: { at, node } } : {};
}

/**
 * The records of a document: the exchanges of a collection, the elements of its outermost list of records,
 * the members of an object that names requests by test or case, or the document itself.
 */
function* recordsOf(slice: Slice, node: JsonNode, outer: Context, depth = 0): Generator<[JsonNode, Context]> {
  const exchanges = depth === 0 ? savedExchanges(node) : undefined;
  if (exchanges) {
    for (const exchange of exchanges) yield [exchange, outer];
    return;
  }
  const list = recordList(node);
  if (!list && namesRequests(node, depth)) {
    const context = contextWithin(outer, scalars(slice, node));
    for (const { node: member } of node.members ?? []) yield* recordsOf(slice, member, context, depth + 1);
    return;
  }
  if (!list) {
    yield [node, withReplyFile(slice, node, outer)];
    return;
  }
  const context = node.kind === "object" ? contextWithin(outer, scalars(slice, node)) : outer;
  for (const item of list.items ?? []) yield [item, withReplyFile(slice, item, context)];
}

/** Adds the name of the reply's own file: WireMock puts it in the response, Playwright in its content. */
function withReplyFile(slice: Slice, record: JsonNode, outer: Context): Context {
  const response = memberOf(record, "response");
  const name = memberOf(response, "bodyFileName") ?? memberOf(memberOf(response, "content"), "_file");
  if (name?.kind !== "string") return outer;
  const replyFile = readValue(slice.bytes, name, slice.level);
  return typeof replyFile === "string" && replyFile !== "" ? { ...outer, replyFile } : outer;
}

function memberOf(node: JsonNode | undefined, key: string): JsonNode | undefined {
  return node?.members?.find((member) => member.key === key)?.node;
}

/** The list of records: the root, or a member such as `log.entries`, `interactions` or `events`. */
function recordList(node: JsonNode, depth = 0): JsonNode | undefined {
  if (node.kind === "array") {
    const items = node.items ?? [];
    const isList =
      items.length > 0 &&
      (items.every(isRecord) ||
        areLines(items) ||
        (items.every((item) => item.kind === "object") &&
          items.some(holdsHistory) &&
          !items.some(isMessage)));
    return isList ? node : undefined;
  }
  if (node.kind !== "object" || depth > 2) return undefined;
  for (const { key, node: child } of node.members ?? []) {
    if (
      !/^(log|entries|interactions|exchanges|mappings|records|requests|calls|steps|traces|history_log|data|items|logs)$/i.test(
        key,
      )
    )
      continue;
    const list = recordList(child, depth + 1);
    if (list) return list;
  }
  return listOfHistories(node.members ?? []) ?? listOfExchanges(node);
}

/** A list in which each object holds both halves of an exchange, itself or in a member: `hits[]._source`. */
function listOfExchanges(node: JsonNode, depth = 0): JsonNode | undefined {
  const { kind, items = [], members = [] } = node;
  if (kind === "array")
    return items.length > 1 && items.every((item) => holdsExchange(item)) ? node : undefined;
  if (kind !== "object" || depth > 2) return undefined;
  for (const { node: child } of members) {
    const list = listOfExchanges(child, depth + 1);
    if (list) return list;
  }
  return undefined;
}

function holdsExchange({ members = [] }: JsonNode, depth = 1): boolean {
  const bodies = members.filter(({ node: { kind } }) => kind === "object" || kind === "string");
  const halves = new Set(bodies.map(({ key }) => halfOfKey(key)));
  if (halves.has("request") && halves.has("reply")) return true;
  return depth > 0 && bodies.some(({ node }) => holdsExchange(node, depth - 1));
}

/**
 * The only member in which somebody speaks, if it is a list of records with a history each: the simulations
 * of a benchmark, the samples of a data set.
 */
function listOfHistories(members: readonly Member[]): JsonNode | undefined {
  const list = members.map(({ node }) => node).find(({ items = [] }) => areHistories(items));
  return list && members.every(({ node }) => node === list || !holdsSpeech(node, 8)) ? list : undefined;
}

function areHistories(items: readonly JsonNode[]): boolean {
  const isOne = (node: JsonNode): boolean =>
    node.kind === "object" && !node.members?.some(({ key }) => key === "role");
  return items.length > 1 && items.every(isOne) && items.filter(holdsHistory).length * 2 > items.length;
}

/** Whether a history, a message or what a model answered stands somewhere in a value. */
function holdsSpeech(node: JsonNode, depth: number): boolean {
  if (node.run || node.members?.some(({ key, node: child }) => speechKey.test(key) && isSaid(child)))
    return true;
  if (depth === 0) return false;
  const below = node.items ?? node.members?.map((member) => member.node) ?? [];
  return below.some((child) => holdsSpeech(child, depth - 1));
}

const speechKey = /^(?:role|message|response|reply|completion|choices|output)$/;

function isSaid({ kind, start, end }: JsonNode): boolean {
  return (kind === "object" || kind === "array" || kind === "string") && end - start > 2;
}

/** Whether an object holds, up to two levels down, several requests that state their own addresses. */
function namesRequests(node: JsonNode, depth: number): boolean {
  return node.kind === "object" && depth < 3 && !isAddressed(node) && addressedIn(node, 2) > 1;
}

function addressedIn(node: JsonNode, depth: number): number {
  let count = 0;
  for (const { node: member } of node.members ?? []) {
    if (count > 1) break;
    count += isAddressed(member) ? 1 : depth > 1 ? addressedIn(member, depth - 1) : 0;
  }
  return count;
}

/** A request with its address and body. Of an exchange, the reply has no address. */
function isAddressed(node: JsonNode): boolean {
  const isText = (key: string): boolean => memberOf(node, key)?.kind === "string";
  const body = ["body", "json", "data", "payload"].map((key) => memberOf(node, key)).find(Boolean);
  return (isText("url") || isText("uri")) && (body?.kind === "object" || body?.kind === "string");
}

function isRecord(node: JsonNode): boolean {
  return (
    node.kind === "object" &&
    (node.members?.some(
      ({ key, node: child }) =>
        /request|response|body|reply|payload|req|res/i.test(key) &&
        !/id$/i.test(key) &&
        (child.kind === "object" || child.kind === "string"),
    ) ??
      false)
  );
}

/** Whether a list holds what a logger or a runtime of containers keeps of the lines of a program. */
function areLines(items: readonly JsonNode[]): boolean {
  const isLine = ({ members = [] }: JsonNode): boolean =>
    members.some(({ key, node }) => node.kind === "string" && lineKey.test(key)) &&
    !members.some(({ key }) => key === "role");
  return items.every(isLine);
}

const lineKey = /^(?:log|line|msg|@?message|textPayload)$/;

/** A message that keeps its parts under a name that is also a history's. */
function isMessage(node: JsonNode): boolean {
  const has = (key: string): boolean => node.members?.some((member) => member.key === key) ?? false;
  return has("contents") && (has("role") || has("type"));
}

/** A bare request body, or a record with messages under any name. */
function holdsHistory(node: JsonNode): boolean {
  return node.members?.some((member) => member.node.run !== undefined || areMessages(member.node)) ?? false;
}

function areMessages({ items = [] }: JsonNode): boolean {
  return items.length > 1 && items.every((item) => memberOf(item, "role")?.kind === "string");
}

/** All services have similar errors, so an error counts only if its address is a model's. */
function isTraffic(candidate: PayloadCandidate, url: string | undefined, recognizer: Recognizer): boolean {
  if (
    candidate.part !== "reply" ||
    candidate.certainty >= threshold.leading ||
    typeof candidate.value !== "object" ||
    candidate.value === null
  )
    return true;
  return (recognizer.recognize(peekValue(candidate.value), url)?.certainty ?? 0) >= threshold.leading;
}
