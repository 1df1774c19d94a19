import { fields, filled, list } from "../../../reading/values.ts";
import type { PlainMessage, PlainPart } from "../../../traffic/plain-message.ts";
import type { Branch, Entry } from "../../../traffic/transcript.ts";
import { documents, has } from "../head.ts";
import { known, plainEntry, textOf } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";
import { RecordTree } from "../tree.ts";

export const format: SessionFormat = {
  name: "chatgpt",
  summary: "a conversation as ChatGPT exports it",
  signs: "a mapping of nodes with message, parent and children",
  recognize: (head) =>
    documents(head).some((value) =>
      Object.values(fields(value["mapping"])).some((node) =>
        has(fields(node), "message", "parent", "children"),
      ),
    ),
};

/** A ChatGPT export: a tree of messages by id. A call is a text addressed to a recipient and has no id. */
export function* read(file: SessionFile): Generator<Branch> {
  const tree = new RecordTree("plain");
  for (const record of file.members("/mapping")) {
    const { value } = record;
    const entry = entryOf(record);
    const id = filled(value["id"]);
    const parent = filled(value["parent"]);
    const isResult = fields(fields(value["message"])["author"])["role"] === "tool";
    tree.add({ id, parent, entry, isResult });
    if (!entry && value["message"] !== null) file.skip(record, "a message without text");
  }
  yield* tree.branches;
}

const roles: ReadonlySet<unknown> = new Set(["system", "user", "assistant", "tool"]);

function entryOf(record: SessionRecord): Entry | undefined {
  const message = fields(record.value["message"]);
  const author = fields(message["author"]);
  const content = fields(message["content"]);
  const at = "/message/content";
  const text =
    list(content["parts"])
      .filter((part) => typeof part === "string")
      .join("\n") || textOf(content["text"]);
  if (!roles.has(author["role"]) || text === "") return undefined;
  const role = author["role"] as PlainMessage["role"];
  const recipient = filled(message["recipient"]) ?? "all";
  const name = filled(author["name"]);
  const part: PlainPart =
    role === "tool"
      ? { kind: "result", ...(name !== undefined && { name }), text, isHosted: true, at }
      : role === "assistant" && recipient !== "all"
        ? { kind: "call", name: recipient, arguments: text, isFreeText: true, isHosted: true, at }
        : { kind: "text", text, at };
  const facts = known({
    time: message["create_time"],
    model: filled(fields(message["metadata"])["model_slug"]),
    reply: role === "assistant" ? (filled(record.value["id"]) ?? "") : undefined,
  });
  return plainEntry(record, role, [part], facts);
}
