import { known } from "./plain.ts";
import { type Fields, fields, filled, list, type SessionRecord } from "./session.ts";
import { append, type GrowingThread, growingThread } from "./threads.ts";

/** Messages that are kept one by one as a thread, in the form of the API whose words the calls and results among them have. */
export function threadOf(messages: readonly KeptMessage[]): GrowingThread {
  if (messages.some(({ message }) => isItem(message))) return itemThread(messages);
  if (messages.some(({ message }) => isStored(message))) return storedThread(messages);
  const hasBlocks = messages.some(({ message }) =>
    list(message["content"]).some((block) =>
      /^tool_(?:use|result)$/.test(filled(fields(block)["type"]) ?? ""),
    ),
  );
  const thread = growingThread(hasBlocks ? "anthropic" : "openai-chat");
  for (const { record, message, pointer } of messages) {
    const { span, base, value } = record;
    const reason = filled(message["finish_reason"]) ?? filled(message["stop_reason"]);
    const facts = known({
      time: value["timestamp"] ?? value["created_at"] ?? value["ts"],
      model: filled(message["model"]),
      reply: message["role"] === "assistant" ? `${span.start}` : undefined,
      finish: reason === undefined ? undefined : { reason, pointer: "" },
    });
    append(thread, { value: message, span, base, pointer, ...facts });
  }
  return thread;
}

/** A message, or an item, in the form in which some API has it, and the record that holds it. */
export interface KeptMessage {
  readonly record: SessionRecord;
  readonly message: Fields;
  readonly pointer: string;
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

function storedThread(messages: readonly KeptMessage[]): GrowingThread {
  const thread = growingThread("sdk-messages");
  for (const { record, message, pointer } of messages) {
    const { span, base } = record;
    const reply = message["type"] === "ai" ? `${span.start}` : undefined;
    append(thread, { value: message, span, base, pointer, ...known({ reply }) });
  }
  return thread;
}

/** Items have no replies around them: what the model says up to the next word of the client is one. */
function itemThread(messages: readonly KeptMessage[]): GrowingThread {
  const thread = growingThread("openai-responses");
  let reply: string | undefined;
  for (const { record, message, pointer } of messages) {
    const { span, base, value } = record;
    const isModel =
      message["role"] === "assistant" || /^(?:\w+_call|reasoning)$/.test(filled(message["type"]) ?? "");
    reply = isModel ? (reply ?? `${span.start}`) : undefined;
    const time = value["timestamp"] ?? value["created_at"];
    append(thread, { value: message, span, base, pointer, ...known({ time, reply }) });
  }
  return thread;
}
