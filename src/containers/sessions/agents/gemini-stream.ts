import { fields, filled } from "../../../reading/values.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import { addEntry, newBranch } from "../branches.ts";
import { has } from "../head.ts";
import { otherType } from "../other-records.ts";
import { callPart, known, plainEntry, resultPart, textOf } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile } from "../session-file.ts";

export const format: SessionFormat = {
  name: "gemini-stream",
  summary: "what `gemini -p --output-format stream-json` prints",
  signs: "init with session_id, tool_use records with tool_name and tool_id",
  recognize: (head) =>
    head.lines.some(
      (line) =>
        (line["type"] === "tool_use" && has(line, "tool_name", "tool_id")) ||
        (line["type"] === "init" && has(line, "session_id", "model")),
    ),
};

/**
 * The output of `gemini -p --output-format stream-json`: the prompt, chunks of the model's text, calls and
 * results. Replies have no ids: everything up to the next result is one reply.
 */
export function* read(file: SessionFile): Generator<Branch> {
  const branch = newBranch("plain");
  let reply = 0;
  let model: string | undefined;
  for (const record of file.lines()) {
    const { value } = record;
    const id = filled(value["tool_id"]);
    const facts = known({ model, reply: `${reply}` });
    if (value["type"] === "message") {
      const isUser = value["role"] === "user";
      if (isUser) reply++;
      const text = { kind: "text" as const, text: textOf(value["content"]), at: "/content" };
      addEntry(branch, plainEntry(record, isUser ? "user" : "assistant", [text], isUser ? {} : facts));
    } else if (value["type"] === "tool_use") {
      const call = callPart({ id, name: value["tool_name"], arguments: value["parameters"] ?? {}, at: "" });
      addEntry(branch, plainEntry(record, "assistant", [call], facts));
    } else if (value["type"] === "tool_result") {
      reply++;
      const isError = value["status"] === "error";
      const text = textOf(value["output"] ?? fields(value["error"])["message"]);
      addEntry(branch, plainEntry(record, "tool", [resultPart({ callId: id, text, isError, at: "" })]));
    } else {
      model = filled(value["model"]) ?? model;
      file.skip(record, otherType(filled(value["type"])));
    }
  }
  yield branch;
}
