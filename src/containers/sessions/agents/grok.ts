import { fields, filled, list } from "../../../reading/values.ts";
import type { PlainPart } from "../../../traffic/plain-message.ts";
import type { Branch, Entry } from "../../../traffic/transcript.ts";
import { addEntry, amendReply, newBranch } from "../branches.ts";
import { has } from "../head.ts";
import { otherType } from "../other-records.ts";
import { contentParts, known, plainEntry, resultPart, textOf } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";

export const format: SessionFormat = {
  name: "grok",
  summary: "sessions of Grok's CLI (chat_history.jsonl)",
  signs: "messages told apart by type, with model_id, prompt_index or tool_call_id",
  recognize: (head) =>
    head.lines.some(
      (line) =>
        (line["type"] === "assistant" && has(line, "content", "model_id")) ||
        (line["type"] === "user" && has(line, "content", "prompt_index")),
    ) ||
    (head.document !== undefined && has(head.document, "chat_format_version", "session_summary")),
};

/** Grok's `chat_history.jsonl`: one message, thought or result per line, distinguished by `type`. */
export function* read(file: SessionFile): Generator<Branch> {
  const branch = newBranch("plain");
  let replies = 0;
  for (const record of file.lines()) {
    const { value } = record;
    const isOwn =
      value["type"] === "assistant" || value["type"] === "reasoning" || value["type"] === "backend_tool_call";
    if (!isOwn) replies++;
    if (value["prior_turn_interrupt"] !== undefined) amendReply(branch, { isAborted: true });
    const entry = entryOf(record, `${replies}`);
    if (entry) addEntry(branch, entry);
    else file.skip(record, otherType(filled(value["type"])));
  }
  if (branch.entries.length === 0)
    file.advise(
      "a note about a session of Grok: the session itself is in chat_history.jsonl, in the same folder",
    );
  yield branch;
}

function entryOf(record: SessionRecord, reply: string): Entry | undefined {
  const { value } = record;
  const content = contentParts(value["content"], "/content");
  switch (value["type"]) {
    case "system":
    case "user":
      return plainEntry(record, value["type"], content);
    case "reasoning":
      return plainEntry(
        record,
        "assistant",
        [{ kind: "reasoning", text: textOf(value["summary"]), at: "/summary" }],
        { reply },
      );
    case "backend_tool_call": {
      const { tool_type: name, action, id } = fields(value["kind"]);
      const call: PlainPart = {
        kind: "call",
        id: textOf(id),
        name: textOf(name),
        arguments: action ?? {},
        isHosted: true,
        at: "/kind",
      };
      return plainEntry(record, "assistant", [call], { reply });
    }
    case "assistant": {
      const calls = list(value["tool_calls"]).map((call, index): PlainPart => {
        const { id, name, arguments: given } = fields(call);
        return {
          kind: "call",
          id: textOf(id),
          name: textOf(name),
          arguments: given ?? {},
          at: `/tool_calls/${index}`,
        };
      });
      return plainEntry(
        record,
        "assistant",
        [...content, ...calls],
        known({ reply, model: filled(value["model_id"]) }),
      );
    }
    case "tool_result": {
      const part = resultPart({
        callId: filled(value["tool_call_id"]),
        text: textOf(value["content"]),
        at: "",
      });
      return plainEntry(record, "tool", [part]);
    }
    default:
      return undefined;
  }
}
