import { fields, filled } from "../../../reading/values.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import { addEntry, type GrowingBranch, newBranch } from "../branches.ts";
import { has } from "../head.ts";
import { otherType } from "../other-records.ts";
import { contentParts, known, plainEntry, resultPart, textOf } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";

export const format: SessionFormat = {
  name: "cursor-stream",
  summary: "what `cursor-agent -p --output-format stream-json` prints",
  signs: "tool_call records with a subtype and a call_id, next to messages",
  // Its messages and system lines look like those of claude-stream.
  priority: 1,
  recognize: (head) =>
    head.lines.some((line) => line["type"] === "tool_call" && has(line, "subtype", "call_id", "tool_call")),
};

/**
 * The output of `cursor-agent -p --output-format stream-json`: Anthropic messages, and each call twice, when
 * it starts and when it ends. The key that holds the call names the tool: `readToolCall`.
 */
export function* read(file: SessionFile): Generator<Branch> {
  const branch = newBranch("plain");
  const started = new Set<string>();
  let reply = 0;
  for (const record of file.lines()) {
    const { value } = record;
    const message = fields(value["message"]);
    const isModel = value["type"] === "assistant";
    if (value["type"] === "tool_call") {
      const id = filled(value["call_id"]) ?? "";
      if (!started.has(id)) addCall(branch, record, id, `${reply}`);
      started.add(id);
      if (value["subtype"] === "completed") {
        addResult(branch, record, id);
        reply++;
      }
    } else if (isModel || value["type"] === "user") {
      if (!isModel) reply++;
      const parts = contentParts(message["content"], "/message/content");
      addEntry(
        branch,
        plainEntry(record, isModel ? "assistant" : "user", parts, isModel ? { reply: `${reply}` } : {}),
      );
    } else file.skip(record, otherType(filled(value["type"])));
  }
  yield branch;
}

/** The tool's name and call, from `{readToolCall: {args, result}}` or `{function: {name, arguments}}`. */
function toolOf({ value }: SessionRecord): { name: string; args: unknown; result: unknown; at: string } {
  const [key = "", body] = Object.entries(fields(value["tool_call"]))[0] ?? [];
  const { args, arguments: written, name, result } = fields(body);
  return {
    name: filled(name) ?? key.replace(/ToolCall$/, ""),
    args: args ?? written ?? {},
    result,
    at: `/tool_call/${key}`,
  };
}

function addCall(branch: GrowingBranch, record: SessionRecord, id: string, reply: string): void {
  const { name, args } = toolOf(record);
  addEntry(
    branch,
    plainEntry(record, "assistant", [{ kind: "call", id, name, arguments: args, at: "" }], known({ reply })),
  );
}

function addResult(branch: GrowingBranch, record: SessionRecord, id: string): void {
  const { name, result, at } = toolOf(record);
  const { success, error, rejected } = fields(result);
  const isError = success === undefined && (error ?? rejected) !== undefined;
  const text = textOf(fields(success)["content"] ?? success ?? error ?? rejected ?? result);
  addEntry(
    branch,
    plainEntry(record, "tool", [resultPart({ callId: id, name, text, isError, at: `${at}/result` })]),
  );
}
