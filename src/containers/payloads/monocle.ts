import type { JsonNode, Member } from "../../reading/json-node.ts";
import { readValue } from "../../reading/json-values.ts";
import { monocleKey } from "../../traffic/vocabulary.ts";
import type { Slice } from "./slice.ts";
import { createWriter, type JsonBuilder, stringsOf, unescapedSlice } from "./spans.ts";

/**
 * Spans of Monocle, which hold what a model was asked and what it answered as two events: `data.input` with a
 * list of texts, each JSON of one message, and `data.output` with one such text.
 * @see https://github.com/monocle2ai/monocle
 */
export function nestedMessages(at: Slice, span: JsonNode, events: JsonNode): Slice | undefined {
  if (!isInference(at, span)) return undefined;
  const plain = unescapedSlice(at, events);
  const inputs = plain && attributeOf(plain.slice, plain.node, "data.input", /^input$/);
  const texts = inputs && stringsOf(plain.slice, inputs);
  if (!texts || texts.length === 0) return undefined;
  const { slice, node } = plain;
  const writer = createWriter(slice);
  writer.mark('{"gen_ai.prompt":[', node.start);
  for (const [index, text] of texts.entries()) {
    if (index > 0) writer.glue(",");
    writeMessage(writer, { ...text, kind: "string" });
  }
  const said = attributeOf(slice, node, "data.output", /^(?:response|output)$/);
  // Of some replies with calls only the role is kept, and nothing of the calls.
  if (said?.kind === "string" && !/^\{\s*"\w+"\s*:\s*null\s*\}$/.test(textOf(slice, said))) {
    writer.glue('],"gen_ai.completion":[');
    writeMessage(writer, said);
  }
  writer.mark("]}", node.end - 1);
  return writer.finish();
}

/** In a wrapper, since some of its messages look like damaged ones of an API. */
function writeMessage(writer: JsonBuilder, text: JsonNode): void {
  writer.glue(`{"${monocleKey}":`);
  writer.value(text, "json");
  writer.glue("}");
}

/** Spans of an agent, a turn or a tool repeat what the spans of the model's calls hold. */
function isInference(at: Slice, span: JsonNode): boolean {
  const type = memberOf(memberOf(span, "attributes"), "span.type");
  return type?.kind === "string" && /^inference(?:\.|$)/.test(textOf(at, type));
}

/** An attribute of the event with a name. */
function attributeOf(at: Slice, events: JsonNode, name: string, key: RegExp): JsonNode | undefined {
  const event = events.items?.find((item) => {
    const own = memberOf(item, "name");
    return own?.kind === "string" && textOf(at, own) === name;
  });
  return membersOf(memberOf(event, "attributes")).find((member) => key.test(member.key))?.node;
}

function memberOf(node: JsonNode | undefined, key: string): JsonNode | undefined {
  return membersOf(node).find((member) => member.key === key)?.node;
}

function membersOf(node: JsonNode | undefined): readonly Member[] {
  return node?.members ?? [];
}

function textOf(at: Slice, node: JsonNode): string {
  return String(readValue(at.bytes, node, at.level));
}
