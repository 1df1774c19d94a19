import { type Fields, fields, filled } from "../../../reading/values.ts";
import type { PlainMessage } from "../../../traffic/plain-message.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import { addEntry, newBranch } from "../branches.ts";
import { documents, has, typeOf } from "../head.ts";
import { contentParts, known, plainEntry } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";

export const format: SessionFormat = {
  name: "openai-agents",
  summary: "saved runs of the OpenAI Agents SDK (RunState), in Python and JavaScript",
  signs: "$schemaVersion, the original input and the generated items",
  recognize: (head) => documents(head).some((value) => namesOf(value) !== undefined),
};

/** The names of the members, which the two languages write differently. */
const spellings = [
  { input: "original_input", items: "generated_items", raw: "raw_item", isWire: true },
  { input: "originalInput", items: "generatedItems", raw: "rawItem", isWire: false },
] as const;

function namesOf(value: Fields): (typeof spellings)[number] | undefined {
  if (!has(value, "$schemaVersion")) return undefined;
  return spellings.find(({ input, items }) => has(value, input, items));
}

/**
 * The state of a run that waits, for example until somebody approves a call: what it was asked, and each item
 * since then. Python keeps items of the Responses API, JavaScript the SDK's own ones.
 * @see https://openai.github.io/openai-agents-python/human_in_the_loop/
 */
export function* read(file: SessionFile): Generator<Branch> {
  const [document] = file.documents();
  const names = document && namesOf(document.value);
  if (!names) return;
  const { input, items, raw, isWire } = names;
  const branch = newBranch(isWire ? "openai-responses" : "plain");
  let reply: string | undefined;
  const add = (record: SessionRecord, item: Fields, pointer: string): void => {
    reply = isOfModel(item) ? (reply ?? `${record.span.start}`) : undefined;
    const { span, base } = record;
    if (isWire) addEntry(branch, { value: item, span, base, pointer, ...known({ reply }) });
    else addEntry(branch, plainEntry(record, ...partsOf(item, pointer), known({ reply })));
  };
  const asked = filled(document.value[input]);
  if (asked !== undefined) add(document, { role: "user", content: asked }, `/${input}`);
  for (const record of file.elements(`/${input}`)) add(record, record.value, "");
  for (const record of file.elements(`/${items}`)) {
    if (typeOf(record.value) === "tool_approval_item")
      file.skip(record, "an approval request; its call has a record of its own");
    else add(record, fields(record.value[raw]), `/${raw}`);
  }
  yield branch;
}

function isOfModel(item: Fields): boolean {
  return item["role"] === "assistant" || /^(?:\w+_call|reasoning|program)$/.test(typeOf(item));
}

/** The author and the parts of an item in the form of the SDK for JavaScript. */
function partsOf(item: Fields, at: string): [PlainMessage["role"], PlainMessage["parts"]] {
  const { role, content } = item;
  if (typeof role === "string" && content !== undefined) {
    const author = role === "assistant" || role === "system" ? role : "user";
    return [author, contentParts(content, `${at}/content`)];
  }
  const parts = contentParts([item], at).map((part) => ({ ...part, at }));
  return [isOfModel(item) ? "assistant" : "tool", parts];
}
