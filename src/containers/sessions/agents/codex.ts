import { pushAll } from "../../../reading/lists.ts";
import { type Fields, fields, filled, list } from "../../../reading/values.ts";
import { type Branch, type Entry, entryAt } from "../../../traffic/transcript.ts";
import {
  amendReply,
  compacted,
  forked,
  type GrowingBranch,
  lengthOf,
  newBranch,
  takingRecords,
} from "../branches.ts";
import { has, typeOf } from "../head.ts";
import { otherType } from "../other-records.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";
import { eventBranch } from "./codex-events.ts";

export const format: SessionFormat = {
  name: "codex",
  summary: "rollouts of Codex (~/.codex/sessions), with and without envelopes",
  signs: "session_meta and response_item records with a payload; in old files record_type",
  recognize: (head) => head.lines.some(isCodex),
};

function isCodex(line: Fields): boolean {
  if (/^(?:session_meta|response_item|turn_context|compacted)$/.test(typeOf(line)))
    return has(line, "payload");
  return line["record_type"] === "state" || has(line, "id", "timestamp", "instructions", "git");
}

/** Types of the model's items. */
const said =
  /^(?:reasoning|function_call|custom_tool_call|local_shell_call|web_search_call|image_generation_call|tool_search_call)$/;

/**
 * Codex's rollouts: one envelope `{timestamp, type, payload}` a line. Only `response_item` is history; events
 * repeat it for the screen. Older files have bare items after a line about the session.
 */
export function* read(file: SessionFile): Generator<Branch> {
  const branches: GrowingBranch[] = [];
  let branch = newBranch("openai-responses");
  branches.push(branch);
  let model: string | undefined;
  /** An abort may be noted before its items, so it covers everything up to the next user message. */
  let isAborted = false;
  /** Events wait until an item shows that they only repeat the history; some files have only events. */
  let events: SessionRecord[] | undefined = [];
  const skipEvent = (record: SessionRecord): void => {
    if (events) events.push(record);
    else file.skip(record, otherType(filled(fields(record.value["payload"])["type"]), "a display event"));
  };
  const isReply = ({ value }: Entry): boolean => isSaid(fields(value));
  const begin = (begun: GrowingBranch): void => {
    branches.push(begun);
    branch = begun;
  };

  for (const record of file.lines()) {
    const { value } = record;
    const payload = fields(value["payload"]);
    const kind = filled(payload["type"]);
    if (value["type"] === "response_item" || isBare(value)) {
      const item = isBare(value) ? value : payload;
      if (item["type"] === "ghost_snapshot") {
        file.skip(record, "a snapshot of files");
        continue;
      }
      if (item["role"] === "user") isAborted = false;
      const before = events ?? [];
      events = undefined;
      for (const event of before) skipEvent(event);
      branch.entries.push(entryOf(record, item, isBare(value) ? "" : "/payload", { model, isAborted }));
    } else if (value["type"] === "history_mutation") {
      // Forks of Codex log the changes of their history.
      const items = list(payload["items"]).map((item, index) =>
        entryOf(record, fields(item), `/payload/items/${index}`, { model, isAborted }),
      );
      if (payload["operation"] === "append") {
        events = undefined;
        pushAll(
          branch.entries,
          items.filter(({ value: item }) => isItem(fields(item))),
        );
      } else begin(compacted(branch, items));
    } else if (value["type"] === "compacted") {
      const kept = list(payload["replacement_history"]).map((item, index) =>
        entryOf(record, fields(item), `/payload/replacement_history/${index}`, {}),
      );
      const summary = { type: "compaction_summary", summary: payload["message"] };
      begin(compacted(branch, kept.length > 0 ? kept : [entryOf(record, summary, "/payload/message", {})]));
    } else if (value["type"] === "turn_context") {
      model = filled(payload["model"]) ?? model;
    } else if (kind === "turn_aborted") {
      isAborted = true;
      amendReply(branch, { isAborted }, isReply);
      file.skip(record, "the mark of an aborted turn");
    } else if (kind === "thread_rolled_back") {
      begin(forked(branch, beginOfTurn(branch, Number(payload["num_turns"]) || 1)));
    } else if (kind === "token_count") {
      const usage = usageOf(fields(payload["info"])["last_token_usage"]);
      if (usage) amendReply(branch, { usage }, isReply);
    } else if (value["type"] === "event_msg") skipEvent(record);
    else file.skip(record, otherType(filled(value["type"]) ?? filled(value["record_type"])));
  }
  if (events && branches.every(({ entries }) => entries.length === 0)) {
    yield eventBranch(events, file);
    return;
  }
  yield* takingRecords(branches);
}

/** An item as older versions wrote it, without an envelope. */
function isBare(value: Fields): boolean {
  const { type } = value;
  if (value["payload"] !== undefined || typeof type !== "string") return false;
  return type === "message" || said.test(type) || /_call_output$/.test(type);
}

/** Whether a value is an item of the history, not a note for the screen. */
function isItem(item: Fields): boolean {
  return item["role"] !== undefined || isBare(item);
}

function isSaid(item: Fields): boolean {
  return item["role"] === "assistant" || said.test(filled(item["type"]) ?? "");
}

function entryOf(
  { span, base, value: record }: SessionRecord,
  value: Fields,
  pointer: string,
  { model, isAborted }: { readonly model?: string | undefined; readonly isAborted?: boolean },
): Entry {
  const time = record["timestamp"];
  const isOwn = isSaid(value);
  return {
    value,
    span,
    base,
    pointer,
    time,
    ...(isOwn && model !== undefined && { model }),
    ...(isOwn && isAborted && { isAborted }),
  };
}

/** The index where the last `turns` turns begin. Context added by the client (`<…>`) begins no turn. */
function beginOfTurn(branch: GrowingBranch, turns: number): number {
  let left = turns;
  for (let index = lengthOf(branch) - 1; index > 0; index--) {
    const { role, content } = fields(entryAt(branch, index)?.value);
    const text = filled(fields(list(content)[0])["text"]) ?? "";
    if (role === "user" && !text.startsWith("<") && --left === 0) return index;
  }
  return 0;
}

function usageOf(value: unknown): Entry["usage"] {
  const usage = fields(value);
  const count = (key: string): number => (typeof usage[key] === "number" ? usage[key] : 0);
  if (typeof usage["output_tokens"] !== "number") return undefined;
  return {
    input: count("input_tokens"),
    output: count("output_tokens"),
    cached: count("cached_input_tokens"),
  };
}
