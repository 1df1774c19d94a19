import { fields, filled, list } from "../../../reading/values.ts";
import type { PlainPart } from "../../../traffic/plain-message.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import { addEntry, newBranch } from "../branches.ts";
import { has } from "../head.ts";
import { otherType } from "../other-records.ts";
import { callPart, plainEntry, resultPart, textOf } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile } from "../session-file.ts";

export const format: SessionFormat = {
  name: "kiro",
  summary: "sessions of Kiro's CLI",
  signs: "records with version, kind (Prompt, AssistantMessage, ToolResults) and data",
  recognize: (head) =>
    head.lines.some(
      (line) =>
        has(line, "kind", "data") &&
        /^(?:Prompt|AssistantMessage|ToolResults)$/.test(filled(line["kind"]) ?? ""),
    ) ||
    (head.document !== undefined && has(head.document, "session_id", "session_state")),
};

/** Kiro's sessions: `{version, kind, data}` per line. Each part of a message is `{kind, data}`, too. */
export function* read(file: SessionFile): Generator<Branch> {
  const branch = newBranch("plain");
  for (const record of file.lines()) {
    const { value } = record;
    if (value["session_state"] !== undefined) {
      file.advise(
        "a note about a session of Kiro: the session itself is in the .jsonl file of the same name",
      );
      return;
    }
    const data = fields(value["data"]);
    const time = fields(data["meta"])["timestamp"];
    const facts = { time };
    const parts = list(data["content"]).flatMap((part, index) => partOf(part, `/data/content/${index}`));
    if (value["kind"] === "Prompt") addEntry(branch, plainEntry(record, "user", parts, facts));
    else if (value["kind"] === "ToolResults") addEntry(branch, plainEntry(record, "tool", parts, facts));
    else if (value["kind"] === "AssistantMessage")
      addEntry(
        branch,
        plainEntry(record, "assistant", parts, {
          ...facts,
          reply: filled(data["message_id"]) ?? `${record.span.start}`,
        }),
      );
    else file.skip(record, otherType(filled(value["kind"])));
  }
  yield branch;
}

function partOf(value: unknown, at: string): PlainPart[] {
  const { kind, data } = fields(value);
  const inner = fields(data);
  switch (kind) {
    case "text":
      return [{ kind: "text", text: textOf(data), at: `${at}/data` }];
    case "thinking":
      return [{ kind: "reasoning", text: textOf(inner["text"]), at: `${at}/data/text` }];
    case "image":
      return [{ kind: "media", at }];
    case "toolUse": {
      const { toolUseId: id, name, input } = inner;
      return [callPart({ id, name, arguments: input ?? {}, at: `${at}/data` })];
    }
    case "toolResult": {
      const texts = list(inner["content"]).map((part) => textOf(fields(part)["data"]));
      const isError = inner["status"] === "error";
      return [
        resultPart({ callId: filled(inner["toolUseId"]), text: texts.join("\n"), isError, at: `${at}/data` }),
      ];
    }
    default:
      return [];
  }
}
