import { fields, filled, list } from "../../../reading/values.ts";
import type { PlainPart } from "../../../traffic/plain-message.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import { addEntry, newBranch } from "../branches.ts";
import { hasTable } from "../head.ts";
import { callPart, known, plainEntry, resultPart, textOf } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";

export const format: SessionFormat = {
  name: "cursor-db",
  summary: "chats of Cursor in the editor's database (state.vscdb)",
  signs: "a table cursorDiskKV",
  recognize: (head) => hasTable(head, "cursorDiskKV", "key", "value"),
};

/**
 * Cursor keeps its chats in the editor's database: one row per bubble, and one per chat with the order of its
 * bubbles. A bubble of the model holds a text, a thought, or a call with its result.
 */
export function* read(file: SessionFile): Generator<Branch> {
  const bubbles = new Map<string, SessionRecord>();
  const chats = new Map<string, readonly string[]>();
  for (const record of file.lines()) {
    const [kind, chat = "", bubble = ""] = (filled(record.value["key"]) ?? "").split(":");
    const value = fields(record.value["value"]);
    if (kind === "composerData")
      chats.set(
        chat,
        list(value["fullConversationHeadersOnly"]).map(
          (head) => `${chat}:${textOf(fields(head)["bubbleId"])}`,
        ),
      );
    else if (kind === "bubbleId") bubbles.set(`${chat}:${bubble}`, record);
    else file.skip(record, "a setting of the editor");
  }
  const listed = new Set<SessionRecord | undefined>();
  for (const order of chats.values()) {
    const branch = newBranch("plain");
    let reply = 0;
    for (const name of order) {
      const record = bubbles.get(name);
      listed.add(record);
      const value = fields(record?.value["value"]);
      if (!record) continue;
      const time = value["createdAt"];
      const text: PlainPart = { kind: "text", text: textOf(value["text"]), at: "/value/text" };
      if (value["type"] === 1) {
        reply++;
        addEntry(branch, plainEntry(record, "user", [text], known({ time })));
        continue;
      }
      const { said, result } = bubbleOf(value, text);
      if (said.length > 0)
        addEntry(branch, plainEntry(record, "assistant", said, known({ time, reply: `${reply}` })));
      if (!result) continue;
      reply++;
      addEntry(branch, plainEntry(record, "tool", [result], known({ time })));
    }
    yield branch;
  }
  for (const record of bubbles.values())
    if (!listed.has(record)) file.skip(record, "a message that its chat does not list");
}

function bubbleOf(
  value: Readonly<Record<string, unknown>>,
  text: PlainPart & { readonly kind: "text" | "reasoning" | "summary" },
): { said: PlainPart[]; result: PlainPart | undefined } {
  const thought = filled(fields(value["thinking"])["text"]);
  const tool = fields(value["toolFormerData"]);
  const name = filled(tool["name"]);
  const id = filled(tool["toolCallId"]);
  const at = "/value/toolFormerData";
  const said: PlainPart[] = [
    ...(thought === undefined ? [] : [{ kind: "reasoning" as const, text: thought, at: "/value/thinking" }]),
    ...(text.text === "" ? [] : [text]),
    ...(name === undefined
      ? []
      : [callPart({ id, name, arguments: tool["rawArgs"] ?? tool["params"] ?? {}, at })]),
  ];
  const { status, result } = tool;
  const isOver = result !== undefined || /^(?:completed|error|cancelled)$/.test(filled(status) ?? "");
  if (name === undefined || !isOver) return { said, result: undefined };
  const given = textOf(result ?? tool["error"]);
  return { said, result: resultPart({ callId: id, name, text: given, isError: status === "error", at }) };
}
