import type { PlainPart } from "../reading/payload.ts";
import { plainEntry, resultPart, textOf, usageOf } from "./plain.ts";
import { fields, filled, type SessionFile, type SessionRecord } from "./session.ts";
import { append, growingThread, tellOfReply } from "./threads.ts";
import type { Thread } from "./transcript.ts";

/**
 * What `codex exec --json` prints: an item when it begins and again when it ends. Neither the prompt nor call ids are there, so that
 * only what the model did can be looked at.
 */
export function* read(file: SessionFile): Generator<Thread> {
  const thread = growingThread("plain");
  const open = new Map<string, SessionRecord>();
  for (const record of file.lines()) {
    const { value } = record;
    const item = fields(value["item"]);
    const id = filled(item["id"]) ?? "";
    if (value["type"] === "item.started") open.set(id, record);
    else if (value["type"] === "item.completed") {
      open.delete(id);
      addItem(record);
    } else if (value["type"] === "turn.completed") {
      const names = { input: "input_tokens", output: "output_tokens", cached: "cached_input_tokens" };
      const usage = usageOf(value["usage"], names);
      if (usage) tellOfReply(thread, { usage }, ({ reply }) => reply !== undefined);
    } else if (value["type"] === "turn.failed" || value["type"] === "error") {
      const message = textOf(fields(value["error"])["message"] ?? value["message"]);
      append(
        thread,
        plainEntry(record, "assistant", [], { reply: "failed", error: { message, pointer: "" } }),
      );
    } else file.skip(record, `a mark of the run (${filled(value["type"]) ?? "no type"})`);
  }
  for (const record of open.values()) addItem(record);
  yield thread;

  function addItem(record: SessionRecord): void {
    const item = fields(record.value["item"]);
    const id = filled(item["id"]) ?? "";
    const call = callOf(item["type"], item);
    if (!call) {
      const kind =
        item["type"] === "reasoning" ? "reasoning" : item["type"] === "agent_message" ? "text" : undefined;
      if (kind === undefined) {
        file.skip(record, `an item for the screen (${filled(item["type"]) ?? "no type"})`);
        return;
      }
      const part: PlainPart = { kind, text: textOf(item["text"]), at: "/item" };
      append(thread, plainEntry(record, "assistant", [part], { reply: replyAfter() }));
      return;
    }
    append(thread, plainEntry(record, "assistant", [{ ...call, id, at: "/item" }], { reply: replyAfter() }));
    if (item["status"] === "in_progress" || record.value["type"] === "item.started") return;
    const text = textOf(
      item["aggregated_output"] ?? fields(item["result"])["content"] ?? item["error"] ?? item["status"],
    );
    const isError = item["status"] === "failed";
    append(thread, plainEntry(record, "tool", [resultPart({ callId: id, text, isError, at: "/item" })]));
  }

  /** Without ids of replies, whatever comes before the next result is one. */
  function replyAfter(): string {
    const last = thread.entries.at(-1);
    return last?.reply ?? `reply ${thread.entries.length}`;
  }
}

function callOf(
  type: unknown,
  item: Readonly<Record<string, unknown>>,
): (PlainPart & { kind: "call" }) | undefined {
  const made = (name: string, given: unknown): PlainPart & { kind: "call" } => ({
    kind: "call",
    name,
    arguments: given,
    at: "/item",
  });
  if (type === "command_execution") return made("command_execution", { command: item["command"] });
  if (type === "file_change") return made("file_change", { changes: item["changes"] });
  if (type === "mcp_tool_call")
    return made(`${filled(item["server"]) ?? ""}.${filled(item["tool"]) ?? ""}`, item["arguments"] ?? {});
  return undefined;
}
