import { plainText } from "../../reading/escapes.ts";
import type { JsonNode } from "../../reading/json-node.ts";
import { nodeAt, readValue } from "../../reading/json-values.ts";
import type { Mutable } from "../../reading/mutable.ts";
import { originOf } from "../../reading/place.ts";
import { pointerToken } from "../../reading/pointer.ts";
import type { ScanHints } from "../../reading/scan.ts";
import type { RunPool } from "../../reading/shared-run.ts";
import { fields } from "../../reading/values.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import { level, threshold } from "../../traffic/certainty.ts";
import type { RequestBody } from "../../traffic/payload.ts";
import type { PayloadPlace } from "../../traffic/place.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import type { RecordContext } from "../../traffic/record-context.ts";
import {
  areBlocksOfModel,
  callsKey,
  isFromModel,
  isListedCall,
  toolNameIn,
} from "../../traffic/vocabulary.ts";
import { historyGaps } from "./gaps.ts";
import { peekAt, peekValue } from "./peek.ts";
import { scalars } from "./plain-members.ts";
import { repeatedMember } from "./repeated-keys.ts";
import { beginsAsMessage, isReport, saidBy, textIn } from "./reported.ts";
import { historyIn, isCut, jsonPlace, type Slice, spanOf } from "./slice.ts";
import type { UnreadTexts } from "./unread.ts";
import { brokenList, brokenLists, laxValue } from "./unread-json.ts";

/** What the search for payloads in a file needs. The record of a value carries the context around it. */
export interface Search {
  readonly recognizer: Recognizer;
  readonly pool: RunPool;
  /** What could not be read in the record. */
  readonly unread: UnreadTexts;
  hints(shift: number): ScanHints;
  /** Searches a scanned value for payloads. */
  searchNode(at: Slice, node: JsonNode, record: RecordContext): PayloadCandidate[];
}

/**
 * The payload that an object is. A request with its reply yields both; `undefined` if nothing inside the
 * object, at any depth, can be a payload.
 */
export function payloadsOf(
  search: Search,
  at: Slice,
  node: JsonNode,
  record: RecordContext,
  parent?: JsonNode,
): PayloadCandidate[] | undefined {
  const recognition = search.recognizer.recognize(peekAt(at, node), record.url, record.fidelity);
  if (!recognition || recognition.certainty < threshold.taken) return [];
  if (recognition.part === "aside") return undefined;
  if (
    recognition.certainty < threshold.leading &&
    recognition.part === "reply" &&
    (isLogRecord(node) || holdsRequest(node))
  )
    return [];
  // What a program took out of an event stands alone; the same within another value is a part of it.
  if (parent && recognition.part === "event" && recognition.certainty <= threshold.leading) return [];
  if (recognition.isCount && parent && isReportOfUsage(parent, node)) return [];
  const span = spanOf(at, node);
  const isUnfinished = isCut(at, node);
  const base = (place: PayloadPlace) => ({
    protocol: recognition.protocol,
    certainty: recognition.certainty,
    record,
    start: originOf(span).start,
    place,
    isCut: isUnfinished,
    fidelity: isReport(at, record, node) ? ("reported" as const) : recognition.fidelity,
  });
  let request: PayloadCandidate | undefined;
  const half =
    recognition.part === "request" ? "request" : recognition.part === "exchange" ? undefined : "reply";
  const onLax = laxValue(search.unread, at, record, half);
  if (node.hasTrailingComma || node.hasLaxKey) onLax(node);
  brokenLists(search.unread, at, node, record, half);
  if (recognition.part === "request" || recognition.part === "exchange") {
    const history = historyIn(node, search.recognizer.historyKeys);
    const envelope = parent && isEnvelope(parent, node) ? parent : undefined;
    const outer = envelope ? spanOf(at, envelope) : span;
    const place = jsonPlace(outer);
    const members = node.members ?? [];
    const entries: [string, unknown][] = [];
    for (const { key, node: member } of members)
      if (!member.run) entries.push([key, readValue(at.bytes, member, at.level, onLax)]);
    repeatedMember(search.unread, at, node, "request", record);
    // Keys come from a log, so `__proto__` must be an ordinary key.
    const fields = Object.fromEntries(entries);
    const around = envelope ? Object.fromEntries(scalars(at, envelope)) : nothing;
    const { url, headers } = record;
    // A log may have a hundred thousand requests, and what is spread into an object makes it slow to build.
    const body: Mutable<RequestBody> = {
      fields: envelope ? { ...around, ...fields } : fields,
      run: history?.node.run,
      envelope: around,
      base: envelope ? "/request" : "",
      place,
      url,
      headers,
    };
    if (history) body.historyPointer = `${body.base}/${pointerToken(history.key)}`;
    if (isUnfinished && history?.node.run) body.gaps = historyGaps(at, history.node.run);
    request = Object.assign(base(place), { part: "request" as const, body });
    if (recognition.part === "request") return [request];
  }
  const place = jsonPlace(span);
  const value = readValue(at.bytes, node, at.level, onLax);
  const { isCount } = recognition;
  if (recognition.part !== "event") {
    repeatedMember(search.unread, at, node, "reply", record);
    const reply = Object.assign(base(place), { part: "reply" as const, value }, isCount && { isCount });
    return request ? [request, reply] : [reply];
  }
  const data = plainText(at.bytes, node.start, node.end, at.level);
  const frame = { value, data, extent: { start: 0, end: data.length } };
  return [Object.assign(base(place), { part: "event" as const, frame })];
}

/** Shared, as most requests stand in no envelope. */
const nothing: Readonly<Record<string, unknown>> = Object.freeze({});

/** The plain-text prompt in a tracing tool's record that names itself a model call. */
export function promptOf(
  search: Search,
  at: Slice,
  node: JsonNode,
  record: RecordContext,
): PayloadCandidate[] {
  const member = (name: RegExp): JsonNode | undefined =>
    node.members?.find(({ key }) => name.test(key))?.node;
  const kind = member(/^(type|run_type|observation_type)$/);
  const input = member(/^inputs?$/);
  if (kind?.kind !== "string" || !input) return [];
  if (!/^(generation|llm|chat_model)$/i.test(String(readValue(at.bytes, kind, at.level)))) return [];
  const text = textIn(readValue(at.bytes, input, at.level, laxValue(search.unread, at, record, "request")));
  const fields = text === undefined ? {} : { prompt: text };
  const recognition = search.recognizer.recognize(peekValue(fields), record.url, "reported");
  if (recognition?.part !== "request" || recognition.certainty < threshold.taken) return [];
  const span = spanOf(at, input);
  const place = jsonPlace(span);
  const { url, headers } = record;
  return [
    {
      protocol: recognition.protocol,
      certainty: recognition.certainty,
      record,
      start: originOf(span).start,
      isCut: isCut(at, node),
      fidelity: "reported",
      part: "request",
      place,
      body: { fields, run: undefined, envelope: {}, base: "", place, url, headers },
    },
  ];
}

/** The message, list of messages or text found where a reply belongs. */
export function bareReply(
  search: Search,
  at: Slice,
  node: JsonNode,
  record: RecordContext,
): PayloadCandidate | undefined {
  const found = saidBy(readValue(at.bytes, node, at.level));
  // Damaged JSON is not what the model said.
  if (!found || (typeof found.value === "string" && beginsAsMessage(found.value))) return undefined;
  const said = nodeAt(node, found.pointer);
  readValue(at.bytes, said, at.level, laxValue(search.unread, at, record, "reply"));
  const span = spanOf(at, said);
  // A message of the model counts even if its request was not recorded.
  const known =
    typeof found.value === "string"
      ? undefined
      : search.recognizer.recognize(peekValue({ messages: [found.value].flat() }), record.url, "reported");
  return {
    protocol: known?.protocol ?? "",
    // Otherwise only its position marks it as a reply; the request's protocol decodes it.
    certainty:
      known?.fidelity === "reported" && record.fidelity === "reported" ? level.possible : level.vague,
    record,
    start: originOf(span).start,
    isCut: isCut(at, node),
    fidelity: "reported",
    part: "reply",
    place: jsonPlace(span),
    value: found.value,
    isBare: true,
  };
}

/** The members that name the author of a message, and the words for the model. */
const authorKey = /^(?:_?role|messagetype|type|kind|source|sender|from)$/i;
const modelWord =
  /^"(?:[Aa]ssistant|ASSISTANT|ai|AI|model|response|gpt|[A-Z]\w*(?:Request|Text|Message)\w*|[a-z]+(?:_[a-z]+)?_call)"$/;

/**
 * A message of the model that is all there is in a record, or the calls of one: people save and paste single
 * messages.
 */
export function loneMessage(
  search: Search,
  at: Slice,
  node: JsonNode,
  record: RecordContext,
): PayloadCandidate | undefined {
  const [only, ...others] = node.members ?? [];
  // `print(response["output"])` of Bedrock.
  if (only?.key === "message" && only.node.kind === "object" && others.length === 0)
    return loneMessage(search, at, only.node, record);
  const read = loneValue(at, node);
  if (!read) return undefined;
  const { message, value } = read;
  const best = search.recognizer.recognizeHistory([message], record.url, record.fidelity);
  if (!best) return undefined;
  readValue(at.bytes, node, at.level, laxValue(search.unread, at, record, "reply"));
  return loneReply(at, node, record, best, value);
}

function loneReply(
  at: Slice,
  node: JsonNode,
  record: RecordContext,
  { protocol, fidelity }: Pick<PayloadCandidate, "protocol" | "fidelity">,
  value: unknown,
): PayloadCandidate {
  const span = spanOf(at, node);
  return {
    protocol,
    certainty: level.possible,
    record,
    start: originOf(span).start,
    isCut: isCut(at, node),
    fidelity,
    part: "reply",
    place: jsonPlace(span),
    value,
    isBare: true,
    isLone: true,
  };
}

/** What may be a message of the model, and the message that it stands for. */
function loneValue(
  at: Slice,
  node: JsonNode,
): { readonly value: unknown; readonly message: unknown } | undefined {
  const listed = listedObjects(at, node);
  if (listed && areBlocksOfModel(listed))
    return { value: listed, message: { role: "assistant", content: listed } };
  if (listed?.every(isListedCall))
    return { value: listed, message: { role: "assistant", [callsKey]: listed } };
  if (node.kind !== "object") return undefined;
  const isOwner = isOfModel(at, node);
  if (!isOwner && !ownsCalls(at, node)) return undefined;
  const value = readValue(at.bytes, node, at.level);
  const message = isOwner ? value : { ...fields(value), role: "assistant" };
  return { value: message, message };
}

/** The objects in a list of nothing else. */
function listedObjects(at: Slice, node: JsonNode): readonly unknown[] | undefined {
  if (node.kind !== "array" || !node.items || node.items.length === 0) return undefined;
  if (!node.items.every(({ kind }) => kind === "object")) return undefined;
  const objects = readValue(at.bytes, node, at.level);
  return Array.isArray(objects) ? objects : undefined;
}

/** Whether an object without an author has calls: it is the model's. */
function ownsCalls(at: Slice, node: JsonNode): boolean {
  const calls = node.members?.find(({ key }) => key === callsKey)?.node;
  if (!calls || node.members?.some(({ key }) => authorKey.test(key) && key !== "type")) return false;
  const listed = readValue(at.bytes, calls, at.level);
  return (
    Array.isArray(listed) &&
    listed.length > 0 &&
    listed.every((call) => toolNameIn(fields(call)) !== undefined)
  );
}

/**
 * Whether a member names the model as the author, or a constructor does: `{id: […, "AIMessage"], kwargs}`.
 * The printed text of a message may name nobody; what decodes it knows more.
 */
function isOfModel(at: Slice, node: JsonNode): boolean {
  const keys = new Set(node.members?.map(({ key }) => key));
  if (keys.has("content") && keys.has("additional_kwargs") && !keys.has("role")) return true;
  const text = (child: JsonNode): string => at.bytes.toString("latin1", child.start, child.end);
  return (node.members ?? []).some(({ key, node: child }) => {
    if (key === "id" && child.kind === "array") return /"AIMessage(?:Chunk)?"/.test(text(child));
    if (!authorKey.test(key) || child.end - child.start > 60) return false;
    const label =
      child.kind === "object" ? child.members?.find((member) => /^label$/i.test(member.key)) : undefined;
    return modelWord.test(text(label?.node ?? child));
  });
}

/** A history without a request around it, under a history key; `isRecord` if a record is nothing else. */
export function bareHistory(
  search: Search,
  at: Slice,
  node: JsonNode,
  record: RecordContext,
  isRecord: boolean,
): PayloadCandidate | undefined {
  const run = node.run;
  if (!run || run.length === 0) return undefined;
  return bare(
    search,
    at,
    node,
    record,
    isRecord,
    Array.from({ length: run.length }, (_, place) => run.element(place).value),
  );
}

/** A bare history, recognized by the keys of its first element. */
export function bareMessages(
  search: Search,
  at: Slice,
  node: JsonNode,
  record: RecordContext,
  isRecord: boolean,
): PayloadCandidate | undefined {
  const head = node.items?.[0];
  if (head?.kind !== "object") return undefined;
  const keys = new Set(head.members?.map((member) => member.key));
  const hasOne = (groups: typeof itemKeys): boolean =>
    groups.some((group) => group.every((key) => keys.has(key)));
  const isKnown = hasOne(search.recognizer.messageKeys);
  if (!isKnown && !hasOne(itemKeys)) return undefined;
  // The calls of one message, as LangChain for Elixir lists them, are no items.
  const type = head.members?.find((member) => member.key === "type")?.node;
  if (!keys.has("role") && type?.kind === "string" && readValue(at.bytes, type, at.level) === "function")
    return undefined;
  // Users and permissions have roles, too, and an event has the role of who caused it.
  if (!isKnown && !(node.items ?? []).some((item) => speaks(item) && !isEvent(item))) return undefined;
  return bare(
    search,
    at,
    node,
    record,
    isRecord,
    (node.items ?? []).map((item) => readValue(at.bytes, item, at.level)),
  );
}

function bare(
  search: Search,
  at: Slice,
  node: JsonNode,
  record: RecordContext,
  isRecord: boolean,
  values: unknown[],
): PayloadCandidate | undefined {
  const recognized = (items: readonly unknown[]) =>
    search.recognizer.recognizeHistory(items, record.url, record.fidelity);
  const isCutOff = node.state === "open" && values.length > 1;
  // Of a last message that is cut off, nothing may be left that says what it is.
  const recognition = recognized(values) ?? (isCutOff ? recognized(values.slice(0, -1)) : undefined);
  const run = node.run ?? search.pool.scanRun(at.bytes, node.start, at.bytes.length, at.level, at.shift)?.run;
  if (!recognition || !run) return undefined;
  // Nobody sends items that the model wrote alone: people print `response.output`.
  if (isRecord && values.some(isItem) && values.every(isFromModel)) {
    brokenList(search.unread, at, run, record, "reply");
    return loneReply(at, node, record, recognition, readValue(at.bytes, node, at.level));
  }
  brokenList(search.unread, at, run, record, "request");
  const span = spanOf(at, node);
  const place = jsonPlace(span);
  return {
    protocol: recognition.protocol,
    certainty: Math.min(recognition.certainty, level.possible),
    record,
    start: originOf(span).start,
    place,
    isCut: isCut(at, node),
    fidelity: record.fidelity === "reported" ? "reported" : recognition.fidelity,
    part: "request",
    body: {
      fields: {},
      run,
      envelope: {},
      base: "",
      historyPointer: "",
      place,
      url: record.url,
      headers: record.headers,
      isBare: true,
      ...(isCut(at, node) && { gaps: historyGaps(at, run) }),
    },
  };
}

/** A call or a thought that stands in a list by itself, in no message. */
function isItem(value: unknown): boolean {
  return fields(value)["role"] === undefined;
}

/** Alternative groups of keys that messages and items of most APIs share. */
const itemKeys: readonly (readonly string[])[] = [["role"], ["type", "call_id"], ["type", "content"]];

/** Whether an element has a member for what somebody says, or for a call or its result. */
function speaks(node: JsonNode): boolean {
  return (
    node.members?.some(({ key }) =>
      /content|parts|text|value|blocks|items|data|kwargs|message|call|tool|function|output|result|reasoning|summary/i.test(
        key,
      ),
    ) ?? false
  );
}

/** A program's own event, which names its kind. */
function isEvent(node: JsonNode): boolean {
  return node.members?.some(({ key }) => /^event(?:_?(?:type|name|kind))?$/i.test(key)) ?? false;
}

/**
 * Log records of an application may mention an error, but they are not the error body; nor is what a program
 * notes of a tool's failure, or of its own.
 */
function isLogRecord(node: JsonNode): boolean {
  return node.members?.some(({ key }) => ofLogRecord.test(key)) ?? false;
}

const ofLogRecord = /^(?:level|levelname|lvl|severity|logger|msg|pid|tool_?name|traceback|stack_?trace)$/i;

/** An object that also holds the request is an exchange, not an error body. */
function holdsRequest(node: JsonNode): boolean {
  return (
    node.members?.some(
      ({ key, node: child }) =>
        /^(?:raw|http|api)?[_-]?(?:req|request|input|payload|prompt|kwargs)(?:[_-]?(?:body|data|json|params))?$/i.test(
          key,
        ) &&
        (child.kind === "object" || (child.kind === "string" && child.end - child.start > 40)),
    ) ?? false
  );
}

/** A record may state the tokens of any request under such a key. */
function isReportOfUsage(parent: JsonNode, node: JsonNode): boolean {
  const key = parent.members?.find((member) => member.node === node)?.key ?? "";
  return /usage|token|count|stat|metric|meta|cost|budget/i.test(key);
}

/** `{model, project, request: {…}}`: the model is outside the request, so the body is the outer object. */
function isEnvelope(parent: JsonNode, node: JsonNode): boolean {
  const member = parent.members?.find((candidate) => candidate.node === node);
  const has = (owner: JsonNode, key: string): boolean =>
    owner.members?.some((candidate) => candidate.key === key) ?? false;
  return member?.key === "request" && has(parent, "model") && !has(node, "model") && !has(parent, "response");
}
