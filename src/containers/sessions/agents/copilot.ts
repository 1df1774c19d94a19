import type { PlainPart } from "../../../traffic/plain-message.ts";
import type { Entry, Thread } from "../../../traffic/transcript.ts";
import { known, plainEntry, resultPart, textOf } from "../plain.ts";
import { fields, filled, list, type SessionFile, type SessionRecord } from "../session.ts";
import { append, compacted, type GrowingThread, growingThread, tellOfReply } from "../branches.ts";

/** Events of GitHub Copilot's CLI: a message asks for tools, and each tool's end is an event of its own. Sub-agents write under the call that began them. */
export function* read(file: SessionFile): Generator<Thread> {
  const threads: GrowingThread[] = [];
  const newest = new Map<string, GrowingThread>();
  let model: string | undefined;
  for (const record of file.lines()) {
    const data = fields(record.value["data"]);
    const agent = filled(data["parentToolCallId"]) ?? filled(data["parentAgentTaskId"]) ?? "";
    let thread = newest.get(agent);
    model = filled(data["newModel"]) ?? filled(data["selectedModel"]) ?? model;
    const entry = entryOf(record, model);
    const summary = filled(data["summaryContent"]);
    if (summary !== undefined && thread) {
      thread = compacted(thread, [
        plainEntry(record, "user", [{ kind: "summary", text: summary, at: "/data/summaryContent" }]),
      ]);
      threads.push(thread);
      newest.set(agent, thread);
      continue;
    }
    if (!entry) {
      if (record.value["type"] === "abort" && thread)
        tellOfReply(thread, { isAborted: true }, ({ reply }) => reply !== undefined);
      file.skip(record, `an event that is no message (${filled(record.value["type"]) ?? "no type"})`);
      continue;
    }
    if (!thread) {
      thread = growingThread("plain");
      if (agent !== "") thread.calledBy = agent;
      threads.push(thread);
      newest.set(agent, thread);
    }
    append(thread, entry);
  }
  yield* threads;
}

function entryOf(record: SessionRecord, model: string | undefined): Entry | undefined {
  const { value } = record;
  const data = fields(value["data"]);
  switch (value["type"]) {
    case "user.message":
      return plainEntry(record, "user", [
        { kind: "text", text: textOf(data["content"]), at: "/data/content" },
      ]);
    case "system.message":
      return plainEntry(record, "system", [
        { kind: "text", text: textOf(data["content"]), at: "/data/content" },
      ]);
    case "assistant.message":
      return plainEntry(
        record,
        "assistant",
        said(data),
        known({
          model: filled(data["model"]) ?? model,
          reply: filled(data["messageId"]) ?? filled(value["id"]) ?? "",
        }),
      );
    case "tool.execution_complete": {
      const { content, detailedContent } = fields(data["result"]);
      const text = textOf(content ?? detailedContent ?? fields(data["error"])["message"] ?? data["error"]);
      const callId = filled(data["toolCallId"]);
      return plainEntry(record, "tool", [
        resultPart({ callId, text, isError: data["success"] === false, at: "/data" }),
      ]);
    }
    default:
      return undefined;
  }
}

function said(data: ReturnType<typeof fields>): PlainPart[] {
  const reasoning = filled(data["reasoningText"]);
  const text = filled(data["content"]);
  return [
    ...(reasoning === undefined
      ? []
      : [{ kind: "reasoning" as const, text: reasoning, at: "/data/reasoningText" }]),
    ...(text === undefined ? [] : [{ kind: "text" as const, text, at: "/data/content" }]),
    ...list(data["toolRequests"]).map((request, index): PlainPart => {
      const { name, toolCallId, arguments: given, type } = fields(request);
      const id = filled(toolCallId);
      const isFreeText = type === "custom";
      const at = `/data/toolRequests/${index}`;
      return {
        kind: "call",
        ...(id !== undefined && { id }),
        name: filled(name) ?? "",
        arguments: given ?? {},
        ...(isFreeText && { isFreeText }),
        at,
      };
    }),
  ];
}
