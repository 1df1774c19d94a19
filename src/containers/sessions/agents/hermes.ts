import { fields, filled } from "../../../reading/values.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import { newBranch, takingRecords } from "../branches.ts";
import { documents, has } from "../head.ts";
import { aboutSession } from "../other-records.ts";
import { finishFact, known } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile } from "../session-file.ts";

export const format: SessionFormat = {
  name: "hermes",
  summary: "sessions of Hermes, as a document",
  signs: "session_id, platform and messages",
  recognize: (head) => documents(head).some((value) => has(value, "session_id", "platform", "messages")),
};

/** A Hermes session is one document with messages in the form of the chat API. */
export function* read(file: SessionFile): Generator<Branch> {
  const branch = newBranch("openai-chat");
  for (const record of file.elements("/messages")) {
    const { value, span, base } = record;
    if (!/^(?:system|user|assistant|tool)$/.test(filled(value["role"]) ?? "")) {
      file.skip(record, aboutSession);
      continue;
    }
    const isModel = value["role"] === "assistant";
    const facts = known({
      reply: isModel ? base : undefined,
      model: filled(fields(file.value("/model"))["name"]) ?? filled(file.value("/model")),
      finish: isModel ? finishFact(value["finish_reason"], "/finish_reason") : undefined,
    });
    branch.entries.push({ value, span, base, pointer: "", ...facts });
  }
  yield* takingRecords([branch]);
}
