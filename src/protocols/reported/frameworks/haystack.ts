import type { Item, Role } from "../../../conversation/item.ts";
import { level } from "../../../traffic/certainty.ts";
import { speakerOf } from "../../../traffic/roles.ts";
import { type Fields, fields, isFields, list, string } from "../../wire.ts";
import { finishOf } from "../finish.ts";
import { decodeCall, reasoning, result, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/**
 * Messages as `to_dict()` stores them, and as Python prints them: then each part is an object of its class,
 * whose name is lost, and the members of a message begin with an underscore.
 * @see https://docs.haystack.deepset.ai/docs/chatmessage
 */
export const haystack: Framework = {
  listed: { row: "frameworks", name: "Haystack" },
  messageKeys: [["_role"]],
  decode(message) {
    const [key, content] = contentOf(message);
    const role = roleOf(message);
    const isOwn = content.some((part) =>
      isFields(fields(part)["tool_call"] ?? fields(part)["tool_call_result"]),
    );
    if (role === undefined || (!isOwn && message["_role"] === undefined)) return undefined;
    return { role, items: content.flatMap((part, index) => itemsOf(fields(part), role, `/${key}/${index}`)) };
  },
  /** What a generator returns. */
  reply: {
    recognize: (peek) =>
      peek.kind("replies") === "array" && isGenerated(fields(list(peek.value("replies"))[0]))
        ? level.fairlyStrong
        : undefined,
    decode(body, messages) {
      const first = list(body["replies"])[0];
      if (!isGenerated(fields(first))) return undefined;
      const base = "/replies/0";
      const key = "_meta" in fields(first) ? "_meta" : "meta";
      const finish = finishOf(fields(fields(first)[key])["finish_reason"], `${base}/${key}/finish_reason`);
      return { items: messages.items(first, base), finish };
    },
  },
};

function contentOf(message: Fields): readonly [key: string, content: readonly unknown[]] {
  const { content } = message;
  return Array.isArray(content) ? ["content", content] : ["_content", list(message["_content"])];
}

function roleOf(message: Fields): Role | undefined {
  return speakerOf(string(message["role"]) ?? string(message["_role"]));
}

function isGenerated(message: Fields): boolean {
  return roleOf(message) === "assistant" && contentOf(message)[1].length > 0;
}

function itemsOf(part: Fields, role: Role, pointer: string): Item[] {
  const { text, reasoning_text: thought, tool_call: call, tool_call_result: outcome } = part;
  if (isFields(call)) return [decodeCall(call, `${pointer}/tool_call`)];
  if (isFields(outcome)) return [resultOf(outcome, `${pointer}/tool_call_result`)];
  if (typeof part["tool_name"] === "string") return [decodeCall(part, pointer)];
  if (isFields(part["origin"])) return [resultOf(part, pointer)];
  if (typeof thought === "string") return [reasoning(thought, role, pointer)];
  return said(text, role, pointer);
}

function resultOf(outcome: Fields, pointer: string): Item {
  const { id: callId, tool_name: name } = fields(outcome["origin"]);
  return result({ callId, name, output: outcome["result"], isError: outcome["error"] === true }, pointer);
}
