import { plainText } from "../reading/escapes.ts";
import type { Frame } from "../reading/payload.ts";
import { originOf, plainSpan, type Span } from "../reading/place.ts";
import { pointerToken } from "../reading/pointer.ts";
import { type JsonNode, nodeAt, readValue, type ScanHints, scanJson } from "../reading/scan.ts";
import type { RunPool } from "../reading/shared.ts";
import { unescapedView } from "../reading/unescaped.ts";
import { packedView } from "../reading/view.ts";
import type { Recognizer, RecordContext, Sighting } from "./container.ts";
import { type Context, contextWithin } from "./envelope.ts";
import {
  codedFrames,
  looksCoded,
  looksLikeEvents,
  ndjsonFrames,
  recognizeFrames,
  sseFrames,
} from "./frames.ts";
import { packedWay, repackedText, unpackedText } from "./packed.ts";
import { peekAt, peekValue } from "./peek.ts";
import {
  asksNoModel,
  inputKey,
  isObservation,
  isToldBy,
  outputKey,
  rawKey,
  saidBy,
  spanIds,
  standsForExchange,
  textIn,
  transcriptKey,
} from "./retold.ts";
import { holdsSpan, isOuterSpan, nestedEvents, nestedSpan } from "./spans.ts";
import { jsonPlace, type Stretch, spanOf, streamPlace } from "./stretch.ts";

export interface PayloadSearch {
  /** Looks for payloads in a value that was scanned; everything found belongs to `record`'s record. */
  searchNode(stretch: Stretch, node: JsonNode, outer: Context, index: number): Sighting[];
  /** Looks for payloads in a text that is not quoted: an HTTP body, a whole file. */
  searchText(stretch: Stretch, start: number, end: number, outer: Context, index: number): Sighting[];
  hints(shift: number): ScanHints;
  /** The spans that were come upon, each with the one around it; complete when all has been searched. */
  readonly parents: ReadonlyMap<string, string>;
}

/** How deep payloads are looked for: records nest, and bodies are strings inside strings. */
const maxDepth = 24;
const maxLevel = 3;
/** So far into a text words may stand before JSON. */
const maxWords = 300;

const OPEN_ARRAY = 91;
const OPEN_OBJECT = 123;

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

  const parents = new Map<string, string>();
  /** Counts the spans that were come upon: a request and its reply stand in one. */
  let spans = 0;

  const searchNode = (stretch: Stretch, root: JsonNode, outer: Context, index: number): Sighting[] => {
    const found: Sighting[] = [];
    visit(stretch, root, outer, 0, undefined);
    return found;

    function visit(
      at: Stretch,
      node: JsonNode,
      context: Context,
      depth: number,
      parent: JsonNode | undefined,
    ): void {
      if (depth > maxDepth) return;
      if (node.kind === "object") visitObject(at, node, context, depth, parent);
      else if (node.kind === "array") visitArray(at, node, context, depth);
      else if (node.kind === "string") found.push(...searchString(at, node, context, index));
    }

    function visitObject(
      at: Stretch,
      node: JsonNode,
      context: Context,
      depth: number,
      parent: JsonNode | undefined,
    ): void {
      if (!node.members || node.members.length === 0 || visitSpan(at, node, context)) return;
      const isTold = isObservation(node);
      if (isTold && asksNoModel(at, node)) return;
      if (visitRun(at, node, context, depth)) return;
      const sightings = isTold ? [] : payloadsOf(at, node, context, index, parent);
      if (sightings.length > 0) {
        found.push(...sightings);
        if (sightings[0]?.part === "request" && sightings.length === 1) visitReply(at, node, context, depth);
        return;
      }
      const within = contextOfSpan(at, node, contextWithin(context, plainMembers(at, node)));
      if (isTold || standsForExchange(node)) visitExchange(at, node, within, depth);
      else
        for (const { key, node: child } of node.members)
          visit(at, child, transcriptKey.test(key) ? { ...within, isRetold: true } : within, depth + 1, node);
    }

    /** The record of a whole run: what was sent is in its events, and its messages are what became of it. */
    function visitRun(at: Stretch, node: JsonNode, context: Context, depth: number): boolean {
      const members = node.members ?? [];
      if (!members.some(({ key }) => key === "messages")) return false;
      const holder = members.find(({ key }) => key === "transcript")?.node.members ?? members;
      const events = (holder.find(({ key }) => key === "events")?.node.items ?? []).filter((event) => {
        const kind = event.members?.find(({ key }) => key === "event")?.node;
        return kind?.kind === "string" && readValue(at.bytes, kind, at.level) === "model";
      });
      const before = found.length;
      for (const event of events) visit(at, event, context, depth + 1, node);
      return found.length > before;
    }

    /** The attributes of a span, or its events: what was sent and what came back, under flat keys. */
    function visitSpan(at: Stretch, node: JsonNode, context: Context): boolean {
      const events = node.kind === "object" ? node.members?.find(({ key }) => key === "events")?.node : node;
      const told = events && nestedEvents(at, events);
      if (told)
        return addNested(told, contextOfSpan(at, node, contextWithin(context, plainMembers(at, node))));
      if (!holdsSpan(at, node)) return false;
      if (isOuterSpan(at, node)) return true;
      const nested = nestedSpan(at, node);
      return nested !== undefined && addNested(nested, context);
    }

    function addNested(nested: Stretch, context: Context): boolean {
      const root = scanJson(nested.bytes, 0, nested.bytes.length, 0, hints(0));
      const own = { ...context, span: ++spans };
      const sightings = root ? payloadsOf(nested, root, own, index) : [];
      found.push(...sightings);
      return sightings.length > 0;
    }

    /** Notes which span this is, and which stands around it. */
    function contextOfSpan(at: Stretch, node: JsonNode, context: Context): Context {
      const ids = spanIds(at, node);
      if (ids?.own === undefined) return context;
      if (ids.parent !== undefined) parents.set(ids.own, ids.parent);
      return { ...context, spanId: ids.own };
    }

    /** What was sent stands under one key, what came back under another: as a whole reply, or as the bare message. */
    function visitExchange(at: Stretch, node: JsonNode, outer: Context, depth: number): void {
      const members = node.members ?? [];
      const isTold = members.some(({ key }) => /^(in|out)puts?$/.test(key));
      const context = { ...outer, span: ++spans, ...(isTold && { isRetold: true }) };
      const before = found.length;
      const search = (which: (key: string) => boolean, within: Context): void => {
        for (const { key, node: child } of members) if (which(key)) visit(at, child, within, depth + 1, node);
      };
      search((key) => inputKey.test(key), context);
      // The traffic itself, which a tool may keep beside what it tells.
      search((key) => rawKey.test(key), { ...context, isRetold: false });
      if (isTold && found.length === before) found.push(...promptOf(at, node, context, index));
      for (const { key, node: child } of members)
        if (outputKey.test(key)) visitOutput(at, child, context, depth + 1, node);
      // What else a span keeps says the same once more.
      if (isTold && found.slice(before).some(({ part }) => part === "request")) return;
      search(
        (key) => !inputKey.test(key) && !outputKey.test(key) && !rawKey.test(key),
        isTold ? outer : context,
      );
    }

    function visitOutput(
      at: Stretch,
      node: JsonNode,
      context: Context,
      depth: number,
      parent: JsonNode,
    ): void {
      const before = found.length;
      visit(at, node, context, depth, parent);
      const seen = found.splice(before);
      const replies = seen.filter(({ part }) => part !== "request");
      const bare = replies.length > 0 ? undefined : bareReply(at, node, context, index);
      if (replies.length > 0) found.push(...replies);
      else if (bare) found.push(bare);
      else if (!found.some(({ part, record }) => part === "request" && record.span === context.span))
        found.push(...seen);
    }

    /** Some loggers lay the reply beside the request's own members: `{model, messages, response: {…}}`. */
    function visitReply(at: Stretch, node: JsonNode, context: Context, depth: number): void {
      for (const { key, node: child } of node.members ?? []) {
        if (!/^(?:raw_)?(?:response|reply|completion)(?:_body)?$/.test(key)) continue;
        const before = found.length;
        visit(at, child, context, depth + 1, node);
        const inside = found.splice(before).filter(({ part }) => part !== "request");
        found.push(...inside);
        // A reply and its raw form are one reply: the client went on with the first.
        if (inside.length > 0) return;
      }
    }

    function visitArray(at: Stretch, node: JsonNode, context: Context, depth: number): void {
      if (visitSpan(at, node, context)) return;
      if (node.run) {
        const bare = bareHistory(at, node, context, index);
        // `messages` of a queue or `contents` of an archive are no history, but may hold records.
        const list = bare ? undefined : scanJson(at.bytes, node.start, node.end, at.level, hints(at.shift));
        if (bare) found.push(bare);
        for (const child of list?.items ?? []) visit(at, child, context, depth + 1, node);
        return;
      }
      if (!node.items || node.items.length === 0) return;
      const stream = arrayStream(at, node, context, index) ?? bareMessages(at, node, context, index);
      if (stream) {
        found.push(stream);
        return;
      }
      for (const child of node.items) visit(at, child, context, depth + 1, node);
    }
  };

  const recordOf = (context: Context, index: number): RecordContext => ({ ...context, index });

  /** The payload that an object is; both, where it is a request and its reply. */
  const payloadsOf = (
    at: Stretch,
    node: JsonNode,
    context: Context,
    index: number,
    parent?: JsonNode,
  ): Sighting[] => {
    const recognition = recognizer.recognize(peekAt(at, node), context.url, context.isRetold);
    if (!recognition || recognition.certainty < 0.3) return [];
    if (recognition.certainty < 0.5 && recognition.part === "reply" && isLogRecord(node)) return [];
    const span = spanOf(at, node);
    const base = {
      protocol: recognition.protocol,
      certainty: recognition.certainty,
      record: recordOf(context, index),
      start: originOf(span).start,
      isCut: node.state === "open",
      ...((recognition.isRetold || isToldBy(context, node)) && { isRetold: true }),
    };
    const sightings: Sighting[] = [];
    if (recognition.part === "request" || recognition.part === "exchange") {
      const history = node.members?.find(
        (member) => member.node.run && recognizer.historyKeys.has(member.key),
      );
      const envelope = parent && isEnvelope(parent, node) ? parent : undefined;
      const outer = envelope ? spanOf(at, envelope) : span;
      const place = jsonPlace(outer);
      const members = node.members ?? [];
      const fields = Object.fromEntries(
        members
          .filter((member) => !member.node.run)
          .map((member) => [member.key, readValue(at.bytes, member.node, at.level)]),
      );
      const around = envelope ? Object.fromEntries(scalars(at, envelope)) : {};
      const url = context.url;
      sightings.push({
        ...base,
        part: "request",
        place,
        body: {
          fields: { ...around, ...fields },
          run: history?.node.run,
          envelope: around,
          base: envelope ? "/request" : "",
          ...(history && {
            historyPointer: `${envelope ? "/request" : ""}/${pointerToken(history.key)}`,
          }),
          place,
          url,
          headers: context.headers,
        },
      });
      if (recognition.part === "request") return sightings;
    }
    const place = jsonPlace(span);
    const value = readValue(at.bytes, node, at.level);
    if (recognition.part !== "event") return [...sightings, { ...base, part: "reply", place, value }];
    const data = plainText(at.bytes, node.start, node.end, at.level);
    return [
      { ...base, part: "event", place, frame: { value, data, extent: { start: 0, end: data.length } } },
    ];
  };

  /** The plain text with which a model was asked, in the record of a tool that says that it was a model. */
  const promptOf = (at: Stretch, node: JsonNode, context: Context, index: number): Sighting[] => {
    const member = (name: RegExp): JsonNode | undefined =>
      node.members?.find(({ key }) => name.test(key))?.node;
    const kind = member(/^(type|run_type|observation_type)$/);
    const input = member(/^inputs?$/);
    if (kind?.kind !== "string" || !input) return [];
    if (!/^(generation|llm|chat_model)$/i.test(String(readValue(at.bytes, kind, at.level)))) return [];
    const text = textIn(readValue(at.bytes, input, at.level));
    const fields = text === undefined ? {} : { prompt: text };
    const recognition = recognizer.recognize(peekValue(fields), context.url, true);
    if (recognition?.part !== "request" || recognition.certainty < 0.3) return [];
    const span = spanOf(at, input);
    const place = jsonPlace(span);
    const { url, headers } = context;
    return [
      {
        protocol: recognition.protocol,
        certainty: recognition.certainty,
        record: recordOf(context, index),
        start: originOf(span).start,
        isCut: node.state === "open",
        isRetold: true,
        part: "request",
        place,
        body: { fields, run: undefined, envelope: {}, base: "", place, url, headers },
      },
    ];
  };

  /** The message, the list of messages or the text that stands where a reply would. */
  const bareReply = (at: Stretch, node: JsonNode, context: Context, index: number): Sighting | undefined => {
    const said = saidBy(readValue(at.bytes, node, at.level));
    if (!said) return undefined;
    const span = spanOf(at, nodeAt(node, said.pointer));
    // A message of the model is one also where nothing was kept of what it answers.
    const known =
      typeof said.value === "string"
        ? undefined
        : recognizer.recognize(peekValue({ messages: [said.value].flat() }), context.url, true);
    return {
      protocol: known?.protocol ?? "",
      // Else it is a reply by where it stands, and its request's protocol reads it.
      certainty: known?.isRetold && context.isRetold ? 0.6 : 0.4,
      record: recordOf(context, index),
      start: originOf(span).start,
      isCut: node.state === "open",
      isRetold: true,
      part: "reply",
      place: jsonPlace(span),
      value: said.value,
      isBare: true,
    };
  };

  /** An array of which every element is an event: chunks kept as a list, or a stream that is one JSON array. */
  const arrayStream = (
    at: Stretch,
    node: JsonNode,
    context: Context,
    index: number,
  ): Sighting | undefined => {
    const items = node.items ?? [];
    if (items.length === 0 || items[0]?.kind !== "object") return undefined;
    if (!recognizer.recognize(peekAt(at, items[0]), context.url)) return undefined;
    // The first events may say little: what makes the stream comes soon behind them.
    const first = items
      .slice(0, 12)
      .map((item) =>
        item.kind === "object" ? recognizer.recognize(peekAt(at, item), context.url) : undefined,
      )
      .find((found) => found !== undefined && found.certainty >= 0.5);
    if (!first || first.part === "request" || first.part === "exchange") return undefined;
    if (first.part === "reply" && items.length === 1) return undefined;
    if (items.some((item) => item.kind !== "object")) return undefined;
    const span = spanOf(at, node);
    let from = node.start;
    let position = 0;
    const frames = items.map((item): Frame => {
      const data = plainText(at.bytes, item.start, item.end, at.level);
      const start = position + plainText(at.bytes, from, item.start, at.level).length;
      from = item.end;
      position = start + data.length;
      return { value: readValue(at.bytes, item, at.level), data, extent: { start, end: position } };
    });
    // Replies side by side are replies of several exchanges, unless they are pieces of one: then they share their id.
    if (first.part === "reply") {
      const ids = new Set(frames.map((frame) => recognizer.replyId(first.protocol, frame)));
      if (ids.size > 1 || ids.has(undefined)) return undefined;
    }
    return {
      protocol: first.protocol,
      certainty: first.certainty,
      record: recordOf(context, index),
      start: originOf(span).start,
      place: streamPlace(span),
      isCut: node.state === "open",
      part: "stream",
      frames,
      framing: "array",
      ...(first.isRetold && { isRetold: true }),
    };
  };

  /** A history without a request around it, under a history key. */
  const bareHistory = (
    at: Stretch,
    node: JsonNode,
    context: Context,
    index: number,
  ): Sighting | undefined => {
    const run = node.run;
    if (!run || run.length === 0) return undefined;
    return bare(
      at,
      node,
      context,
      index,
      Array.from({ length: run.length }, (_, place) => run.element(place).value),
    );
  };

  const bareMessages = (
    at: Stretch,
    node: JsonNode,
    context: Context,
    index: number,
  ): Sighting | undefined => {
    const head = node.items?.[0];
    if (head?.kind !== "object") return undefined;
    const keys = new Set(head.members?.map((member) => member.key));
    if (!itemKeys.some((wanted) => wanted.every((key) => keys.has(key)))) return undefined;
    return bare(
      at,
      node,
      context,
      index,
      (node.items ?? []).map((item) => readValue(at.bytes, item, at.level)),
    );
  };

  const bare = (
    at: Stretch,
    node: JsonNode,
    context: Context,
    index: number,
    values: unknown[],
  ): Sighting | undefined => {
    // Keys with dots name attributes of spans, and by that alone make a history of what they hold.
    const keys = [...recognizer.historyKeys].filter((key) => !key.includes("."));
    const requests = keys.flatMap((key) => {
      const recognition = recognizer.recognize(peekValue({ [key]: values }), context.url, context.isRetold);
      return recognition?.part === "request" ? [recognition] : [];
    });
    const recognition = requests.sort((a, b) => b.certainty - a.certainty)[0];
    const run = node.run ?? pool.scanRun(at.bytes, node.start, at.bytes.length, at.level, at.shift)?.run;
    if (!recognition || !run) return undefined;
    const span = spanOf(at, node);
    const place = jsonPlace(span);
    return {
      protocol: recognition.protocol,
      certainty: Math.min(recognition.certainty, 0.6),
      record: recordOf(context, index),
      start: originOf(span).start,
      place,
      isCut: node.state === "open",
      ...((recognition.isRetold || context.isRetold) && { isRetold: true }),
      part: "request",
      body: {
        fields: {},
        run,
        envelope: {},
        base: "",
        historyPointer: "",
        place,
        url: context.url,
        headers: context.headers,
        isBare: true,
      },
    };
  };

  const searchString = (at: Stretch, node: JsonNode, context: Context, index: number): Sighting[] => {
    const slashes = 2 ** at.level - 1;
    const start = node.start + slashes + 1;
    const end = node.state === "open" ? node.end : node.end - slashes - 1;
    if (end - start < 12 || at.level >= maxLevel) return [];
    if (node.inner) return searchNode({ ...at, level: at.level + 1 }, node.inner, context, index);
    const isCut = node.state === "open";
    const head = plainText(at.bytes, start, Math.min(end, start + 512), at.level + 1).trimStart();
    if (/^"\s*[[{]/.test(head)) {
      // JSON text that was quoted once more than it is kept.
      const quoted = scanJson(at.bytes, start, end, at.level + 1);
      return quoted?.kind === "string"
        ? searchString({ ...at, level: at.level + 1 }, quoted, context, index)
        : [];
    }
    if (head.startsWith("{") || head.startsWith("[")) {
      const inner: Stretch = { ...at, level: at.level + 1 };
      const scanned = scanJson(at.bytes, start, end, inner.level, hints(at.shift));
      if (scanned && isWholeText(inner, scanned, end)) return searchNode(inner, scanned, context, index);
      const lines = ndjsonSighting(inner, start, end, context, index, isCut);
      if (lines) return [lines];
      return scanned && isCut
        ? searchNode(inner, scanned, context, index)
        : searchEscaped(at, start, end, context, index);
    }
    if (looksLikeEvents(head) || looksCoded(head)) {
      const stream = sseSighting({ ...at, level: at.level + 1 }, start, end, context, index, isCut);
      return stream ? [stream] : [];
    }
    const behind = searchBehindWords(at, start, end, context, index);
    if (behind.length > 0) return behind;
    const packed = unpackedText(plainText(at.bytes, start, end, at.level + 1), head);
    if (packed) {
      const text: Span = { view: at.view, start: at.shift + start, end: at.shift + end, level: at.level + 1 };
      const view = packedView(at.view.source, packed, originOf(text), () => {
        const plain = plainSpan(text);
        return packedWay(plain.view, plain.start, plain.end, packed, (old, own) =>
          repackedText(`${old}`, own),
        );
      });
      return searchText({ view, bytes: packed, shift: 0, level: 0 }, 0, packed.length, context, index);
    }
    return [];
  };

  /** A line of a log that its collector put into a record: JSON up to the end, behind a few words. */
  const searchBehindWords = (
    at: Stretch,
    start: number,
    end: number,
    context: Context,
    index: number,
  ): Sighting[] => {
    const inner: Stretch = { ...at, level: at.level + 1 };
    const words = at.bytes.subarray(start, Math.min(end, start + maxWords));
    for (let from = 0, tries = 0; tries < 3; tries++) {
      const brace = words.indexOf(OPEN_OBJECT, from);
      if (brace < 0) return [];
      from = brace + 1;
      // In a list, or after words: `[{…}]`, `body={…}`, `request: {…}`.
      const begin = words[brace - 1] === OPEN_ARRAY ? brace - 1 : brace;
      const scanned = scanJson(at.bytes, start + begin, end, inner.level, hints(at.shift));
      if (scanned?.state !== "complete" || !isWholeText(inner, scanned, end)) continue;
      return searchNode(inner, scanned, context, index);
    }
    return [];
  };

  /** Quotes written as `\u0022` and the like: levels cannot follow them, so the text is unescaped first. */
  const searchEscaped = (
    at: Stretch,
    start: number,
    end: number,
    context: Context,
    index: number,
  ): Sighting[] => {
    const view = unescapedView(at.view, at.bytes.subarray(start, end), start + at.shift);
    const bytes = view.read(0, view.size);
    if (at.level > 0)
      return searchEscaped({ view, bytes, shift: 0, level: at.level - 1 }, 0, bytes.length, context, index);
    return searchText({ view, bytes, shift: 0, level: 0 }, 0, bytes.length, context, index);
  };

  const searchText = (
    at: Stretch,
    start: number,
    end: number,
    context: Context,
    index: number,
  ): Sighting[] => {
    const head = at.bytes.toString("utf8", start, Math.min(end, start + 4096)).trimStart();
    if (looksLikeEvents(head) || looksCoded(head)) {
      const stream = sseSighting(at, start, end, context, index, false);
      return stream ? [stream] : [];
    }
    if (!head.startsWith("{") && !head.startsWith("[")) return [];
    const node = scanJson(at.bytes, start, end, at.level, hints(at.shift));
    if (node && isWholeText(at, node, end)) return searchNode(at, node, context, index);
    const lines = ndjsonSighting(at, start, end, context, index, false);
    if (lines) return [lines];
    return node ? searchNode(at, node, context, index) : [];
  };

  const sseSighting = (
    at: Stretch,
    start: number,
    end: number,
    context: Context,
    index: number,
    isCut: boolean,
  ): Sighting | undefined => {
    const text = plainText(at.bytes, start, end, at.level);
    const frames = looksCoded(text.slice(0, 4096)) ? codedFrames(text) : sseFrames(text);
    return streamSighting(at, start, end, frames, "sse", context, index, isCut);
  };

  const ndjsonSighting = (
    at: Stretch,
    start: number,
    end: number,
    context: Context,
    index: number,
    isCut: boolean,
  ): Sighting | undefined => {
    const text = plainText(at.bytes, start, end, at.level);
    if (!text.trim().includes("\n")) return undefined;
    return streamSighting(at, start, end, ndjsonFrames(text), "ndjson", context, index, isCut);
  };

  const streamSighting = (
    at: Stretch,
    start: number,
    end: number,
    frames: Frame[],
    framing: "sse" | "ndjson",
    context: Context,
    index: number,
    isCut: boolean,
  ): Sighting | undefined => {
    const recognition = recognizeFrames(recognizer, frames, context.url);
    if (!recognition) return undefined;
    const span: Span = { view: at.view, start: start + at.shift, end: end + at.shift, level: at.level };
    return {
      ...recognition,
      record: recordOf(context, index),
      start: originOf(span).start,
      place: streamPlace(span),
      isCut,
      part: "stream",
      frames,
      framing,
    };
  };

  return { searchNode, searchText, hints, parents };
}

/** What the elements of a history have, one way or the other, when nothing around them says that they are one. */
const itemKeys: readonly (readonly string[])[] = [
  ["role"],
  ["Role"],
  ["_role"],
  ["kwargs"],
  ["from", "value"],
  ["type", "call_id"],
  ["type", "content"],
  ["type", "data"],
  ["kind", "parts"],
  ["source", "message"],
  ["sender", "text"],
  ["author", "content"],
  ["message", "contextItems"],
  ["exchange"],
];

/** A line of somebody's own log about an error is not the error's body. */
function isLogRecord(node: JsonNode): boolean {
  return (
    node.members?.some(({ key }) => /^(?:level|levelname|lvl|severity|logger|msg|pid)$/i.test(key)) ?? false
  );
}

function isWholeText(at: Stretch, node: JsonNode, end: number): boolean {
  return plainText(at.bytes, node.end, Math.min(end, node.end + 64), at.level).trim() === "";
}

/** `{model, project, request: {…}}`: the model stands around the request, so the body is the outer object. */
function isEnvelope(parent: JsonNode, node: JsonNode): boolean {
  const member = parent.members?.find((candidate) => candidate.node === node);
  const has = (owner: JsonNode, key: string): boolean =>
    owner.members?.some((candidate) => candidate.key === key) ?? false;
  return member?.key === "request" && has(parent, "model") && !has(node, "model") && !has(parent, "response");
}

function* scalars(at: Stretch, node: JsonNode): Iterable<[string, unknown]> {
  for (const { key, node: child } of node.members ?? []) {
    if (
      child.kind === "string"
        ? child.end - child.start < 2048
        : child.kind !== "object" && child.kind !== "array"
    ) {
      yield [key, readValue(at.bytes, child, at.level)];
    }
  }
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
