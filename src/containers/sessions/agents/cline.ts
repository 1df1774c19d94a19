import { type Fields, fields, filled, list } from "../../../reading/values.ts";
import type { Branch, Entry } from "../../../traffic/transcript.ts";
import { addEntry, compacted, type GrowingBranch, newBranch, takingRecords } from "../branches.ts";
import { has } from "../head.ts";
import { known, textOf, usageFact } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";

export const format: SessionFormat = {
  name: "cline",
  summary: "histories of Cline, Roo Code and Kilo Code (api_conversation_history.json)",
  signs: "a list of messages with role, content and ts, or one under messages next to sessionId",
  recognize: ({ document, elements }) =>
    (document !== undefined &&
      has(document, "sessionId", "messages") &&
      list(document["messages"]).some(isStamped)) ||
    elements.some((element) => isStamped(element) || isClineNote(element)),
};

function isStamped(value: unknown): boolean {
  const message = fields(value);
  return has(message, "role", "content") && typeof message["ts"] === "number";
}

function isClineNote(value: Fields): boolean {
  return (
    has(value, "ts") &&
    (has(value, "type", "say") || has(value, "type", "ask") || has(value, "task", "tokensIn"))
  );
}

/**
 * The history of Cline, Roo Code and Kilo Code: Anthropic messages with timestamps, as a list in
 * `api_conversation_history.json`, or under `messages` in newer versions. When Roo condenses, the replaced
 * messages stay in the file, marked with their summary.
 */
export function* read(file: SessionFile): Generator<Branch> {
  const inDocument = file.elements("/messages");
  const records = inDocument.length > 0 ? inDocument : file.elements("");
  const isHistory = records.some(({ value }) => value["role"] !== undefined);
  if (!isHistory) {
    file.advise(
      records.some(({ value }) => value["say"] !== undefined || value["ask"] !== undefined)
        ? "what Cline displayed, not what it sent: the history is in api_conversation_history.json, in the same folder"
        : "a list of Cline's tasks: their histories are in tasks/ID/api_conversation_history.json",
    );
    return;
  }
  const branches: GrowingBranch[] = [newBranch("anthropic")];
  for (const record of records) {
    if (record.value["role"] === undefined) continue;
    let branch = branches.at(-1) as GrowingBranch;
    if (record.value["isSummary"] === true && branch.entries.length > 0) {
      branch = compacted(branch);
      branches.push(branch);
    }
    addEntry(branch, entryOf(record));
  }
  yield* takingRecords(branches);
}

function entryOf({ value, span, base }: SessionRecord): Entry {
  const info = fields(value["modelInfo"]);
  const names = { input: "inputTokens", output: "outputTokens", cached: "cacheReadTokens" };
  const facts = known({
    time: value["ts"],
    reply: value["role"] === "assistant" ? (filled(value["id"]) ?? base) : undefined,
    model: filled(info["id"]),
    usage: usageFact(value["metrics"], names),
  });
  const outline = withTexts(value);
  const said = { value: withoutFiles(value), span, base, pointer: "" };
  return { ...said, ...(outline && { outline: withoutFiles(outline) }), ...facts };
}

/**
 * A message whose results are read as text: Cline 3 keeps `{query, result, success}` for each thing that was
 * asked, and sends them as text. `undefined` for other messages.
 */
function withTexts(value: Fields): Fields | undefined {
  let isAsked = false;
  const content = list(value["content"]).map((block) => {
    const { type, content: outcomes } = fields(block);
    const isOutcomes = Array.isArray(outcomes) && outcomes.length > 0 && outcomes.every(isOutcome);
    if (type !== "tool_result" || !isOutcomes) return block;
    isAsked = true;
    const isError = outcomes.every((outcome) => fields(outcome)["success"] === false);
    const text = outcomes.map(outcomeText).join("\n");
    return { ...fields(block), content: text, ...(isError && { is_error: true }) };
  });
  return isAsked ? { ...value, content } : undefined;
}

function isOutcome(value: unknown): boolean {
  const outcome = fields(value);
  return outcome["type"] === undefined && (has(outcome, "result") || has(outcome, "error"));
}

function outcomeText(value: unknown): string {
  const { result, error } = fields(value);
  return textOf(result === "" ? (error ?? result) : (result ?? error));
}

/** The model receives a file block as text. */
function withoutFiles(value: Fields): Fields {
  const content = list(value["content"]);
  if (!content.some((block) => fields(block)["type"] === "file")) return value;
  const blocks = content.map((block) => {
    const { type, content: text } = fields(block);
    return type === "file" ? { type: "text", text } : block;
  });
  return { ...value, content: blocks };
}
