import { pushAll } from "../../../reading/lists.ts";
import { type Fields, fields, filled } from "../../../reading/values.ts";
import type { Branch, Entry } from "../../../traffic/transcript.ts";
import { addEntry, amendReply, compacted, type GrowingBranch, newBranch } from "../branches.ts";
import { has, typeOf } from "../head.ts";
import { otherType } from "../other-records.ts";
import { answeredIds, contentParts, known, plainEntry, textOf, usageFact } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";

export const format: SessionFormat = {
  name: "deepseek-harness",
  summary: "sessions of the DeepSeek harness (session.jsonl)",
  signs: "a session header with agentPreset; user/message and assistant/message events with a surfaceOp",
  // pi also writes a session header with id and cwd.
  priority: 1,
  recognize: (head) =>
    head.lines.some(
      (line) =>
        (line["type"] === "session" && has(line, "id", "createdAt", "agentPreset")) ||
        (/^(?:user|assistant)\/message$/.test(typeOf(line)) && has(line, "seq", "surfaceOp")),
    ),
};

/**
 * Sessions of the DeepSeek harness: events in order. Events with a `surfaceOp` form the history. One that
 * replaces names the first and the last event that it replaces.
 */
export function* read(file: SessionFile): Generator<Branch> {
  const branches = [newBranch("plain")];
  const numbers = new WeakMap<Entry, number>();
  let model: string | undefined;
  for (const record of file.lines()) {
    const { value } = record;
    const data = fields(value["data"]);
    const branch = branches.at(-1) as GrowingBranch;
    const { config } = fields(data["header"]);
    model = filled(fields(config)["model"]) ?? model;
    const entry = entryOf(record, model);
    if (value["type"] === "turn/end" && /^(?:aborted|cancelled)$/.test(reasonOf(data)))
      amendReply(branch, { isAborted: true });
    if (!entry || value["surfaceOp"] === undefined) {
      file.skip(record, otherType(filled(value["type"])));
      continue;
    }
    const replaced = replacedBy(value["surfaceOp"]);
    numbers.set(entry, Number(value["seq"]));
    if (replaced) {
      const numberOf = (kept: Entry): number => numbers.get(kept) ?? 0;
      const before = branch.entries.filter((kept) => numberOf(kept) < replaced.from);
      const behind = branch.entries.filter((kept) => numberOf(kept) > replaced.to);
      const entries = [...before, entry, ...behind];
      const isHistory = branch.entries.some((kept) => kept.reply !== undefined && !entries.includes(kept));
      // A prompt that was replaced before any reply was never sent.
      if (isHistory) branches.push(compacted(branch, entries));
      else {
        branch.entries.length = 0;
        pushAll(branch.entries, entries);
      }
    } else addEntry(branch, entry);
  }
  yield* branches;
}

function reasonOf(data: Fields): string {
  return filled(fields(data["reason"])["kind"]) ?? "";
}

function replacedBy(operation: unknown): { readonly from: number; readonly to: number } | undefined {
  const { op, startSeq, endSeq, start, end } = fields(operation);
  return op === "replace" ? { from: Number(startSeq ?? start), to: Number(endSeq ?? end) } : undefined;
}

function entryOf(record: SessionRecord, model: string | undefined): Entry | undefined {
  const type = filled(record.value["type"]);
  const data = fields(record.value["data"]);
  const isWrapped = data["message"] !== undefined;
  const message = isWrapped ? fields(data["message"]) : data;
  const at = isWrapped ? "/data/message/content" : "/data/content";
  const parts = contentParts(message["content"], at);
  if (type === "user/message") return plainEntry(record, "user", parts);
  if (type === "system/message") return plainEntry(record, "system", parts);
  if (type === "tool/result")
    return plainEntry(record, answeredIds(parts).length > 0 ? "tool" : "user", parts);
  if (type === "compaction/summary")
    return plainEntry(record, "user", [
      { kind: "summary", text: textOf(data["summary"]), at: "/data/summary" },
    ]);
  if (type !== "assistant/message") return undefined;
  const usage = usageFact(data["usage"], {
    input: "inputTokens",
    output: "outputTokens",
    cached: "cacheReadTokens",
  });
  const reply = filled(message["id"]) ?? `${record.span.start}`;
  const own = filled(fields(message["source"])["model"]) ?? model;
  return plainEntry(record, "assistant", parts, known({ reply, model: own, usage }));
}
