import { plainText } from "../reading/escapes.ts";
import type { Frame } from "../reading/payload.ts";
import { originOf, plainSpan, type Span } from "../reading/place.ts";
import { type JsonNode, pointerToken, readValue, type ScanHints, scanJson } from "../reading/scan.ts";
import type { RunPool } from "../reading/shared.ts";
import { unescapedView } from "../reading/unescaped.ts";
import { packedView } from "../reading/view.ts";
import type { Recognizer, RecordContext, Sighting } from "./container.ts";
import { type Context, contextWithin } from "./envelope.ts";
import { looksLikeEvents, ndjsonFrames, recognizeFrames, sseFrames } from "./frames.ts";
import { packedWay, repackedText, unpackedText } from "./packed.ts";
import { peekAt, peekValue } from "./peek.ts";
import { jsonPlace, type Stretch, spanOf, streamPlace } from "./stretch.ts";

export interface PayloadSearch {
  /** Looks for payloads in a value that was scanned; everything found belongs to `record`'s record. */
  searchNode(stretch: Stretch, node: JsonNode, outer: Context, index: number): Sighting[];
  /** Looks for payloads in a text that is not quoted: an HTTP body, a whole file. */
  searchText(stretch: Stretch, start: number, end: number, outer: Context, index: number): Sighting[];
  hints(shift: number): ScanHints;
}

/** How deep payloads are looked for: records nest, and bodies are strings inside strings. */
const maxDepth = 24;
const maxLevel = 3;

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
      if (!node.members || node.members.length === 0) return;
      const sighting = payloadOf(at, node, context, index, parent);
      if (sighting) {
        found.push(sighting);
        if (sighting.part === "request") visitReply(at, node, context, depth);
        return;
      }
      const within = contextWithin(context, plainMembers(at, node));
      for (const { node: child } of node.members) visit(at, child, within, depth + 1, node);
    }

    /** Some loggers lay the reply beside the request's own members: `{model, messages, response: {…}}`. */
    function visitReply(at: Stretch, node: JsonNode, context: Context, depth: number): void {
      for (const { key, node: child } of node.members ?? []) {
        if (!/^(?:raw_)?(?:response|reply|completion)(?:_body)?$/.test(key)) continue;
        const before = found.length;
        visit(at, child, context, depth + 1, node);
        const inside = found.splice(before);
        found.push(...inside.filter(({ part }) => part !== "request"));
      }
    }

    function visitArray(at: Stretch, node: JsonNode, context: Context, depth: number): void {
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

  const payloadOf = (
    at: Stretch,
    node: JsonNode,
    context: Context,
    index: number,
    parent?: JsonNode,
  ): Sighting | undefined => {
    const recognition = recognizer.recognize(peekAt(at, node), context.url);
    if (!recognition || recognition.certainty < 0.3) return undefined;
    if (recognition.certainty < 0.5 && recognition.part === "reply" && isLogRecord(node)) return undefined;
    const span = spanOf(at, node);
    const base = {
      protocol: recognition.protocol,
      certainty: recognition.certainty,
      record: recordOf(context, index),
      start: originOf(span).start,
      isCut: node.state === "open",
    };
    if (recognition.part === "request") {
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
      return {
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
      };
    }
    const place = jsonPlace(span);
    const value = readValue(at.bytes, node, at.level);
    if (recognition.part === "reply") return { ...base, part: "reply", place, value };
    const data = plainText(at.bytes, node.start, node.end, at.level);
    return { ...base, part: "event", place, frame: { value, data, extent: { start: 0, end: data.length } } };
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
    const first = recognizer.recognize(peekAt(at, items[0]), context.url);
    if (!first || first.certainty < 0.5 || first.part === "request") return undefined;
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
    const isItem = keys.has("role") || (keys.has("type") && (keys.has("call_id") || keys.has("content")));
    if (!isItem) return undefined;
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
    const requests = [...recognizer.historyKeys].flatMap((key) => {
      const recognition = recognizer.recognize(peekValue({ [key]: values }), context.url);
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
    if (looksLikeEvents(head)) {
      const stream = sseSighting({ ...at, level: at.level + 1 }, start, end, context, index, isCut);
      return stream ? [stream] : [];
    }
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
    if (looksLikeEvents(head)) {
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
    return streamSighting(at, start, end, sseFrames(text), "sse", context, index, isCut);
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

  return { searchNode, searchText, hints };
}

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
