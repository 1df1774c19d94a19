import type { JsonNode } from "../../reading/json-node.ts";
import { parseJson } from "../../reading/parse.ts";
import { type ScanHints, scanJson } from "../../reading/scan.ts";
import type { RunPool } from "../../reading/shared-run.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import { threshold } from "../../traffic/certainty.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import type { RecordContext } from "../../traffic/record-context.ts";
import { arrayStream } from "./adjacent-streams.ts";
import { bareHistory, bareMessages, bareReply, payloadsOf, promptOf, type Search } from "./candidates.ts";
import { looksLikeEvents } from "./frames.ts";
import { modelCalls } from "./inspect.ts";
import { contextOfHalf, contextOfMember, contextOfReport } from "./key-contexts.ts";
import { nestedMessages } from "./monocle.ts";
import { plainMembers } from "./plain-members.ts";
import { contextWithin } from "./record-context.ts";
import { unreadTwin } from "./repeated-keys.ts";
import {
  asksNoModel,
  type CallbackEvent,
  callbackEvent,
  inputKey,
  isModelCall,
  isObservation,
  isUnsent,
  outputKey,
  rawKey,
  reportKey,
  spanIds,
  standsForExchange,
  streamedMessage,
} from "./reported.ts";
import {
  isChunk,
  type SegmentedText,
  segmentKeys,
  streamSegment,
  textInBuffer,
  textInSegments,
} from "./segmented-text.ts";
import { holdsBroken, type Slice, streamPlace } from "./slice.ts";
import { holdsSpan, isOuterSpan, nestedEvents, nestedSpan } from "./spans.ts";
import { searchString, searchText } from "./texts.ts";
import type { UnreadTexts } from "./unread.ts";
import { halfOfKey } from "./unread-bodies.ts";
import { unreadDepth, unreadJson, unreadValue } from "./unread-json.ts";
import { unreadAttributes, unreadStrings } from "./unread-strings.ts";

/** The maximum nesting depth of a search. */
const maxDepth = 24;

/**
 * Walks the values of a file's records. Each method returns its results in the order of the log, or
 * `undefined` if the value is not of its kind.
 */
export class Visitor implements Search {
  readonly recognizer: Recognizer;
  readonly pool: RunPool;
  readonly unread: UnreadTexts;
  /** Parents of spans, by span id. */
  readonly parents = new Map<string, string>();
  /** Numbers spans; a request and its reply share one. */
  private spanCount = 0;
  /** Records in which nothing was found, and such values outside of payloads that payloads repeat. */
  private readonly empty = new WeakSet<object>();
  /** Shapes of records that hold stream segments, and whether the segments are base64. */
  private readonly segmented = new Map<string, boolean>();
  /** Calls of models were told by LangChain's callbacks, from their start. */
  private hasCallbacks = false;

  constructor(recognizer: Recognizer, pool: RunPool, unread: UnreadTexts) {
    this.recognizer = recognizer;
    this.pool = pool;
    this.unread = unread;
  }

  hints(shift: number): ScanHints {
    const { historyKeys, stableKeys } = this.recognizer;
    return { historyKeys, stableKeys, pool: this.pool, shift };
  }

  searchNode(at: Slice, node: JsonNode, record: RecordContext): PayloadCandidate[] {
    const found = this.visit(at, node, record, 0, undefined);
    if (found.length === 0) this.empty.add(node);
    return found;
  }

  private visit(
    at: Slice,
    node: JsonNode,
    context: RecordContext,
    depth: number,
    parent: JsonNode | undefined,
  ): PayloadCandidate[] {
    if (this.empty.has(node)) return [];
    if (depth > maxDepth || isSkipped(node)) {
      unreadDepth(this.unread, at, node, context);
      return [];
    }
    if (node.known) return this.visitKnown(at, node, node.known.value, context, depth, parent);
    if (node.kind === "object") return this.visitObject(at, node, context, depth, parent);
    if (node.kind === "array") return this.visitArray(at, node, context, depth);
    return node.kind === "string" ? searchString(this, at, node, context) : [];
  }

  /** Outside of payloads, a body may stand under a key whose values payloads repeat: `{"text": {…}}`. */
  private visitKnown(
    at: Slice,
    node: JsonNode,
    value: unknown,
    context: RecordContext,
    depth: number,
    parent: JsonNode | undefined,
  ): PayloadCandidate[] {
    const known = typeof value === "object" && value !== null ? value : undefined;
    if (!known || this.empty.has(known)) return [];
    const scanned = scanJson(at.bytes, node.start, node.end, at.level, this.hints(at.shift));
    const found = scanned && !scanned.known ? this.visit(at, scanned, context, depth, parent) : [];
    if (found.length === 0) this.empty.add(known);
    return found;
  }

  private visitObject(
    at: Slice,
    node: JsonNode,
    context: RecordContext,
    depth: number,
    parent: JsonNode | undefined,
  ): PayloadCandidate[] {
    if (!node.members || node.members.length === 0) return [];
    const span = this.visitSpan(at, node, context);
    if (span) return span;
    const callback = callbackEvent(at, node);
    if (callback) return this.visitCallback(at, node, callback, context, depth);
    const isObserved = isObservation(node);
    if (isObserved && asksNoModel(at, node)) return [];
    const calls = this.visitModelCalls(at, node, context, depth);
    if (calls.length > 0) return calls;
    const payloads = isObserved ? [] : payloadsOf(this, at, node, context, parent);
    if (!payloads) return [];
    if (payloads.length > 0) {
      const isRequest = payloads[0]?.part === "request" && payloads.length === 1;
      return isRequest ? [...payloads, ...this.visitReply(at, node, context, depth)] : payloads;
    }
    const buffer = textInBuffer(at, node);
    if (buffer) return this.visitText(buffer, context);
    const own = this.contextOfSpan(at, node, contextWithin(context, plainMembers(at, node)));
    const isCall = isObserved ? isModelCall(at, node) : undefined;
    const within = isCall === undefined ? own : { ...own, isModelCall: isCall };
    const inside =
      isObserved || standsForExchange(node)
        ? this.visitExchange(at, node, within, depth)
        : this.visitMembers(at, node, within, depth);
    return this.segmentIn(at, node, within, inside) ?? inside;
  }

  private visitMembers(at: Slice, node: JsonNode, outer: RecordContext, depth: number): PayloadCandidate[] {
    const members = node.members ?? [];
    return members.flatMap(({ key, node: child }) => {
      if (isUnsent(key, node)) return [];
      const context = contextOfMember(key, outer, at, node);
      const inside = this.visit(at, child, context, depth + 1, node);
      const isHalf = inside.length === 0 && halfOfKey(key) !== undefined;
      if (isHalf && members.some((other) => other.key === key && other.node !== child))
        unreadTwin(this.unread, at, key, child, context);
      return inside;
    });
  }

  /**
   * The request that a call of a model begins with, or the reply that it ends with. Chains and tools repeat
   * the messages, and so do the chunks in between.
   */
  private visitCallback(
    at: Slice,
    node: JsonNode,
    { step, phase, data }: CallbackEvent,
    outer: RecordContext,
    depth: number,
  ): PayloadCandidate[] {
    const isModel = step === "chat_model" || step === "llm";
    if (!isModel && step !== "chain") return [];
    if (isModel && phase === "start") this.hasCallbacks = true;
    const within = { ...contextWithin(outer, plainMembers(at, node)), span: ++this.spanCount };
    const context: RecordContext = { ...within, fidelity: "reported", isModelCall: isModel };
    const visited = (name: RegExp): PayloadCandidate[] =>
      (data.members ?? []).flatMap(({ key, node: child }) => {
        if (!name.test(key)) return [];
        // The pieces of a streamed reply are joined to a message of the class of its chunks.
        const reply = phase === "end" ? bareReply(this, at, child, context) : undefined;
        return reply ? [reply] : this.visit(at, child, contextOfReport(key, context), depth + 1, data);
      });
    if (!isModel || !this.hasCallbacks) return visited(/./);
    return phase === "stream" ? [] : visited(phase === "start" ? /^input$/ : /^(?:output|error)$/);
  }

  /**
   * The stream segment that a record holds, which replaces the results inside it. The first record of a shape
   * must begin a stream; later records of the shape may continue it.
   */
  private segmentIn(
    at: Slice,
    node: JsonNode,
    record: RecordContext,
    inside: readonly PayloadCandidate[],
  ): PayloadCandidate[] | undefined {
    const holder = node.members?.find(
      ({ key, node: { kind } }) => kind === "string" && segmentKeys.includes(key),
    );
    if (!holder || inside.length > 1) return undefined;
    const { node: child } = holder;
    const shape = (node.members ?? []).map(({ key }) => key).join("\n");
    const isKnown = this.segmented.has(shape);
    const [only] = inside;
    const isEvents = only?.part === "segment" || (only?.part === "stream" && only.framing === "sse");
    const frames = isEvents ? only.frames : undefined;
    if (!frames && !isKnown && (only || !isChunk(at, node))) return undefined;
    const { span, text, isEncoded } = streamSegment(at, child, this.segmented.get(shape));
    const place = streamPlace(span);
    if (only && frames) {
      const isWhole = frames.some((frame) => this.recognizer.isTerminal(only.protocol, frame));
      if (!isKnown && (isWhole || (frames.length > 2 && !isChunk(at, node)))) return undefined;
      this.segmented.set(shape, isEncoded);
      return [{ ...only, place, part: "segment", frames }];
    }
    // A segment is cut anywhere and may resemble any format. It is never a whole document, only the data of
    // one event.
    const isDocument = only !== undefined && only.part !== "event" && parseJson(text) !== undefined;
    if (isKnown ? isDocument : !looksLikeEvents(text.slice(0, 4096))) return undefined;
    this.segmented.set(shape, isEncoded);
    const start = at.shift + child.start + 2 ** at.level;
    const isCut = child.state === "open";
    return [{ part: "segment", protocol: "", certainty: 0, fidelity: "wire", record, start, place, isCut }];
  }

  /** The model calls in a sample of Inspect. The rest of the sample is the outcome of the run. */
  private visitModelCalls(
    at: Slice,
    node: JsonNode,
    context: RecordContext,
    depth: number,
  ): PayloadCandidate[] {
    return modelCalls(at, node).flatMap((call) => {
      if (!("bytes" in call)) return this.visit(at, call, context, depth + 1, node);
      const root = scanJson(call.bytes, 0, call.bytes.length, 0, this.hints(0));
      return root ? this.visit(call, root, context, depth + 1, node) : [];
    });
  }

  /** The payloads in the attributes or events of a span, which use flat keys. */
  private visitSpan(at: Slice, node: JsonNode, context: RecordContext): PayloadCandidate[] | undefined {
    const events = node.kind === "object" ? node.members?.find(({ key }) => key === "events")?.node : node;
    const messages = events && (nestedEvents(at, events) ?? nestedMessages(at, node, events));
    if (messages) {
      const within = contextWithin(context, plainMembers(at, node));
      return this.visitNested(messages, this.contextOfSpan(at, node, within));
    }
    if (!holdsSpan(at, node)) return undefined;
    if (isOuterSpan(at, node)) return [];
    const span = nestedSpan(at, node);
    for (const { at: text, start, end, half, isTail } of span?.broken ?? [])
      unreadJson(this.unread, text, start, end, { ...context, half }, isTail);
    const found = span && this.visitNested(span.nested, context);
    if (found) unreadAttributes(this.unread, at, node, context, found);
    return found;
  }

  private visitNested(nested: Slice, context: RecordContext): PayloadCandidate[] | undefined {
    const root = scanJson(nested.bytes, 0, nested.bytes.length, 0, this.hints(0));
    const found = root && payloadsOf(this, nested, root, { ...context, span: ++this.spanCount });
    return found && found.length > 0 ? found : undefined;
  }

  /** Records the ids of this span and its parent. */
  private contextOfSpan(at: Slice, node: JsonNode, context: RecordContext): RecordContext {
    const ids = spanIds(at, node);
    if (ids?.own === undefined) return context;
    // The context of a span, or of its parent, has an id, too, and is no span.
    const parent = ids.parent ?? (isObservation(node) ? context.spanId : undefined);
    if (parent !== undefined && parent !== ids.own) this.parents.set(ids.own, parent);
    return { ...context, spanId: ids.own };
  }

  /** An object with a request under one key and its reply, whole or as a bare message, under another. */
  private visitExchange(at: Slice, node: JsonNode, outer: RecordContext, depth: number): PayloadCandidate[] {
    const members = node.members ?? [];
    const isReported = members.some(({ key }) => reportKey.test(key));
    const context: RecordContext = {
      ...outer,
      span: ++this.spanCount,
      ...(isReported && { fidelity: "reported" }),
    };
    const among = (which: (key: string) => boolean, within: RecordContext): PayloadCandidate[] =>
      members.flatMap(({ key, node: child }) =>
        which(key)
          ? this.visit(at, child, contextOfReport(key, contextOfHalf(key, within, at, node)), depth + 1, node)
          : [],
      );
    const sent = [
      ...among((key) => inputKey.test(key), context),
      // The raw traffic, which a tool may keep next to its report.
      ...among((key) => rawKey.test(key), { ...context, fidelity: "wire" }),
    ];
    let found = isReported && sent.length === 0 ? promptOf(this, at, node, context) : sent;
    for (const { key, node: child } of members)
      if (outputKey.test(key))
        found = [
          ...found,
          ...this.visitOutput(at, child, contextOfReport(key, context), depth + 1, node, found),
        ];
    const isOther = (key: string): boolean =>
      !inputKey.test(key) && !outputKey.test(key) && !rawKey.test(key);
    // The other members of a span repeat the same content, except for the spans within it.
    const isRepeated = isReported && found.some(({ part }) => part === "request");
    const others = members.filter(
      ({ key, node: child }) => isOther(key) && (!isRepeated || holdsSpans(child)),
    );
    const keys = new Set(others.map(({ key }) => key));
    return [...found, ...among((key) => keys.has(key), isReported ? outer : context)];
  }

  /** The reply of an exchange; `before` is what was found of the exchange already. */
  private visitOutput(
    at: Slice,
    node: JsonNode,
    context: RecordContext,
    depth: number,
    parent: JsonNode,
    before: readonly PayloadCandidate[],
  ): readonly PayloadCandidate[] {
    const inside = this.visit(at, node, context, depth, parent);
    const replies = inside.filter(({ part }) => part !== "request");
    if (replies.length > 0) return replies;
    const bare = bareReply(this, at, node, context);
    if (bare) return [bare];
    if (holdsBroken(node)) unreadValue(this.unread, at, node, context);
    else if (inside.length === 0) unreadStrings(this.unread, at, node, { ...context, half: "reply" });
    const isAsked = before.some(({ part, record }) => part === "request" && record.span === context.span);
    return isAsked ? [] : inside;
  }

  /** Some loggers put the reply among the request's members: `{model, messages, response: {…}}`. */
  private visitReply(at: Slice, node: JsonNode, context: RecordContext, depth: number): PayloadCandidate[] {
    for (const { key, node: child } of node.members ?? []) {
      if (!/^(?:raw_)?(?:response|reply|completion)(?:_body)?$/.test(key)) continue;
      const inside = this.visit(at, child, contextOfHalf(key, context, at, node), depth + 1, node);
      const replies = inside.filter(({ part }) => part !== "request");
      // A reply and its raw form are one reply, and the client continued with the first.
      if (replies.length > 0) return replies;
    }
    const output = node.members?.find(({ key }) => key === "outputs")?.node;
    const said = output && bareReply(this, at, output, context);
    return said ? [said] : [];
  }

  private visitArray(at: Slice, node: JsonNode, context: RecordContext, depth: number): PayloadCandidate[] {
    const span = this.visitSpan(at, node, context);
    if (span) return span;
    const visitAll = (items: readonly JsonNode[] = []): PayloadCandidate[] =>
      items.flatMap((child) => this.visit(at, child, context, depth + 1, node)).map(asListed);
    const isRecord = depth === 0 && at.level === 0;
    if (node.run) {
      const bare = bareHistory(this, at, node, context, isRecord);
      if (bare) return [bare];
      // `messages` of a queue or `contents` of an archive are not a history, but may hold records.
      return visitAll(scanJson(at.bytes, node.start, node.end, at.level, this.hints(at.shift))?.items);
    }
    if (!node.items || node.items.length === 0) return [];
    const streamed = streamedMessage(node);
    if (streamed) return this.visit(at, streamed, context, depth, undefined);
    const stream = arrayStream(this, at, node, context);
    const isWeak = stream !== undefined && stream.certainty <= threshold.leading;
    const [only] = node.items;
    if (isWeak && depth === 0 && only && node.items.length === 1)
      return this.visit(at, only, context, 0, undefined);
    const isPart = isWeak && depth > 0;
    const whole = (isPart ? undefined : stream) ?? bareMessages(this, at, node, context, isRecord);
    if (whole) return [whole];
    const text = textInSegments(at, node);
    return text ? this.visitText(text, context) : visitAll(node.items);
  }

  private visitText({ view, bytes }: SegmentedText, context: RecordContext): PayloadCandidate[] {
    return searchText(this, { view, bytes, shift: 0, level: 0 }, 0, bytes.length, context);
  }
}

/** Whether a value is an observation, or a list of some: the steps of a run, in its record. */
function holdsSpans(node: JsonNode): boolean {
  return (node.items ?? [node]).some((each) => isObservation(each));
}

function asListed(candidate: PayloadCandidate): PayloadCandidate {
  return candidate.part === "event" && !candidate.within ? { ...candidate, within: "list" } : candidate;
}

/** Whether the scan left out what is in a value, because it is nested too deeply. */
function isSkipped({ kind, members, items, run, known }: JsonNode): boolean {
  if (run || known) return false;
  return (kind === "object" && !members) || (kind === "array" && !items);
}
