import type { Item, ItemFlaw, Reasoning, Role, ToolCall, ToolResult } from "../../conversation/item.ts";
import type { DecodedElement } from "../protocol.ts";
import {
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

const roles = new Map(
  Object.entries<Role>({
    system: "system",
    user: "user",
    assistant: "assistant",
    tool: "tool",
  }),
);

/** Decodes one message at `base` (`""` in a history). The server accepts roles in any case. */
export function decodeMessage(value: unknown, base = "", fallbackRole: Role = "unknown"): DecodedElement {
  const message = fields(value);
  const word = string(message["role"])?.toLowerCase() ?? "";
  const role = roles.get(word) ?? fallbackRole;
  if (role === "tool") return { role, items: [toolResult(message, base)] };
  const calls = list(message["tool_calls"]).map((call, index) =>
    toolCall(fields(call), role, `${base}/tool_calls/${index}`),
  );
  const thinking = thinkingOf(message, role, base);
  const said = textItem(message, role, base, calls.length > 0 || thinking !== undefined);
  return { role, items: [...(thinking ? [thinking] : []), ...(said ? [said] : []), ...calls] };
}

function thinkingOf(message: Fields, role: Role, base: string): Reasoning | undefined {
  const text = filled(message["thinking"]);
  return text === undefined ? undefined : { kind: "reasoning", role, pointer: `${base}/thinking`, text };
}

/** `hasMore`: the message also has calls or thinking, so its content may be empty. */
function textItem(message: Fields, role: Role, base: string, hasMore: boolean): Item | undefined {
  const { content } = message;
  const { text } = contentText(content, (part) => string(part["text"]));
  const hasMedia = list(message["images"]).length > 0;
  const flaws = contentFlaws(message, base);
  if (text === "" && !hasMedia && !hasMore) {
    const kind = role === "assistant" ? "empty-message" : "empty-text";
    flaws.push({ kind, pointer: content === undefined || role === "assistant" ? base : `${base}/content` });
  }
  if (text === "" && !hasMedia && flaws.length === 0) return undefined;
  return {
    kind: "message",
    role,
    pointer: `${base}/content`,
    text,
    hasMedia,
    ...(flaws.length > 0 && { flaws }),
  };
}

/** `content` must be a string; lists of parts belong to the chat format, blocks to the Messages API. */
function contentFlaws(message: Fields, base: string): ItemFlaw[] {
  const { content } = message;
  if (content === undefined || content === null || typeof content === "string") return [];
  const foreign = list(content).findIndex((part) =>
    /^tool_(use|result)$/.test(string(fields(part)["type"]) ?? ""),
  );
  if (foreign >= 0) return [{ kind: "other-protocol", pointer: `${base}/content/${foreign}` }];
  return [
    {
      kind: "bad-content",
      pointer: `${base}/content`,
      detail: Array.isArray(content) ? "array" : typeof content,
    },
  ];
}

/** Ids are optional and newer than most logs, so calls and results pair by name and order. */
function toolCall(call: Fields, role: Role, pointer: string): ToolCall {
  const body = fields(call["function"]);
  const written = body["arguments"];
  const flaws: ItemFlaw[] = [];
  if (written !== undefined && written !== null && !isFields(written)) {
    const detail = Array.isArray(written) ? "array" : typeof written;
    flaws.push({ kind: "arguments-type", pointer: `${pointer}/function/arguments`, detail });
  }
  return defined({
    kind: "call" as const,
    role,
    pointer,
    id: filled(call["id"]),
    name: string(body["name"]) ?? "",
    ...callArguments(written ?? {}),
    isJson: true,
    wireType: "function",
    isHosted: false,
    state: "complete" as const,
    flaws: flaws.length > 0 ? flaws : undefined,
  });
}

function toolResult(message: Fields, base: string): ToolResult {
  const { content } = message;
  const { text } = contentText(content, (part) => string(part["text"]));
  const flaws = contentFlaws(message, base);
  return defined({
    kind: "result" as const,
    role: "tool" as const,
    pointer: base,
    callId: filled(message["tool_call_id"]),
    name: filled(message["tool_name"]) ?? filled(message["name"]),
    text: isFields(content) ? JSON.stringify(content) : text,
    hasMedia: list(message["images"]).length > 0,
    wireType: "function",
    isHosted: false,
    flaws: flaws.length > 0 ? flaws : undefined,
  });
}
