import type { Branch } from "../../../traffic/transcript.ts";
import { messageInRow } from "../rows.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile } from "../session-file.ts";
import { branchOf, type KeptMessage } from "./messages.ts";

export const format: SessionFormat = {
  name: "message-rows",
  summary:
    "a database with one message per row: sessions of the OpenAI Agents SDK, LangChain's stores, custom chat programs",
  signs: "a database whose first rows are messages, as JSON or in columns",
  // Any agent that keeps messages in a database may match.
  priority: -1,
  recognize: ({ lines }) =>
    lines[0]?.["sqlite"] !== undefined && lines.filter((line) => messageInRow(line) !== undefined).length > 1,
};

/**
 * A database with one message per row, as JSON in one column (the stores of frameworks) or with a column per
 * member. A column names the chat.
 */
export function* read(file: SessionFile): Generator<Branch> {
  const chats = new Map<string, KeptMessage[]>();
  for (const record of file.lines()) {
    const found = messageInRow(record.value);
    if (!found) {
      file.skip(record, "a row that is not a message");
      continue;
    }
    const { message, pointer, chat } = found;
    const key = `${record.value["table"]} ${chat}`;
    const messages = chats.get(key) ?? [];
    chats.set(key, messages);
    messages.push({ record, message, pointer });
  }
  for (const messages of chats.values()) yield branchOf(messages);
}
