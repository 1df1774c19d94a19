import { type Fields, fields, filled } from "../../../reading/values.ts";
import type { PlainMessage, PlainPart } from "../../../traffic/plain-message.ts";
import type { SessionWriter } from "../../../traffic/session-writer.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import {
  addEntry,
  amendReply,
  compacted,
  type GrowingBranch,
  newBranch,
  takingRecords,
} from "../branches.ts";
import { has, typeOf } from "../head.ts";
import { otherType } from "../other-records.ts";
import { contentParts, finishFact, known, plainEntry, resultPart, textOf } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";

export const format: SessionFormat = {
  name: "kimi",
  summary: "sessions of Kimi Code (wire.jsonl)",
  signs: "metadata with protocol_version, context.append_message records",
  recognize: (head) =>
    head.lines.some(
      (line) =>
        (line["type"] === "metadata" && has(line, "protocol_version")) ||
        /^context\.append_/.test(typeOf(line)),
    ),
};

/** Kimi Code's `wire.jsonl`: whole user messages, and the parts of each reply with the results in between. */
export function* read(file: SessionFile): Generator<Branch> {
  const branches: GrowingBranch[] = [newBranch("plain")];
  let model: string | undefined;
  /** What the user typed, until the message appears that carries it. Some writers leave that message out. */
  let prompt: SessionRecord | undefined;
  let step = 0;
  for (const record of file.lines()) {
    const { value } = record;
    const branch = branches.at(-1) as GrowingBranch;
    model = filled(value["modelAlias"]) ?? model;
    const said = messageOf(value);
    const event = fields(value["event"]);
    if (event["type"] === "step.begin") step++;
    if (said?.role === "user") prompt = undefined;
    if (prompt && (said || event["type"] === "step.begin")) {
      const parts = contentParts(prompt.value["input"], "/input");
      addEntry(branch, plainEntry(prompt, "user", parts));
      prompt = undefined;
    }
    if (value["type"] === "turn.prompt") prompt = record;
    if (said) {
      const reply = filled(event["stepUuid"]) ?? `${step}`;
      const isPart = value["event"] !== undefined && said.role === "assistant";
      addEntry(branch, plainEntry(record, said.role, said.parts, isPart ? known({ model, reply }) : {}));
    } else if (value["type"] === "context.append_loop_event") {
      if (event["type"] === "step.end") {
        const usage = usageOf(fields(event["usage"]));
        amendReply(branch, known({ usage, finish: finishFact(event["finishReason"], "") }));
      }
    } else if (value["type"] === "context.apply_compaction") {
      const text = textOf(value["contextSummary"] ?? value["summary"]);
      const summary = plainEntry(record, "user", [
        { kind: "summary", text, at: value["contextSummary"] === undefined ? "/summary" : "/contextSummary" },
      ]);
      branches.push(compacted(branch, [summary]));
    } else {
      if (value["type"] === "turn.cancel") amendReply(branch, { isAborted: true });
      file.skip(record, otherType(filled(value["type"])));
    }
  }
  yield* takingRecords(branches, { writer, isSentAsKept: true });
}

/** @see https://github.com/MoonshotAI/kimi-code/issues/269 on a call whose result was never written */
const writer: SessionWriter = {
  messages: (record) => [messageOf(fields(record)) ?? []].flat(),
  hasResultRecords: true,
  resultId: () => "/event/toolCallId",
  result({ id }, text, record) {
    const { time, event } = fields(record);
    const { uuid } = fields(event);
    const result = { output: text, isError: true };
    return {
      element: {
        type: "context.append_loop_event",
        event: {
          type: "tool.result",
          ...(uuid !== undefined && { parentUuid: uuid }),
          toolCallId: id,
          result,
        },
        ...(time !== undefined && { time }),
      },
    };
  },
  words(text, record) {
    const { time } = fields(record);
    const message = { role: "user", content: [{ type: "text", text }], toolCalls: [] };
    return {
      element: { type: "context.append_message", message, ...(time !== undefined && { time }) },
    };
  },
};

/** The content of a record: a whole message, a part of a reply, or a result. */
function messageOf(record: Fields): PlainMessage | undefined {
  if (record["type"] === "context.append_message") {
    const { role: name, content } = fields(record["message"]);
    const role = name === "assistant" || name === "system" ? name : "user";
    return { role, parts: contentParts(content, "/message/content") };
  }
  if (record["type"] !== "context.append_loop_event") return undefined;
  const at = "/event";
  const event = fields(record["event"]);
  const id = filled(event["toolCallId"]);
  switch (event["type"]) {
    case "content.part": {
      const parts = contentParts([event["part"]], at);
      return { role: "assistant", parts: parts.map((part): PlainPart => ({ ...part, at: `${at}/part` })) };
    }
    case "tool.call": {
      const named = id === undefined ? {} : { id };
      const name = filled(event["name"]) ?? "";
      return {
        role: "assistant",
        parts: [{ kind: "call", ...named, name, arguments: event["args"] ?? {}, at }],
      };
    }
    case "tool.result": {
      const result = fields(event["result"]);
      const isError = result["isError"] === true || result["error"] !== undefined;
      const text = textOf(result["output"] ?? result["error"] ?? result["content"]);
      return { role: "tool", parts: [resultPart({ callId: id, text, isError, at })] };
    }
  }
  return undefined;
}

function usageOf(usage: Fields): { input: number; output: number; cached: number } | undefined {
  const count = (key: string): number => (typeof usage[key] === "number" ? usage[key] : 0);
  if (usage["output"] === undefined) return undefined;
  const cached = count("inputCacheRead");
  return {
    input: count("inputOther") + cached + count("inputCacheCreation"),
    output: count("output"),
    cached,
  };
}
