import { type Fields, fields, filled, isFields, list } from "../../../reading/values.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import { addEntry, type GrowingBranch, newBranch } from "../branches.ts";
import { has, typeOf } from "../head.ts";
import { otherType, repeatsEarlier } from "../other-records.ts";
import { finishFact, known } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile } from "../session-file.ts";

export const format: SessionFormat = {
  name: "typed-messages",
  summary: "messages in records that name their author, as programs store an agent's messages",
  signs: "records with type user or assistant, and a message with content",
  // Agents whose records look alike have more to say.
  priority: -2,
  recognize: ({ lines }) =>
    lines.filter(isMessage).length > 1 &&
    lines.some((line) => isMessage(line) && line["type"] === "assistant") &&
    !lines.some((line) => ["messages", "choices", "request", "response"].some((key) => has(line, key))),
};

function isMessage(line: Fields): boolean {
  const { message } = line;
  return (
    /^(?:user|assistant|system)$/.test(typeOf(line)) &&
    isFields(message) &&
    (typeof message["content"] === "string" || Array.isArray(message["content"]))
  );
}

/**
 * Messages in an API's form, each in a record that names its author. Programs that observe an agent may see a
 * message several times; the copies are left out. A file may hold several sessions, and sub-agents'.
 */
export function* read(file: SessionFile): Generator<Branch> {
  const records = Array.from(file.lines());
  const messages = records.map(({ value }) => fields(value["message"]));
  const isChat = messages.some(({ tool_calls: calls }) => Array.isArray(calls));
  const branches = new Map<string, GrowingBranch>();
  const seen = new Set<string>();
  let last = "";
  for (const [index, record] of records.entries()) {
    const { span, base, value } = record;
    if (!isMessage(value)) {
      file.skip(record, otherType(typeOf(value)));
      continue;
    }
    const message = messages[index] as Fields;
    const role = filled(message["role"]) ?? typeOf(value);
    const id = filled(message["id"]);
    const speaker = speakerOf(value);
    const copy = JSON.stringify([speaker.key, role, id, message["content"], message["tool_calls"]]);
    if (copy === last || (seen.has(copy) && (id !== undefined || hasIds(message)))) {
      file.skip(record, repeatsEarlier);
      continue;
    }
    seen.add(copy);
    last = copy;
    const isModel = role === "assistant";
    const reason = filled(message["stop_reason"]) ?? filled(message["finish_reason"]);
    const facts = known({
      time: value["timestamp"] ?? value["time"] ?? value["ts"],
      model: filled(message["model"]),
      reply: isModel ? (id ?? `${span.start}`) : undefined,
      finish: isModel ? finishFact(reason, "") : undefined,
    });
    const branch = branches.get(speaker.key) ?? newBranch(isChat ? "openai-chat" : "anthropic");
    if (speaker.calledBy !== undefined) branch.calledBy = speaker.calledBy;
    branches.set(speaker.key, branch);
    addEntry(branch, { value: { role, ...message }, span, base, pointer: "/message", ...facts });
  }
  yield* branches.values();
}

/** The session of a record and the sub-agent in it, in the words of Claude Code and of its SDK. */
function speakerOf(record: Fields): { readonly key: string; readonly calledBy?: string } {
  const session = filled(record["sessionId"]) ?? filled(record["session_id"]) ?? "";
  const calledBy = filled(record["parent_tool_use_id"]);
  const isSide = record["isSidechain"] === true || calledBy !== undefined;
  const agent = isSide ? (calledBy ?? filled(record["agentId"]) ?? "sidechain") : "";
  return { key: `${session} ${agent}`, ...(calledBy !== undefined && { calledBy }) };
}

/** Whether a message holds a call or a result, whose id tells a copy from a repetition. */
function hasIds(message: Fields): boolean {
  return (
    list(message["content"]).some((block) => /^tool_/.test(filled(fields(block)["type"]) ?? "")) ||
    list(message["tool_calls"]).length > 0
  );
}
