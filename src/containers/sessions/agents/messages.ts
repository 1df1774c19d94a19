import { type Fields, fields, filled, list } from "../../../reading/values.ts";
import { kindOfRecord } from "../../../traffic/event-names.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import { addEntry, type GrowingBranch, newBranch, takingRecords } from "../branches.ts";
import { has, typeOf } from "../head.ts";
import { finishFact, known } from "../plain.ts";
import { isStored, isToolLog, isTypedItem } from "../rows.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";

export const format: SessionFormat = {
  name: "messages",
  summary:
    "one message or item per line, in an API's form: Cursor, Mistral Vibe, Kimi's context, custom logs",
  signs:
    "lines have a role, and content or calls, themselves or under message; or are items of the Responses API; few are notes",
  // Any agent that keeps messages may match.
  priority: -1,
  recognize: ({ lines }) =>
    (lines.length > 1 &&
      lines.every((line) => isMessage(line) || isNote(line)) &&
      lines.filter(isMessage).length >= Math.max(2, lines.length / 2) &&
      lines.some(({ role, type }) => role === "assistant" || type === "function_call" || type === "ai") &&
      !lines.every(({ role }) => role === "assistant")) ||
    isDialogue(lines.map((line) => heldMessage(line)?.message)),
};

/** Whether most records hold a message, of the user as well as of the model: replies alone are no session. */
function isDialogue(messages: readonly (Fields | undefined)[]): boolean {
  const roles = messages.flatMap((message) => (message ? [message["role"]] : []));
  return roles.length > messages.length / 2 && roles.includes("user") && roles.includes("assistant");
}

/** A message alone in a record of a program, `{agent, message: {role, content}}`, perhaps two levels deep. */
function heldMessage(record: Fields, depth = 0): { message: Fields; pointer: string } | undefined {
  const inner = fields(record["message"]);
  const isOther = ["role", "type", "choices", "done", "model"].some((key) => has(record, key));
  if (isOther || !has(record, "message") || depth > 1) return undefined;
  if (has(inner, "role") && isMessage(inner)) return { message: inner, pointer: "/message" };
  const held = heldMessage(inner, depth + 1);
  return held && { message: held.message, pointer: `/message${held.pointer}` };
}

/** A header, or a note between messages. It has no member that could hold a request or a reply. */
function isNote(line: Fields): boolean {
  const holds = [
    "sqlite",
    "messages",
    "message",
    "contents",
    "request",
    "response",
    "choices",
    "body",
    "payload",
  ];
  return (
    !holds.some((key) => has(line, key)) && !has(line, "model", "input") && kindOfRecord(line) === undefined
  );
}

function isMessage(line: Fields): boolean {
  if (isStored(line)) return true;
  // Session notes between messages.
  if (line["type"] === "turn_ended" || /^_/.test(filled(line["role"]) ?? "")) return true;
  if (/^(?:function|custom_tool)_call(?:_output)?$/.test(typeOf(line))) return has(line, "call_id");
  if (line["type"] === "reasoning") return has(line, "summary");
  const isSpoken = has(line, "content") || has(line, "tool_calls") || has(fields(line["message"]), "content");
  return /^(?:system|developer|user|assistant|tool|toolResult)$/.test(filled(line["role"]) ?? "") && isSpoken;
}

/**
 * One chat API message per line (Mistral Vibe, Cursor, Kimi's context, many home-made logs), or one item of
 * the Responses API. The calls and results show which API's form it is.
 */
export function* read(file: SessionFile): Generator<Branch> {
  const messages: KeptMessage[] = [];
  for (const record of file.lines()) {
    const inner = fields(record.value["message"]);
    const isNested = record.value["content"] === undefined && inner["content"] !== undefined;
    const message = isNested ? { role: record.value["role"], ...inner } : record.value;
    const role = filled(message["role"]);
    const held = heldMessage(record.value);
    if (held) messages.push({ record, ...held });
    else if (isTypedItem(message) || isStored(message)) messages.push({ record, message, pointer: "" });
    else if (role === undefined || role.startsWith("_") || !isSpoken(message))
      file.skip(record, "a record that is not a message");
    else messages.push({ record, message, pointer: isNested ? "/message" : "" });
  }
  const branch = branchOf(messages);
  const isHeld = messages.some(({ record }) => heldMessage(record.value));
  if (branch.protocol === "sdk-messages" || isHeld) yield branch;
  else yield* takingRecords([branch], { isSentAsKept: true });
}

/** Notes have other roles and no content. */
function isSpoken({ role, content, tool_calls: calls, parts }: Fields): boolean {
  if (/^(?:system|developer|user|assistant|tool|toolResult)$/.test(filled(role) ?? "")) return true;
  return content !== undefined || calls !== undefined || parts !== undefined;
}

/** A branch of messages stored one by one, in the protocol that their calls and results show. */
export function branchOf(messages: readonly KeptMessage[]): GrowingBranch {
  if (messages.some(({ message }) => isTypedItem(message))) return itemBranch(messages);
  if (messages.some(({ message }) => isStored(message) || isToolLog(message)))
    return reportedBranch(messages);
  const hasBlocks = messages.some(({ message }) =>
    list(message["content"]).some((block) =>
      /^tool_(?:use|result)$/.test(filled(fields(block)["type"]) ?? ""),
    ),
  );
  const branch = newBranch(hasBlocks ? "anthropic" : "openai-chat");
  for (const { record, message, pointer } of messages) {
    const { span, base, value: kept } = record;
    const facts = known({
      time: kept["timestamp"] ?? kept["created_at"] ?? kept["ts"],
      model: filled(message["model"]),
      reply: message["role"] === "assistant" ? `${span.start}` : undefined,
      finish: finishFact(filled(message["finish_reason"]) ?? message["stop_reason"], ""),
    });
    // Cursor's records name the tool as the speaker of blocks that the API has in a message of the user's.
    const isOfTool = hasBlocks && message["role"] === "tool";
    const value = isOfTool ? { ...message, role: "user" } : message;
    addEntry(branch, { value, span, base, pointer, ...facts });
  }
  return branch;
}

/** A message or item in some API's form, and the record that holds it. */
export interface KeptMessage {
  readonly record: SessionRecord;
  readonly message: Fields;
  readonly pointer: string;
}

function reportedBranch(messages: readonly KeptMessage[]): GrowingBranch {
  const branch = newBranch("sdk-messages");
  for (const { record, message, pointer } of messages) {
    const { span, base, value } = record;
    const isModel = /^(?:ai|assistant|model)$/.test(filled(message["role"]) ?? filled(message["type"]) ?? "");
    const reply = isModel ? `${span.start}` : undefined;
    const time = value["timestamp"] ?? value["created_at"];
    addEntry(branch, { value: message, span, base, pointer, ...known({ time, reply }) });
  }
  return branch;
}

/** Items name no reply. The model's items up to the client's next item are one reply. */
function itemBranch(messages: readonly KeptMessage[]): GrowingBranch {
  const branch = newBranch("openai-responses");
  let reply: string | undefined;
  for (const { record, message, pointer } of messages) {
    const { span, base, value } = record;
    const isModel =
      message["role"] === "assistant" || /^(?:\w+_call|reasoning)$/.test(filled(message["type"]) ?? "");
    reply = isModel ? (reply ?? `${span.start}`) : undefined;
    const time = value["timestamp"] ?? value["created_at"];
    addEntry(branch, { value: message, span, base, pointer, ...known({ time, reply }) });
  }
  return branch;
}
