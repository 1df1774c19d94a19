import { type JsonNode, readValue } from "../../reading/scan.ts";
import type { Slice } from "./slice.ts";
import { createWriter } from "./spans.ts";

/**
 * A sample of Inspect. Its messages are the result of a run; its events say what was sent. Newer logs keep
 * each message once, in a pool of the sample. A model event names the ranges of the pool that were sent,
 * `input_refs: [[0, 4], [7, 8]]`. Its raw request does the same with `call_refs`, and `call_key` names the
 * history.
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
  const calls: ModelCall[] = [];
  let restored = 0;
  for (const event of events) {
    const kind = memberOf(event, "event");
    if (kind?.kind !== "string" || readValue(at.bytes, kind, at.level) !== "model") continue;
    const whole = pools && restoredEvent(at, event, pools);
    restored += whole?.bytes.length ?? 0;
    if (restored > mostRestored) return [];
    calls.push(whole ?? event);
  }
  return calls;
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
function restoredEvent(at: Slice, event: JsonNode, pools: Pools): Slice | undefined {
  const input = referred(at, event, "input_refs", pools.messages);
  const call = memberOf(event, "call");
  const sent = call && referred(at, call, "call_refs", pools.calls);
  if (!input && !sent) return undefined;
  const writer = createWriter(at);
  writeObject(event, (key, node) => {
    if (key === "input" && input) return writeList(input);
    if (key === "call" && sent && call) return writeCall(call, sent);
    return writer.value(node, "text");
  });
  return writer.finish();

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
    for (const [place, { start, end }] of extents.entries()) {
      if (place > 0) writer.glue(",");
      writer.copy(start, end);
    }
    writer.glue("]");
  }

  function writeCall(node: JsonNode, extents: readonly Extent[]): void {
    const key = memberOf(node, "call_key");
    const name = key?.kind === "string" ? String(readValue(at.bytes, key, at.level)) : "messages";
    writeObject(node, (member, value) => {
      if (member !== "request" || value.kind !== "object") return writer.value(value, "text");
      writer.glue(`{${JSON.stringify(name)}:`);
      writeList(extents);
      for (const { key: own, node: rest } of value.members ?? []) {
        writer.glue(`,${JSON.stringify(own)}:`);
        writer.value(rest, "text");
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
