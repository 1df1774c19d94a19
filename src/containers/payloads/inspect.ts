import type { JsonNode } from "../../reading/json-node.ts";
import { readValue } from "../../reading/json-values.ts";
import type { Slice } from "./slice.ts";
import { createWriter } from "./spans.ts";

/**
 * A sample of Inspect. Its messages are the result of a run; its events say what was sent. Newer logs keep
 * each message once, in a pool of the sample. A model event names the ranges of the pool that were sent,
 * `input_refs: [[0, 4], [7, 8]]`. Its raw request does the same with `call_refs`, and `call_key` names the
 * history. Long texts, also arguments of calls, are attachments of the sample: `"attachment://<hash>"`.
 * @see https://inspect.aisi.org.uk/eval-logs.html
 */

interface Pools {
  readonly messages: readonly Extent[];
  readonly calls: readonly Extent[];
}

interface Extent {
  readonly start: number;
  readonly end: number;
}

/** The largest text, in bytes, that the events of one run may be expanded to: each repeats the one before. */
const mostRestored = 64 << 20;

/** A model call: the event itself, or a text of its own with the referenced messages filled in. */
export type ModelCall = JsonNode | Slice;

/** The model calls of a sample; none if this is not a sample, or if the expanded calls are too large. */
export function modelCalls(at: Slice, sample: JsonNode): readonly ModelCall[] {
  if (!memberOf(sample, "messages")) return [];
  const transcript = memberOf(sample, "transcript");
  const events = memberOf(transcript?.members ? transcript : sample, "events")?.items ?? [];
  const pools = poolsOf(at, sample);
  const texts = attachmentsOf(at, sample);
  const calls: ModelCall[] = [];
  const plain: ModelCall[] = [];
  let restored = 0;
  for (const event of events) {
    const kind = memberOf(event, "event");
    if (kind?.kind !== "string" || readValue(at.bytes, kind, at.level) !== "model") continue;
    const whole = restoredEvent(at, event, pools, texts);
    restored += whole?.bytes.length ?? 0;
    if (restored > mostRestored && pools) return [];
    calls.push(whole ?? event);
    plain.push(event);
  }
  return restored > mostRestored ? plain : calls;
}

/** The texts of a sample that its events name, by their hashes. */
function attachmentsOf(at: Slice, sample: JsonNode): Attachments {
  const members = at.level === 0 ? (memberOf(sample, "attachments")?.members ?? []) : [];
  return new Map(
    members.flatMap(({ key, node }) =>
      node.kind === "string" && node.state === "complete" ? [[key, node] as const] : [],
    ),
  );
}

type Attachments = ReadonlyMap<string, Extent>;

/** A text that stands elsewhere; within the string of another text it is quoted. */
const reference = /(?<!\\)"attachment:\/\/([0-9a-f]{32})"/g;

/** The ranges of the log that a range stands for, with attachments in place of their names. */
function* resolved(at: Slice, { start, end }: Extent, texts: Attachments): Generator<Extent> {
  let from = start;
  if (texts.size > 0)
    for (const found of at.bytes.toString("latin1", start, end).matchAll(reference)) {
      const text = texts.get(found[1] as string);
      if (!text) continue;
      const place = start + found.index;
      yield { start: from, end: place };
      yield text;
      from = place + found[0].length;
    }
  yield { start: from, end };
}

function memberOf(holder: JsonNode | undefined, key: string): JsonNode | undefined {
  return holder?.members?.find((member) => member.key === key)?.node;
}

/** The pools of a sample; `undefined` where it has none. */
function poolsOf(at: Slice, sample: JsonNode): Pools | undefined {
  const data = memberOf(sample, "events_data");
  const messages = elementsOf(at, memberOf(data, "messages") ?? memberOf(sample, "message_pool"));
  const calls = elementsOf(at, memberOf(data, "calls") ?? memberOf(sample, "call_pool"));
  return at.level === 0 && messages.length + calls.length > 0 ? { messages, calls } : undefined;
}

function elementsOf(at: Slice, list: JsonNode | undefined): readonly Extent[] {
  const { run, items = [] } = list ?? {};
  if (!run) return items;
  return Array.from({ length: run.length }, (_, index) => ({
    start: run.start(index) - at.shift,
    end: run.end(index) - at.shift,
  }));
}

/** The event with its references filled in, in a view that maps bytes to the log; `undefined` without any. */
function restoredEvent(
  at: Slice,
  event: JsonNode,
  pools: Pools | undefined,
  texts: Attachments,
): Slice | undefined {
  const input = pools && referred(at, event, "input_refs", pools.messages);
  const call = memberOf(event, "call");
  const sent = pools && call && referred(at, call, "call_refs", pools.calls);
  if (!input && !sent && [...resolved(at, event, texts)].length === 1) return undefined;
  const writer = createWriter(at);
  writeObject(event, (key, node) => {
    if (key === "input" && input) return writeList(input);
    if (key === "call" && sent && call) return writeCall(call, sent);
    return write(node);
  });
  return writer.finish();

  function write(extent: Extent): void {
    for (const { start, end } of resolved(at, extent, texts)) writer.copy(start, end);
  }

  function writeObject(object: JsonNode, write: (key: string, node: JsonNode) => void): void {
    writer.mark("{", object.start);
    for (const [place, { key, node }] of (object.members ?? []).entries()) {
      writer.glue(`${place > 0 ? "," : ""}${JSON.stringify(key)}:`);
      write(key, node);
    }
    writer.mark("}", object.end - 1);
  }

  function writeList(extents: readonly Extent[]): void {
    writer.glue("[");
    for (const [place, extent] of extents.entries()) {
      if (place > 0) writer.glue(",");
      write(extent);
    }
    writer.glue("]");
  }

  function writeCall(node: JsonNode, extents: readonly Extent[]): void {
    const key = memberOf(node, "call_key");
    const name = key?.kind === "string" ? String(readValue(at.bytes, key, at.level)) : "messages";
    writeObject(node, (member, value) => {
      if (member !== "request" || value.kind !== "object") return write(value);
      writer.glue(`{${JSON.stringify(name)}:`);
      writeList(extents);
      for (const { key: own, node: rest } of value.members ?? []) {
        writer.glue(`,${JSON.stringify(own)}:`);
        write(rest);
      }
      writer.glue("}");
    });
  }
}

/** The elements of a pool that a member refers to, in order. */
function referred(
  at: Slice,
  holder: JsonNode,
  key: string,
  pool: readonly Extent[],
): readonly Extent[] | undefined {
  const node = memberOf(holder, key);
  const ranges = node?.kind === "array" ? readValue(at.bytes, node, at.level) : undefined;
  if (!Array.isArray(ranges)) return undefined;
  return ranges.flatMap((range) =>
    Array.isArray(range) ? pool.slice(Number(range[0]), Number(range[1])) : [],
  );
}
