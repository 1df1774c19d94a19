import { type Fields, fields, filled, list } from "../../reading/values.ts";

/** A message that a row of a database holds. */
interface RowMessage {
  readonly message: Fields;
  /** Pointer from the row to it; `""` where its members are columns. */
  readonly pointer: string;
  /** What the rows of one chat have in common. */
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

/** The message in a row of a database, whether it is JSON in one column or a column for each of its members. */
export function messageInRow(row: Fields): RowMessage | undefined {
  const chat = chatColumns.map((column) => row[column]).find((value) => value !== undefined);
  if (isSpoken(row)) return { message: row, pointer: "", chat };
  for (const [column, value] of Object.entries(row)) {
    const message = fields(value);
    if (isSpoken(message) || isItem(message) || isStored(message))
      return { message, pointer: `/${column}`, chat };
  }
  return undefined;
}

function isSpoken(value: Fields): boolean {
  const isKnown = /^(?:system|developer|user|assistant|tool)$/.test(filled(value["role"]) ?? "");
  return isKnown && (value["content"] !== undefined || Array.isArray(value["tool_calls"]));
}

/** An item of the Responses API that is no message. */
export function isItem({ type }: Fields): boolean {
  return /^(?:(?:function|custom_tool)_call(?:_output)?|reasoning)$/.test(filled(type) ?? "");
}

/** LangChain's stores keep a message's type, and beside it what it holds. */
export function isStored({ type, data, role }: Fields): boolean {
  return (
    role === undefined &&
    /^(?:human|ai|tool|system)$/.test(filled(type) ?? "") &&
    fields(data)["content"] !== undefined
  );
}

/** A message in the words of an SDK or an agent: calls without their `function`, parts that no API has under these names. */
export function isRetold({ role, content, tool_calls: calls, parts }: Fields): boolean {
  if (role === undefined) return false;
  const isFlat = (call: Fields): boolean =>
    filled(call["name"]) !== undefined && call["function"] === undefined && call["type"] !== "custom";
  const isOwn = (part: Fields): boolean => {
    const type = filled(part["type"]) ?? "";
    if (type === "tool_result" && part["tool_use_id"] === undefined && part["output"] !== undefined)
      return true;
    // Some hold what a part says once more under its type.
    return (
      /^(?:tool-call|tool-result|toolCall|toolResult|tool-invocation)$/.test(type) || isObject(part[type])
    );
  };
  return (
    list(calls).map(fields).some(isFlat) ||
    list(content).map(fields).some(isOwn) ||
    (content === undefined && list(parts).length > 0)
  );
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
