import type { PlainPart } from "../reading/payload.ts";
import { contentParts, known, plainEntry, resultPart, textOf } from "./plain.ts";
import { type Fields, fields, filled, type SessionFile, type SessionRecord } from "./session.ts";
import { append, compacted, type GrowingThread, growingThread, tellOfReply } from "./threads.ts";
import type { Thread } from "./transcript.ts";

/** Kimi Code's `wire.jsonl`: what the user said is appended whole, a reply part by part, step by step, with the tools' results between. */
export function* read(file: SessionFile): Generator<Thread> {
  const threads: GrowingThread[] = [growingThread("plain")];
  let model: string | undefined;
  for (const record of file.lines()) {
    const { value } = record;
    const thread = threads.at(-1) as GrowingThread;
    const isOwn = ({ reply }: { readonly reply?: string }): boolean => reply !== undefined;
    model = filled(value["modelAlias"]) ?? model;
    if (value["type"] === "context.append_message") {
      const message = fields(value["message"]);
      const role =
        message["role"] === "assistant" ? "assistant" : message["role"] === "system" ? "system" : "user";
      append(thread, plainEntry(record, role, contentParts(message["content"], "/message/content")));
    } else if (value["type"] === "context.append_loop_event") {
      const event = fields(value["event"]);
      if (event["type"] === "step.end") {
        const reason = filled(event["finishReason"]);
        const usage = usageOf(fields(event["usage"]));
        tellOfReply(
          thread,
          known({ usage, finish: reason === undefined ? undefined : { reason, pointer: "" } }),
          isOwn,
        );
      } else addEvent(thread, record, event, model);
    } else if (value["type"] === "context.apply_compaction") {
      const text = textOf(value["contextSummary"] ?? value["summary"]);
      const summary = plainEntry(record, "user", [
        { kind: "summary", text, at: value["contextSummary"] === undefined ? "/summary" : "/contextSummary" },
      ]);
      threads.push(compacted(thread, [summary]));
    } else {
      if (value["type"] === "turn.cancel") tellOfReply(thread, { isAborted: true }, isOwn);
      file.skip(record, `a record that is no message (${filled(value["type"]) ?? "no type"})`);
    }
  }
  yield* threads;
}

function addEvent(
  thread: GrowingThread,
  record: SessionRecord,
  event: Fields,
  model: string | undefined,
): void {
  const at = "/event";
  const facts = known({ model, reply: filled(event["stepUuid"]) ?? "" });
  if (event["type"] === "content.part") {
    const parts = contentParts([event["part"]], at).map((part): PlainPart => ({ ...part, at: `${at}/part` }));
    append(thread, plainEntry(record, "assistant", parts, facts));
  } else if (event["type"] === "tool.call") {
    const id = filled(event["toolCallId"]);
    const name = filled(event["name"]) ?? "";
    const call: PlainPart = {
      kind: "call",
      ...(id !== undefined && { id }),
      name,
      arguments: event["args"] ?? {},
      at,
    };
    append(thread, plainEntry(record, "assistant", [call], facts));
  } else if (event["type"] === "tool.result") {
    const result = fields(event["result"]);
    const isError = result["isError"] === true || result["error"] !== undefined;
    const text = textOf(result["output"] ?? result["error"] ?? result["content"]);
    append(
      thread,
      plainEntry(record, "tool", [resultPart({ callId: filled(event["toolCallId"]), text, isError, at })]),
    );
  }
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
