import { parseJson } from "../../reading/parse.ts";
import { type JsonNode, readValue, type ScanHints, scanJson } from "../../reading/scan.ts";
import type { RunPool } from "../../reading/shared.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import type { RecordContext } from "../../traffic/record-context.ts";
import {
  arrayStream,
  bareHistory,
  bareMessages,
  bareReply,
  payloadsOf,
  promptOf,
  type Search,
  scalars,
} from "./candidates.ts";
import { refusalAlone, refusalBeside } from "./error-bodies.ts";
import { looksLikeEvents } from "./frames.ts";
import { mostRestored, poolsOf, restoredEvent } from "./inspect.ts";
import { type Context, contextWithin } from "./record-context.ts";
import {
  asksNoModel,
  bodyKey,
  inputKey,
  isObservation,
  outputKey,
  rawKey,
  spanIds,
  standsForExchange,
  toldKey,
  transcriptKey,
} from "./reported.ts";
import { type PiecedText, pieceKeys, streamPiece, textInBuffer, textInPieces } from "./segmented-text.ts";
import { type Stretch, streamPlace } from "./slice.ts";
import { holdsSpan, isOuterSpan, nestedEvents, nestedSpan } from "./spans.ts";
import { searchString, searchText } from "./texts.ts";

export interface PayloadSearch {
  /** Looks for payloads in a value that was scanned; everything found belongs to the record counted as `index`. */
  searchNode(stretch: Stretch, node: JsonNode, outer: Context, index: number): PayloadCandidate[];
  /** Looks for payloads in a text that is not quoted: an HTTP body, a whole file. */
  searchText(stretch: Stretch, start: number, end: number, outer: Context, index: number): PayloadCandidate[];
  hints(shift: number): ScanHints;
  /** The spans that were come upon, each with the one around it; complete when all has been searched. */
  readonly parents: ReadonlyMap<string, string>;
}

/** How deep records nest in which payloads are looked for. */
const maxDepth = 24;

/**
 * Looks for payloads by their shape, at any depth, also inside strings. A payload that was found is not searched
 * inside: tool results quote logs.
 */
export function payloadSearch(recognizer: Recognizer, pool: RunPool): PayloadSearch {
  const hints = (shift: number): ScanHints => ({
    historyKeys: recognizer.historyKeys,
    stableKeys: recognizer.stableKeys,
    pool,
    shift,
  });
  const spans: Spans = { count: 0, parents: new Map(), pieced: new Map() };
  const search: Search = {
    recognizer,
    pool,
    hints,
    searchNode(at, node, record) {
      const walk = new Walk(search, spans);
      walk.visit(at, node, record, 0, undefined);
      return walk.found;
    },
  };
  return {
    searchNode(at, node, outer, index) {
      const record = { ...outer, index };
      const found = search.searchNode(at, node, record);
      const refusal =
        found.length === 0 ? refusalAlone(at, node, record) : refusalBeside(at, node, found, record);
      return refusal ? [...found, refusal] : found;
    },
    searchText: (at, start, end, outer, index) => searchText(search, at, start, end, { ...outer, index }),
    hints,
    parents: spans.parents,
  };
}

/** The spans that were come upon in a file. */
interface Spans {
  /** A request and its reply stand in one. */
  count: number;
  readonly parents: Map<string, string>;
  /** The members of records that hold pieces of streams, and whether these are in base64. */
  readonly pieced: Map<string, boolean>;
}

/** The way through a value of a record, and what was found on it. */
class Walk {
  readonly found: PayloadCandidate[] = [];
  private readonly search: Search;
  private readonly spans: Spans;

  constructor(search: Search, spans: Spans) {
    this.search = search;
    this.spans = spans;
  }

  visit(
    at: Stretch,
    node: JsonNode,
    context: RecordContext,
    depth: number,
    parent: JsonNode | undefined,
  ): void {
    if (depth > maxDepth) return;
    if (node.kind === "object") this.visitObject(at, node, context, depth, parent);
    else if (node.kind === "array") this.visitArray(at, node, context, depth);
    else if (node.kind === "string") this.found.push(...searchString(this.search, at, node, context));
  }

  private visitObject(
    at: Stretch,
    node: JsonNode,
    context: RecordContext,
    depth: number,
    parent: JsonNode | undefined,
  ): void {
    if (!node.members || node.members.length === 0 || this.visitSpan(at, node, context)) return;
    const isTold = isObservation(node);
    if (isTold && asksNoModel(at, node)) return;
    if (this.visitRun(at, node, context, depth)) return;
    const candidates = isTold ? [] : payloadsOf(this.search, at, node, context, parent);
    if (!candidates) return;
    if (candidates.length > 0) {
      this.found.push(...candidates);
      if (candidates[0]?.part === "request" && candidates.length === 1)
        this.visitReply(at, node, context, depth);
      return;
    }
    const buffer = textInBuffer(at, node);
    if (buffer) {
      this.visitPieced(buffer, context);
      return;
    }
    const within = this.contextOfSpan(at, node, contextWithin(context, plainMembers(at, node)));
    const before = this.found.length;
    if (isTold || standsForExchange(node)) this.visitExchange(at, node, within, depth);
    else
      for (const { key, node: child } of node.members)
        this.visit(at, child, contextOfMember(key, within), depth + 1, node);
    this.visitPiece(at, node, within, before);
  }

  /** A record that holds a piece of a stream: the first of its shape holds a beginning, and those of the same shape may go on with it. */
  private visitPiece(at: Stretch, node: JsonNode, context: RecordContext, before: number): void {
    const holder = node.members?.find(
      ({ key, node: { kind } }) => kind === "string" && pieceKeys.includes(key),
    );
    if (!holder || this.found.length > before + 1) return;
    const { node: child } = holder;
    const shape = (node.members ?? []).map(({ key }) => key).join("\n");
    const isKnown = this.spans.pieced.has(shape);
    const [only] = this.found.slice(before);
    const isStream = only?.part === "stream" && only.framing === "sse";
    if (!isStream && !isKnown && (only || !isChunk(at, node))) return;
    const { span, text, isEncoded } = streamPiece(at, child, this.spans.pieced.get(shape));
    if (isStream) {
      const isWhole = only.frames.some((frame) => this.search.recognizer.isTerminal(only.protocol, frame));
      if (!isKnown && (isWhole || (only.frames.length > 2 && !isChunk(at, node)))) return;
      this.found[before] = { ...only, place: streamPlace(span), isPiece: true };
    } else {
      // What was cut anywhere may look like anything, but is no whole document beyond the data of an event.
      const isDocument = only !== undefined && only.part !== "event" && parseJson(text) !== undefined;
      if (isKnown ? isDocument : !looksLikeEvents(text.slice(0, 4096))) return;
      const isCut = child.state === "open";
      const start = at.shift + child.start + 2 ** at.level;
      const piece = {
        protocol: "",
        certainty: 0,
        record: context,
        start,
        place: streamPlace(span),
        isCut,
        fidelity: "wire" as const,
      };
      this.found.splice(before, 1, { ...piece, part: "piece" });
    }
    this.spans.pieced.set(shape, isEncoded);
  }

  /** The record of a whole run: what was sent is in its events, and its messages are what became of it. */
  private visitRun(at: Stretch, node: JsonNode, context: RecordContext, depth: number): boolean {
    const members = node.members ?? [];
    if (!members.some(({ key }) => key === "messages")) return false;
    const holder = members.find(({ key }) => key === "transcript")?.node.members ?? members;
    const events = (holder.find(({ key }) => key === "events")?.node.items ?? []).filter((event) => {
      const kind = event.members?.find(({ key }) => key === "event")?.node;
      return kind?.kind === "string" && readValue(at.bytes, kind, at.level) === "model";
    });
    const before = this.found.length;
    const pools = poolsOf(at, node);
    let restored = 0;
    for (const event of events) {
      const whole = pools && restoredEvent(at, event, pools);
      restored += whole?.bytes.length ?? 0;
      // Then the messages are all that is read of the run.
      if (restored > mostRestored) {
        this.found.splice(before);
        return false;
      }
      const root = whole && scanJson(whole.bytes, 0, whole.bytes.length, 0, this.search.hints(0));
      if (whole && root) this.visit(whole, root, context, depth + 1, node);
      else this.visit(at, event, context, depth + 1, node);
    }
    return this.found.length > before;
  }

  /** The attributes of a span, or its events: what was sent and what came back, under flat keys. */
  private visitSpan(at: Stretch, node: JsonNode, context: RecordContext): boolean {
    const events = node.kind === "object" ? node.members?.find(({ key }) => key === "events")?.node : node;
    const told = events && nestedEvents(at, events);
    if (told)
      return this.addNested(
        told,
        this.contextOfSpan(at, node, contextWithin(context, plainMembers(at, node))),
      );
    if (!holdsSpan(at, node)) return false;
    if (isOuterSpan(at, node)) return true;
    const nested = nestedSpan(at, node);
    return nested !== undefined && this.addNested(nested, context);
  }

  private addNested(nested: Stretch, context: RecordContext): boolean {
    const root = scanJson(nested.bytes, 0, nested.bytes.length, 0, this.search.hints(0));
    const own = { ...context, span: ++this.spans.count };
    const candidates = (root && payloadsOf(this.search, nested, root, own)) ?? [];
    this.found.push(...candidates);
    return candidates.length > 0;
  }

  /** Notes which span this is, and which stands around it. */
  private contextOfSpan(at: Stretch, node: JsonNode, context: RecordContext): RecordContext {
    const ids = spanIds(at, node);
    if (ids?.own === undefined) return context;
    if (ids.parent !== undefined) this.spans.parents.set(ids.own, ids.parent);
    return { ...context, spanId: ids.own };
  }

  /** What was sent stands under one key, what came back under another: as a whole reply, or as the bare message. */
  private visitExchange(at: Stretch, node: JsonNode, outer: RecordContext, depth: number): void {
    const members = node.members ?? [];
    const isTold = members.some(({ key }) => toldKey.test(key));
    const context = { ...outer, span: ++this.spans.count, ...(isTold && { fidelity: "reported" as const }) };
    const before = this.found.length;
    const search = (which: (key: string) => boolean, within: RecordContext): void => {
      for (const { key, node: child } of members)
        if (which(key)) this.visit(at, child, within, depth + 1, node);
    };
    search((key) => inputKey.test(key), context);
    // The traffic itself, which a tool may keep beside what it tells.
    search((key) => rawKey.test(key), { ...context, fidelity: "wire" });
    if (isTold && this.found.length === before) this.found.push(...promptOf(this.search, at, node, context));
    for (const { key, node: child } of members)
      if (outputKey.test(key)) this.visitOutput(at, child, context, depth + 1, node);
    // What else a span keeps says the same once more.
    if (isTold && this.found.slice(before).some(({ part }) => part === "request")) return;
    search(
      (key) => !inputKey.test(key) && !outputKey.test(key) && !rawKey.test(key),
      isTold ? outer : context,
    );
  }

  private visitOutput(
    at: Stretch,
    node: JsonNode,
    context: RecordContext,
    depth: number,
    parent: JsonNode,
  ): void {
    const before = this.found.length;
    this.visit(at, node, context, depth, parent);
    const seen = this.found.splice(before);
    const replies = seen.filter(({ part }) => part !== "request");
    const bare = replies.length > 0 ? undefined : bareReply(this.search, at, node, context);
    if (replies.length > 0) this.found.push(...replies);
    else if (bare) this.found.push(bare);
    else if (!this.found.some(({ part, record }) => part === "request" && record.span === context.span))
      this.found.push(...seen);
  }

  /** Some loggers lay the reply beside the request's own members: `{model, messages, response: {…}}`. */
  private visitReply(at: Stretch, node: JsonNode, context: RecordContext, depth: number): void {
    for (const { key, node: child } of node.members ?? []) {
      if (!/^(?:raw_)?(?:response|reply|completion)(?:_body)?$/.test(key)) continue;
      const before = this.found.length;
      this.visit(at, child, context, depth + 1, node);
      const inside = this.found.splice(before).filter(({ part }) => part !== "request");
      this.found.push(...inside);
      // A reply and its raw form are one reply: the client went on with the first.
      if (inside.length > 0) return;
    }
  }

  private visitArray(at: Stretch, node: JsonNode, context: RecordContext, depth: number): void {
    if (this.visitSpan(at, node, context)) return;
    if (node.run) {
      const bare = bareHistory(this.search, at, node, context);
      // `messages` of a queue or `contents` of an archive are no history, but may hold records.
      const list = bare
        ? undefined
        : scanJson(at.bytes, node.start, node.end, at.level, this.search.hints(at.shift));
      if (bare) this.found.push(bare);
      for (const child of list?.items ?? []) this.visit(at, child, context, depth + 1, node);
      return;
    }
    if (!node.items || node.items.length === 0) return;
    const stream =
      arrayStream(this.search, at, node, context) ?? bareMessages(this.search, at, node, context);
    if (stream) {
      this.found.push(stream);
      return;
    }
    const pieced = textInPieces(at, node);
    if (pieced) this.visitPieced(pieced, context);
    else for (const child of node.items) this.visit(at, child, context, depth + 1, node);
  }

  private visitPieced({ view, bytes }: PiecedText, context: RecordContext): void {
    const text: Stretch = { view, bytes, shift: 0, level: 0 };
    this.found.push(...searchText(this.search, text, 0, bytes.length, context));
  }
}

/** A record that says of itself that it is a part: it is numbered, or is called one. */
function isChunk(at: Stretch, node: JsonNode): boolean {
  return (node.members ?? []).some(
    ({ key, node: child }) =>
      /chunk|part|seq|index|offset|^n$/i.test(key) ||
      (child.kind === "string" &&
        child.end - child.start < 64 &&
        /^\W*(?:\w*[._-])?(?:chunk|delta|stream|sse|data|part)/i.test(
          String(readValue(at.bytes, child, at.level)),
        )),
  );
}

/** A key may say whether what stands under it was told or sent. */
function contextOfMember(key: string, context: RecordContext): RecordContext {
  if (transcriptKey.test(key)) return { ...context, fidelity: "reported" };
  return context.fidelity === "reported" && bodyKey.test(key) ? { ...context, fidelity: "wire" } : context;
}

/** Members that can tell about the exchange: scalars and headers. */
function* plainMembers(at: Stretch, node: JsonNode): Iterable<[string, unknown]> {
  yield* scalars(at, node);
  for (const { key, node: child } of node.members ?? []) {
    if (
      /headers?$/i.test(key) &&
      (child.kind === "object" || child.kind === "array") &&
      child.end - child.start < 65_536
    ) {
      yield [key, readValue(at.bytes, child, at.level)];
    }
  }
}
