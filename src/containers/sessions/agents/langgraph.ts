import { pointerToken } from "../../../reading/pointer.ts";
import { type Fields, fields, filled, isFields, list } from "../../../reading/values.ts";
import { isLangChainKind } from "../../../traffic/roles.ts";
import type { Branch, Entry } from "../../../traffic/transcript.ts";
import { addEntry, newBranch } from "../branches.ts";
import { has, typeOf } from "../head.ts";
import { known, textOf } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile } from "../session-file.ts";

export const format: SessionFormat = {
  name: "langgraph",
  summary: "a LangGraph run: what each node added to the state, or the stream of its server in any mode",
  signs: "records of one node's name, whose value has messages; or a run_id, then states or messages",
  recognize: ({ lines }) => {
    const nodes = lines.map(nodeOf);
    const known = nodes.filter((node) => node !== undefined);
    // One line may be damaged.
    const isOne = known.length === nodes.length || (known.length > 2 && known.length === nodes.length - 1);
    const isUpdates = lines.length > 1 && isOne && new Set(known).size > 1;
    const start = lines[0] && (eventData(lines[0]) ?? lines[0]);
    if (lines.length > 1 && lines.every(isProtocolEvent))
      return lines.some((line) => messagesIn(line).length > 0);
    return isUpdates || (isStart(start) && lines.some((line) => messagesIn(line).length > 0));
  },
};

/** The first event of a server's stream: `{run_id, attempt}`. */
function isStart(line: unknown): boolean {
  if (!isFields(line) || filled(line["run_id"]) === undefined) return false;
  return Object.keys(line).every((key) => /^(?:run_id|attempt|thread_id)$/.test(key));
}

/** The data of an event, `{event, data}` as a client wrote it down, or `{method, params}` as it is sent. */
function eventData(line: Fields): unknown {
  if (typeof line["event"] === "string") return line["data"];
  return isProtocolEvent(line) ? fields(line["params"])["data"] : undefined;
}

/** An event of the protocol that LangGraph's server speaks since version 1 of its SDK. */
function isProtocolEvent({ type, method, params }: Fields): boolean {
  return type === "event" && typeof method === "string" && isFields(fields(params)["data"]);
}

/** The node whose update a record is: its only member, with messages and perhaps other state. */
function nodeOf(line: Fields): string | undefined {
  const [[node, update] = [], ...others] = Object.entries(line);
  const messages = list(fields(update)["messages"]);
  return others.length === 0 && messages.length > 0 && messages.every(isFields) ? node : undefined;
}

interface Found {
  readonly message: Fields;
  readonly pointer: string;
  /** Its id, or its place in the state. */
  readonly key: string | undefined;
}

/**
 * The messages in a record: an update (`updates`), a whole state (`values`), a checkpoint (`debug`), or a
 * message (`messages`), of which later records may have more.
 */
function messagesIn(line: Fields): readonly Found[] {
  const data = eventData(line);
  if (data !== undefined)
    return [data].flat().flatMap((value, index) => {
      const base = isProtocolEvent(line) ? "/params/data" : "/data";
      const within = Array.isArray(data) ? `${base}/${index}` : base;
      return messagesIn(fields(value)).map((each) => ({ ...each, pointer: `${within}${each.pointer}` }));
    });
  const node = nodeOf(line);
  if (node !== undefined && node !== "messages") {
    const pointer = `/${pointerToken(node)}/messages`;
    return found(fields(line[node])["messages"], pointer, false);
  }
  if (isSpoken(line)) return [{ message: line, pointer: "", key: idOf(line) }];
  const isCheckpoint = line["type"] === "checkpoint";
  const state = isCheckpoint ? fields(fields(line["payload"])["values"]) : line;
  const messages = found(state["messages"], `${isCheckpoint ? "/payload/values" : ""}/messages`, true);
  return messages.every(({ message }) => isSpoken(message)) ? messages : [];
}

function found(value: unknown, pointer: string, isState: boolean): readonly Found[] {
  return list(value)
    .map(fields)
    .map((message, index) => ({
      message,
      pointer: `${pointer}/${index}`,
      key: idOf(message) ?? (isState ? `${index}` : undefined),
    }));
}

function idOf(message: Fields): string | undefined {
  const inner = isFields(message["kwargs"]) ? message["kwargs"] : message;
  return filled(inner["id"]);
}

/** Whether a value is a message of LangChain. */
function isSpoken(value: Fields): boolean {
  return isLangChainKind(typeOf(value)) && has(value, "content");
}

/**
 * The messages that the nodes of a graph added, in order, in the form of LangChain or of a provider. A node
 * may return messages that the state has already, and a stream repeats them, in full or piece by piece.
 * @see https://docs.langchain.com/oss/python/langgraph/streaming
 */
export function* read(file: SessionFile): Generator<Branch> {
  const branch = newBranch("sdk-messages");
  const entries = new Map<string, Entry>();
  /** What only a node itself saw, such as a reply that it took for data, stands in no state. */
  const inStates = new Set<string>();
  for (const [line, record] of Array.from(file.lines()).entries()) {
    const { span, base, value } = record;
    const messages = messagesIn(value);
    if (messages.length === 0) file.skip(record, "an update without messages");
    for (const [index, { message, pointer, key = `${line} ${index}` }] of messages.entries()) {
      const before = entries.get(key);
      const isUpdate = nodeOf(fields(eventData(value) ?? value)) !== undefined;
      if (/\/messages\/\d+$/.test(pointer) && !isUpdate) inStates.add(key);
      if (before && isUpdate) continue;
      const inner = isFields(message["kwargs"]) ? message["kwargs"] : message;
      const reply = isOfModel(message, inner) ? (before?.reply ?? key) : undefined;
      const whole = before ? grown(fields(before.value), message) : message;
      entries.set(key, { value: whole, span, base, pointer, ...known({ reply }) });
    }
  }
  for (const [key, entry] of entries) if (inStates.size === 0 || inStates.has(key)) addEntry(branch, entry);
  yield branch;
}

/** A message after another record of it: a chunk adds to the message, anything else replaces it. */
function grown(before: Fields, message: Fields): Fields {
  const [text, more] = [textOf(before["content"]), textOf(message["content"])];
  if (!typeOf(message).endsWith("Chunk") || (text !== "" && more.startsWith(text))) return message;
  const chunks = [...list(before["tool_call_chunks"]), ...list(message["tool_call_chunks"])].map(fields);
  const calls = new Map<unknown, Fields>();
  for (const chunk of chunks) {
    const known = calls.get(chunk["index"]);
    const args = `${known?.["args"] ?? ""}${chunk["args"] ?? ""}`;
    calls.set(chunk["index"], { ...chunk, ...known, args });
  }
  return {
    ...before,
    content: text + more,
    tool_call_chunks: chunks,
    tool_calls: [...calls.values()].map(({ id, name, args }) => ({ id, name, args, type: "tool_call" })),
  };
}

/** Whether a message is the model's; `inner` is it without what its class writes around it. */
export function isOfModel(message: Fields, inner: Fields): boolean {
  const word = filled(inner["role"]) ?? filled(inner["type"]) ?? filled(list(message["id"]).at(-1)) ?? "";
  return /^(?:assistant|ai|AIMessage(?:Chunk)?)$/.test(word);
}
