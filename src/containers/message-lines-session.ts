import { isItem, isStored, type KeptMessage, threadOf } from "./kept-messages-session.ts";
import { fields, filled, type SessionFile } from "./session.ts";
import { takingRecords } from "./threads.ts";
import type { Thread } from "./transcript.ts";

/**
 * A message a line, in the form of a chat API: Mistral Vibe, Cursor, Kimi's context and many home-made logs keep them so; or an item of
 * the Responses API. Which API's form it is, the messages with calls and results say.
 */
export function* read(file: SessionFile): Generator<Thread> {
  const messages: KeptMessage[] = [];
  for (const record of file.lines()) {
    const inner = fields(record.value["message"]);
    const isNested = record.value["content"] === undefined && inner["content"] !== undefined;
    const message = isNested ? { role: record.value["role"], ...inner } : record.value;
    const role = filled(message["role"]);
    if (isItem(message) || isStored(message)) messages.push({ record, message, pointer: "" });
    else if (role === undefined || role.startsWith("_")) file.skip(record, "a note, not a message");
    else messages.push({ record, message, pointer: isNested ? "/message" : "" });
  }
  const thread = threadOf(messages);
  if (thread.protocol === "sdk-messages") yield thread;
  else yield* takingRecords([thread], { isSentAsKept: true });
}
