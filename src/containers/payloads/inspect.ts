import { type JsonNode, readValue } from "../../reading/scan.ts";
import type { Stretch } from "./slice.ts";
import { createWriter } from "./spans.ts";

/**
 * Newer logs of Inspect keep each message once, in a pool of the sample: an event of a call names the stretches of the pool that were sent,
 * `input_refs: [[0, 4], [7, 8]]`, and so does the request that went over the wire, `call_refs`, with the name of its history, `call_key`.
 * @see https://inspect.aisi.org.uk/eval-logs.html
 */
export interface Pools {
  readonly messages: readonly Extent[];
  readonly calls: readonly Extent[];
}

interface Extent {
  readonly start: number;
  readonly end: number;
}

/** So much text may come of the events of one run: each repeats what was sent before it. */
export const mostRestored = 64 << 20;

/** The pools of a sample; `undefined` where it has none. */
export function poolsOf(at: Stretch, sample: JsonNode): Pools | undefined {
  const member = (holder: JsonNode | undefined, key: string): JsonNode | undefined =>
    holder?.members?.find((candidate) => candidate.key === key)?.node;
  const data = member(sample, "events_data");
  const messages = elementsOf(at, member(data, "messages") ?? member(sample, "message_pool"));
  const calls = elementsOf(at, member(data, "calls") ?? member(sample, "call_pool"));
  return at.level === 0 && messages.length + calls.length > 0 ? { messages, calls } : undefined;
}

function elementsOf(at: Stretch, list: JsonNode | undefined): readonly Extent[] {
  const { run, items = [] } = list ?? {};
  if (!run) return items;
  return Array.from({ length: run.length }, (_, index) => ({
    start: run.start(index) - at.shift,
    end: run.end(index) - at.shift,
  }));
}

/** An event with what was sent, in a view that knows where each byte came from; `undefined` where it names nothing of the pools. */
export function restoredEvent(at: Stretch, event: JsonNode, pools: Pools): Stretch | undefined {
  const input = referred(at, event, "input_refs", pools.messages);
  const call = event.members?.find(({ key }) => key === "call")?.node;
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
    const key = node.members?.find((member) => member.key === "call_key")?.node;
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

/** The elements of a pool that a member names, in their order. */
function referred(
  at: Stretch,
  holder: JsonNode,
  key: string,
  pool: readonly Extent[],
): readonly Extent[] | undefined {
  const node = holder.members?.find((member) => member.key === key)?.node;
  const ranges = node?.kind === "array" ? readValue(at.bytes, node, at.level) : undefined;
  if (!Array.isArray(ranges)) return undefined;
  return ranges.flatMap((range) =>
    Array.isArray(range) ? pool.slice(Number(range[0]), Number(range[1])) : [],
  );
}
