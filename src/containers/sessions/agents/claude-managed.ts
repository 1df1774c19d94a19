import { type Fields, filled } from "../../../reading/values.ts";
import type { PlainMessage, PlainPart } from "../../../traffic/plain-message.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import { argumentsIn } from "../../../traffic/vocabulary.ts";
import { addEntry, newBranch } from "../branches.ts";
import { has, typeOf } from "../head.ts";
import { otherType, repeatsEarlier } from "../other-records.ts";
import { callPart, contentParts, known, plainEntry, resultPart, textOf } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile } from "../session-file.ts";

const calls = /^agent\.(?:mcp_|custom_)?tool_use$/;
const results = /^(?:agent\.(?:mcp_)?|user\.custom_)tool_result$/;

export const format: SessionFormat = {
  name: "claude-managed",
  summary: "sessions of Claude's managed agents: the events of their API, streamed or listed",
  signs: "records of type agent.tool_use, agent.mcp_tool_use or agent.custom_tool_use with id and name",
  recognize: ({ lines }) => lines.some((line) => calls.test(typeOf(line)) && has(line, "id", "name")),
};

/**
 * The events of a session whose history the server holds.
 * @see https://platform.claude.com/docs/en/managed-agents/events-and-streaming
 */
export function* read(file: SessionFile): Generator<Branch> {
  const branch = newBranch("plain");
  const reported = new Reported();
  let reply = 0;
  for (const record of file.lines()) {
    const { value } = record;
    const type = typeOf(value);
    const role = roleOf(type);
    if (role === undefined) {
      if (type === "span.model_request_start") reply++;
      file.skip(record, otherType(type, "an event"));
    } else if (reported.has(value, type)) file.skip(record, repeatsEarlier);
    else {
      if (role !== "assistant") reply++;
      const time = value["processed_at"];
      const facts = known({ time, reply: role === "assistant" ? `${reply}` : undefined });
      addEntry(branch, plainEntry(record, role, partsOf(value, type), facts));
    }
  }
  yield branch;
}

function roleOf(type: string): PlainMessage["role"] | undefined {
  if (type === "user.message") return "user";
  if (results.test(type)) return "tool";
  return calls.test(type) || type === "agent.message" || type === "agent.thinking" ? "assistant" : undefined;
}

function partsOf(value: Fields, type: string): PlainPart[] {
  if (calls.test(type))
    return [callPart({ id: value["id"], name: value["name"], arguments: argumentsIn(value) ?? {}, at: "" })];
  if (results.test(type)) return [resultOf(value)];
  if (type === "agent.thinking")
    return [{ kind: "reasoning", text: textOf(value["content"]), at: "/content" }];
  return contentParts(value["content"], "/content");
}

function resultOf(value: Fields): PlainPart {
  const callId =
    filled(value["tool_use_id"]) ?? filled(value["mcp_tool_use_id"]) ?? filled(value["custom_tool_use_id"]);
  const isError = value["is_error"] === true;
  return resultPart({ callId, text: textOf(value["content"]), isError, at: "/content" });
}

/**
 * The events so far. A stream that was opened again repeats some, and what the client sent, without an id,
 * comes back with one.
 */
class Reported {
  readonly #ids = new Set<string>();
  readonly #sent = new Set<string>();

  has(event: Fields, type: string): boolean {
    const id = filled(event["id"]);
    const text = `${type} ${JSON.stringify(event["content"])}`;
    if (id === undefined) {
      this.#sent.add(text);
      return false;
    }
    if (this.#ids.has(id) || this.#sent.delete(text)) return true;
    this.#ids.add(id);
    return false;
  }
}
