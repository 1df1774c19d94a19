import { type Fields, fields, filled, list } from "../../../reading/values.ts";
import type { Branch, Entry } from "../../../traffic/transcript.ts";
import { takingRecords } from "../branches.ts";
import { has, typeOf } from "../head.ts";
import { otherType } from "../other-records.ts";
import { known } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile } from "../session-file.ts";
import { RecordTree } from "../tree.ts";

export const format: SessionFormat = {
  name: "qwen-code",
  summary: "chats of Qwen Code (~/.qwen/projects)",
  signs: "records with uuid, or a user, assistant or tool_result as type, and message.parts",
  recognize: (head) => head.lines.some((line) => has(line, "uuid") && hasParts(line)) || isChat(head.lines),
};

function hasParts(line: Fields): boolean {
  return Array.isArray(fields(line["message"])["parts"]);
}

/** Records without ids, as exports leave them: what was said, in order. */
function isChat(lines: readonly Fields[]): boolean {
  const said = lines.filter(hasParts).map(typeOf);
  return said.every((type) => spoken.test(type)) && said.includes("user") && said.includes("assistant");
}

const spoken = /^(?:user|assistant|tool_result)$/;

/** Qwen Code's chats: a tree like Claude Code's, with Gemini messages. A rewind names its target record. */
export function* read(file: SessionFile): Generator<Branch> {
  const tree = new RecordTree("gemini");
  let last: string | undefined;
  for (const record of file.lines()) {
    const { value, span, base } = record;
    const stated = filled(value["uuid"]);
    // Without an id, a record follows the one before it.
    const id = stated ?? `${span.start}`;
    const parent = filled(value["parentUuid"]) ?? (stated === undefined ? last : undefined);
    last = id;
    const message = fields(value["message"]);
    const type = filled(value["type"]) ?? "";
    const parts = list(message["parts"]);
    if (!spoken.test(type) || parts.length === 0 || value["subtype"] === "notification") {
      tree.add({ id, parent, record });
      file.skip(record, otherType(filled(value["subtype"]) ?? type), value["subtype"] === "notification");
      continue;
    }
    const usage = fields(value["usageMetadata"]);
    const count = (key: string): number => (typeof usage[key] === "number" ? usage[key] : 0);
    const facts = known({
      time: value["timestamp"],
      // A message may be split over records with one id.
      reply: type === "assistant" ? id : undefined,
      model: filled(value["model"]),
      usage:
        usage["promptTokenCount"] === undefined
          ? undefined
          : {
              input: count("promptTokenCount"),
              output: count("candidatesTokenCount"),
              cached: count("cachedContentTokenCount"),
            },
    });
    const said = { role: type === "assistant" ? "model" : "user", ...message };
    const entry: Entry = { value: said, span, base, pointer: "/message", ...facts };
    tree.add({
      id,
      parent,
      entry,
      record,
      isResult: type === "tool_result",
      calls: idsOf(parts, "functionCall"),
      answers: idsOf(parts, "functionResponse"),
    });
  }
  for (const { record, parent } of tree.lost())
    file.lacksBefore(
      record,
      `the record \`${parent}\`, which this one follows, is not in the file, and Qwen Code loads only what follows`,
      false,
    );
  yield* takingRecords(tree.branches);
}

function idsOf(parts: readonly unknown[], key: string): string[] {
  return parts.flatMap((part) => filled(fields(fields(part)[key])["id"]) ?? []);
}
