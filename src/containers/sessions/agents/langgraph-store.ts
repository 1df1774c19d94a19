import { pointerToken } from "../../../reading/pointer.ts";
import { type Fields, fields, filled, isFields, list } from "../../../reading/values.ts";
import { isLangChainKind, speakerOf } from "../../../traffic/roles.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import { addEntry, newBranch } from "../branches.ts";
import { has, hasTable, typeOf } from "../head.ts";
import { known } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";
import { isOfModel } from "./langgraph.ts";

export const format: SessionFormat = {
  name: "langgraph-store",
  summary: "the database of LangGraph's SqliteSaver: the states of its threads",
  signs: "a database with checkpoints of threads",
  recognize: (head) => hasTable(head, "checkpoints", "thread_id", "checkpoint_id", "checkpoint"),
};

/**
 * The newest state of each thread, and of each graph within it: a state holds all messages before. An older
 * state that no other continues is what a caller went back from.
 * @see https://docs.langchain.com/oss/python/langgraph/persistence
 */
export function* read(file: SessionFile): Generator<Branch> {
  const newest = new Map<string, SessionRecord>();
  // Each state repeats those before it, so no more is kept of the older ones.
  const older: (Pick<SessionRecord, "span"> & { readonly id: unknown })[] = [];
  const parents = new Set<unknown>();
  for (const record of file.lines()) {
    const { table, parent_checkpoint_id: parent } = record.value;
    if (table === "writes") file.skip(record, "what a step wrote into a state");
    if (table !== "checkpoints") continue;
    parents.add(parent);
    if (!isFields(record.value["checkpoint"])) file.skip(record, "a state that cannot be read");
    if (messagesOf(record).length === 0) continue;
    const thread = threadOf(record);
    const before = newest.get(thread);
    const isNewest = !before || idOf(record) >= idOf(before);
    if (isNewest) newest.set(thread, record);
    const other = isNewest ? before : record;
    if (other) older.push({ span: other.span, id: other.value["checkpoint_id"] });
  }
  for (const state of older)
    file.skip(
      state,
      parents.has(state.id) ? "a state that a later one continues" : "a state that the thread went back from",
    );
  for (const record of newest.values()) {
    const { span, base } = record;
    const branch = newBranch("sdk-messages");
    const held = messagesOf(record);
    if (!held.every(({ message }) => isSpoken(message))) file.skip(record, "a state with more than messages");
    for (const { message, pointer } of held) {
      if (!isSpoken(message)) continue;
      const reply = isOfModel(message, innerOf(message)) ? pointer : undefined;
      addEntry(branch, { value: message, span, base, pointer, ...known({ reply }) });
    }
    yield branch;
  }
}

/** Later states have greater ids. */
function idOf({ value }: SessionRecord): string {
  return String(value["checkpoint_id"]);
}

function threadOf({ value }: SessionRecord): string {
  return JSON.stringify([value["thread_id"], value["checkpoint_ns"]]);
}

interface Held {
  readonly message: Fields;
  readonly pointer: string;
}

/** What a state's first channel with messages holds. */
function messagesOf({ value }: SessionRecord): readonly Held[] {
  const channels = fields(fields(value["checkpoint"])["channel_values"]);
  for (const [name, held] of Object.entries(channels)) {
    const messages = list(held).map(fields);
    const base = `/checkpoint/channel_values/${pointerToken(name)}`;
    if (messages.some(isSpoken))
      return messages.map((message, index) => ({ message, pointer: `${base}/${index}` }));
  }
  return [];
}

/** A message of LangChain, as one object or as its class writes it, or of a chat. */
function isSpoken(message: Fields): boolean {
  const inner = innerOf(message);
  if (!has(inner, "content")) return false;
  return (
    isLangChainKind(typeOf(inner)) || inner !== message || speakerOf(filled(message["role"])) !== undefined
  );
}

/** A message without what its class writes around it. */
function innerOf(message: Fields): Fields {
  return isFields(message["kwargs"]) ? message["kwargs"] : message;
}
