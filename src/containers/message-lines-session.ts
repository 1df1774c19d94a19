import { known } from "./plain.ts";
import { type Fields, fields, filled, list, type SessionFile, type SessionRecord } from "./session.ts";
import { append, growingThread, takingRecords } from "./threads.ts";
import type { Entry, Thread } from "./transcript.ts";

/**
 * A message a line, in the form of a chat API: Mistral Vibe, Cursor and many home-made logs keep them so. Which API's form it is, the
 * messages with calls and results say.
 */
export function* read(file: SessionFile): Generator<Thread> {
  const messages: { readonly record: SessionRecord; readonly message: Fields; readonly pointer: string }[] =
    [];
  for (const record of file.lines()) {
    const inner = fields(record.value["message"]);
    const isNested = record.value["content"] === undefined && inner["content"] !== undefined;
    const message = isNested ? { role: record.value["role"], ...inner } : record.value;
    if (filled(message["role"]) === undefined) file.skip(record, "a note, not a message");
    else messages.push({ record, message, pointer: isNested ? "/message" : "" });
  }
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
    const entry: Entry = { value: message, span, base, pointer, ...facts };
    append(thread, entry);
  }
  yield* takingRecords([thread], { isSentAsKept: true });
}
