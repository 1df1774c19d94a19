import type { Item, ItemFlaw, Role } from "../../conversation/item.ts";
import type { DecodedElement } from "../protocol.ts";
import {
  asText,
  callArguments,
  contentText,
  defined,
  type Fields,
  fields,
  filled,
  isFields,
  list,
  string,
} from "../wire.ts";
import { decodeBlock } from "./blocks.ts";

/** Newer versions of the API accept a `system` message anywhere in the history. */
const roles = new Map(Object.entries<Role>({ user: "user", assistant: "assistant", system: "system" }));

/** Decodes one message of a history. */
export function decodeMessage(value: unknown): DecodedElement {
  const message = fields(value);
  const wireRole = string(message["role"]) ?? "";
  if (wireRole === "tool" || wireRole === "function") return { role: "tool", items: [chatResult(message)] };
  const role = roles.get(wireRole) ?? "unknown";
  const items = contentItems(message, role);
  const calls = chatCalls(message, role, items);
  if (calls.length === 0) return { role, items };
  // The calls show that the message was not empty; its fault is that they are in the wrong place.
  return { role, items: [...items.filter((item) => item.kind !== "message" || item.text !== ""), ...calls] };
}

/** The items of `content`, which is a string or a list of blocks. */
function contentItems(message: Fields, role: Role): Item[] {
  const content = message["content"];
  if (Array.isArray(content) && content.length > 0) {
    return content.map((block, index) => decodeBlock(block, role, `/content/${index}`));
  }
  if (typeof content === "string" && content !== "") return [decodeBlock(content, role, "/content")];
  // A system message may set the effort from here on instead of saying something.
  if (role === "system" && isFields(message["output_config"])) return [];
  const said = { kind: "message" as const, role, pointer: "/content", hasMedia: false };
  // An object or a number is no content, but says something: only its form is wrong.
  if (typeof fields(content)["type"] === "string") return [decodeBlock(content, role, "/content")];
  if (Object.keys(fields(content)).length > 0 || typeof content === "number" || typeof content === "boolean")
    return [{ ...said, text: asText(content) }];
  const flaw: ItemFlaw = { kind: "empty-message", pointer: content === undefined ? "" : "/content" };
  return [{ ...said, text: "", flaws: [flaw] }];
}

/** `tool_calls` of the chat format, foreign to this API. Calls that `tool_use` blocks repeat are dropped. */
function chatCalls(message: Fields, role: Role, items: readonly Item[]): Item[] {
  if (message["tool_calls"] === undefined) return [];
  const known = new Set(items.map((item) => (item.kind === "call" ? item.id : undefined)));
  return list(message["tool_calls"]).flatMap((value, index): Item[] => {
    const call = fields(value);
    const body = fields(call["function"]);
    const id = filled(call["id"]);
    const pointer = `/tool_calls/${index}`;
    if (id !== undefined && known.has(id)) return [];
    return [
      defined({
        kind: "call" as const,
        role,
        pointer,
        id,
        name: string(body["name"]) ?? "",
        ...callArguments(body["arguments"]),
        isJson: true,
        wireType: "function",
        isHosted: false,
        state: "complete" as const,
        flaws: [{ kind: "other-protocol" as const, pointer, detail: "tool_calls" }],
      }),
    ];
  });
}

/** A message of role `tool`: a result in the chat format. */
function chatResult(message: Fields): Item {
  const { text, hasMedia } = contentText(message["content"], (part) => string(part["text"]));
  return defined({
    kind: "result" as const,
    role: "tool" as const,
    pointer: "",
    callId: filled(message["tool_call_id"]) ?? filled(message["tool_use_id"]),
    name: filled(message["name"]),
    text,
    hasMedia,
    wireType: "function",
    isHosted: false,
    flaws: [{ kind: "other-protocol" as const, pointer: "/role", detail: "role tool" }],
  });
}
