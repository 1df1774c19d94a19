import { type Fields, fields, filled, isFields, list } from "../../reading/values.ts";
import { isLangChainType } from "../../traffic/roles.ts";
import { keptInContent, toolNameIn } from "../../traffic/vocabulary.ts";

/** A message in a row of a database. */
interface RowMessage {
  readonly message: Fields;
  /** Pointer from the row to the message; `""` if its members are columns. */
  readonly pointer: string;
  /** The id that the rows of one chat share. */
  readonly chat: unknown;
}

const chatColumns = [
  "session_id",
  "conversation_id",
  "chat_id",
  "thread_id",
  "sessionId",
  "conversationId",
  "chatId",
  "threadId",
];

/** The message in a row of a database: JSON in one column, or a column for each member. */
export function messageInRow(row: Fields): RowMessage | undefined {
  const chat = chatColumns.map((column) => row[column]).find((value) => value !== undefined);
  if (isSpoken(row)) return { message: row, pointer: "", chat };
  for (const [column, value] of Object.entries(row)) {
    const message = fields(value);
    if (isSpoken(message) || isTypedItem(message) || isStored(message))
      return { message, pointer: `/${column}`, chat };
  }
  return undefined;
}

function isSpoken(value: Fields): boolean {
  const isKnown = /^(?:system|developer|user|assistant|tool)$/.test(filled(value["role"]) ?? "");
  return isKnown && (value["content"] !== undefined || Array.isArray(value["tool_calls"]));
}

/** Whether a value is an item of the Responses API other than a message. */
export function isTypedItem({ type }: Fields): boolean {
  return /^(?:(?:function|custom_tool)_call(?:_output)?|reasoning)$/.test(filled(type) ?? "");
}

/** Whether a value is a message as LangChain stores it: `{type, data}`. */
export function isStored({ type, data, role }: Fields): boolean {
  return role === undefined && isLangChainType(filled(type)) && fields(data)["content"] !== undefined;
}

/**
 * Whether a message has an SDK's or agent's own form: calls without `function` or under another name, parts
 * that no API has, or a result that names its calls in a list.
 */
export function isToolLog(message: Fields): boolean {
  const { role, content, tool_calls: calls, tool_call_ids: ids, parts } = message;
  if (role === undefined) return false;
  if (role === "tool" && keptInContent(message)) return true;
  if (list(ids).length > 0 || list(message["toolCalls"]).length > 0) return true;
  if (filled(message["toolCallId"]) !== undefined) return true;
  const isFlat = (call: Fields): boolean =>
    toolNameIn(call) !== undefined && call["function"] === undefined && call["type"] !== "custom";
  const isOwn = (part: Fields): boolean => {
    const type = filled(part["type"]) ?? "";
    if (type === "tool_result" && part["tool_use_id"] === undefined && part["output"] !== undefined)
      return true;
    // Some repeat a part's content under its type.
    return (
      /^(?:tool-call|tool-result|toolCall|toolResult|tool-invocation)$/.test(type) || isFields(part[type])
    );
  };
  return (
    list(calls).map(fields).some(isFlat) ||
    list(content).map(fields).some(isOwn) ||
    (content === undefined && list(parts).length > 0)
  );
}
