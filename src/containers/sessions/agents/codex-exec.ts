import { type Fields, fields, filled, list } from "../../../reading/values.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import { addEntry, amendReply, newBranch } from "../branches.ts";
import { has, typeOf } from "../head.ts";
import { otherType } from "../other-records.ts";
import {
  type CallPart,
  callPart,
  contentParts,
  plainEntry,
  resultPart,
  textOf,
  usageFact,
} from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";

export const format: SessionFormat = {
  name: "codex-exec",
  summary:
    "what `codex exec --json` prints, which has no prompt and no call ids, and the traffic of `codex app-server`",
  signs: "thread.started, item.started, item.completed; item/started, item/completed",
  recognize: (head) =>
    head.lines.some(
      (line) =>
        (line["type"] === "thread.started" && has(line, "thread_id")) ||
        (/^item\.(?:started|completed)$/.test(typeOf(line)) && has(fields(line["item"]), "id", "type")) ||
        (/^item\/(?:started|completed)$/.test(filled(line["method"]) ?? "") &&
          has(fields(fields(line["params"])["item"]), "id", "type")),
    ),
};

/**
 * The output of `codex exec --json`: each item when it starts and when it ends, without prompts and call ids.
 * The notifications of `codex app-server` hold the same items, and the user's messages.
 */
export function* read(file: SessionFile): Generator<Branch> {
  const branches = new Map<string, Items>();
  for (const record of file.lines()) {
    const { value } = record;
    const method = filled(value["method"]);
    const params = fields(value["params"]);
    const id = filled(params["threadId"]) ?? "";
    const items = branches.get(id) ?? new Items(file);
    branches.set(id, items);
    if (method === undefined) items.add(record, filled(value["type"]) ?? "no type", value, "");
    else items.add(record, method.replaceAll("/", "."), params, "/params");
  }
  for (const items of branches.values()) {
    items.end();
    if (branches.size === 1 || items.branch.entries.length > 0) yield items.branch;
  }
}

/** The item in a record. The two programs print the same items and spell their types differently. */
interface PrintedItem {
  readonly record: SessionRecord;
  readonly item: Fields;
  readonly type: string;
  readonly at: string;
}

class Items {
  readonly branch = newBranch("plain");
  readonly #file: SessionFile;
  readonly #open = new Map<string, PrintedItem>();

  constructor(file: SessionFile) {
    this.#file = file;
  }

  add(record: SessionRecord, word: string, value: Fields, base: string): void {
    const { branch } = this;
    const item = fields(value["item"]);
    const id = filled(item["id"]) ?? "";
    const type = (filled(item["type"]) ?? "no type").replace(
      /[A-Z]/g,
      (letter) => `_${letter.toLowerCase()}`,
    );
    const printed: PrintedItem = { record, item, type, at: `${base}/item` };
    if (word === "item.started") this.#open.set(id, printed);
    else if (word === "item.completed") {
      this.#open.delete(id);
      this.#addItem(printed, true);
    } else if (word === "turn.completed" && value["usage"] !== undefined) {
      const names = { input: "input_tokens", output: "output_tokens", cached: "cached_input_tokens" };
      const usage = usageFact(value["usage"], names);
      if (usage) amendReply(branch, { usage });
    } else if (word === "turn.completed" && fields(value["turn"])["status"] === "interrupted")
      amendReply(branch, { isAborted: true });
    else if (word === "turn.failed" || (word === "error" && value["willRetry"] !== true)) {
      const message = textOf(fields(value["error"])["message"] ?? value["message"]);
      addEntry(
        branch,
        plainEntry(record, "assistant", [], { reply: "failed", error: { message, pointer: "" } }),
      );
    } else this.#file.skip(record, otherType(word));
  }

  /** Adds the calls that started and never ended. */
  end(): void {
    for (const printed of this.#open.values()) this.#addItem(printed, false);
  }

  #addItem({ record, item, type, at }: PrintedItem, isOver: boolean): void {
    const { branch } = this;
    const id = filled(item["id"]) ?? "";
    if (type === "user_message") {
      addEntry(branch, plainEntry(record, "user", contentParts(item["content"], `${at}/content`)));
      return;
    }
    const call = callOf(type, item, at);
    if (!call) {
      const kind = type === "reasoning" ? "reasoning" : type === "agent_message" ? "text" : undefined;
      const said = list(item["summary"]).length > 0 ? item["summary"] : item["content"];
      const text = textOf(item["text"] ?? list(said).map(textOf).join("\n"));
      if (kind === undefined) this.#file.skip(record, otherType(type, "an item"));
      else
        addEntry(
          branch,
          plainEntry(record, "assistant", [{ kind, text, at }], { reply: this.#replyAfter() }),
        );
      return;
    }
    addEntry(branch, plainEntry(record, "assistant", [{ ...call, id }], { reply: this.#replyAfter() }));
    if (!isOver || /^in_?progress$/i.test(filled(item["status"]) ?? "")) return;
    const given = item["result"] ?? undefined;
    const text = textOf(
      item["aggregated_output"] ??
        item["aggregatedOutput"] ??
        fields(given)["content"] ??
        given ??
        item["contentItems"] ??
        fields(item["error"])["message"] ??
        item["error"] ??
        item["status"],
    );
    const isError = item["status"] === "failed" || item["status"] === "declined";
    addEntry(branch, plainEntry(record, "tool", [resultPart({ callId: id, text, isError, at })]));
  }

  /** Replies have no ids: everything up to the next result is one reply. */
  #replyAfter(): string {
    const last = this.branch.entries.at(-1);
    return last?.reply ?? `reply ${this.branch.entries.length}`;
  }
}

function callOf(type: string, item: Fields, at: string): CallPart | undefined {
  const made = (name: string, given: unknown): CallPart => callPart({ name, arguments: given, at });
  if (type === "command_execution") return made("command_execution", { command: item["command"] });
  if (type === "file_change") return made("file_change", { changes: item["changes"] });
  if (type === "mcp_tool_call")
    return made(`${filled(item["server"]) ?? ""}.${filled(item["tool"]) ?? ""}`, item["arguments"] ?? {});
  if (type === "dynamic_tool_call") return made(filled(item["tool"]) ?? "", item["arguments"] ?? {});
  return undefined;
}
