import { fields, filled } from "../../../reading/values.ts";
import type { PlainPart } from "../../../traffic/plain-message.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import { addEntry, newBranch } from "../branches.ts";
import { documents, has } from "../head.ts";
import { contentParts, finishFact, known, plainEntry } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile } from "../session-file.ts";

export const format: SessionFormat = {
  name: "amp",
  summary: "threads of Amp, as a document",
  signs: "v, an id beginning with T-, and messages",
  recognize: (head) =>
    documents(head).some((value) => has(value, "v", "messages") && /^T-/.test(filled(value["id"]) ?? "")),
};

/** An Amp session is one document with messages. The `run` of a tool result says how the tool ended. */
export function* read(file: SessionFile): Generator<Branch> {
  const branch = newBranch("plain");
  for (const record of file.elements("/messages")) {
    const { value } = record;
    const role = value["role"];
    if (role !== "user" && role !== "assistant") {
      file.skip(record, "a message without a role");
      continue;
    }
    const parts = contentParts(value["content"], "/content");
    const isResult = ({ kind }: PlainPart): boolean => kind === "result";
    const [results, others] = [parts.filter(isResult), parts.filter((part) => !isResult(part))];
    const state = fields(value["state"]);
    const facts = known({
      time: fields(value["meta"])["sentAt"],
      reply: role === "assistant" ? record.base : undefined,
      model: filled(fields(value["usage"])["model"]),
      isAborted: state["type"] === "cancelled" ? true : undefined,
      finish: finishFact(state["stopReason"], "/state/stopReason"),
    });
    if (results.length > 0) addEntry(branch, plainEntry(record, "tool", results));
    if (others.length > 0 || results.length === 0) addEntry(branch, plainEntry(record, role, others, facts));
  }
  yield branch;
}
