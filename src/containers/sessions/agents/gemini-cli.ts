import { type Fields, fields, filled, list } from "../../../reading/values.ts";
import type { PlainMessage, PlainPart } from "../../../traffic/plain-message.ts";
import type { SessionWriter } from "../../../traffic/session-writer.ts";
import type { Branch, Entry } from "../../../traffic/transcript.ts";
import { type GrowingBranch, newBranch, takingRecords } from "../branches.ts";
import { documents, has, typeOf } from "../head.ts";
import { aboutSession, otherType } from "../other-records.ts";
import {
  answeredIds,
  callPart,
  contentParts,
  known,
  plainEntry,
  resultPart,
  textOf,
  usageFact,
} from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";
import { RecordTree } from "../tree.ts";

export const format: SessionFormat = {
  name: "gemini-cli",
  summary: "chats of Gemini CLI (~/.gemini/tmp), as a document or as lines, and those saved with /chat save",
  signs:
    "sessionId with projectHash, or with messages whose type is user, gemini or model; or only history and authType",
  recognize: (head) =>
    documents(head).some(
      (value) => has(value, "sessionId", "projectHash") || isOldGemini(value) || isCheckpoint(value),
    ),
};

/** Chats of versions without a `projectHash`. */
function isOldGemini(value: Fields): boolean {
  const messages = list(value["messages"]).map(fields);
  const speaks = (message: Fields): boolean =>
    /^(?:user|gemini|model)$/.test(typeOf(message)) && has(message, "content") && !has(message, "role");
  return has(value, "sessionId") && messages.length > 0 && messages.every(speaks);
}

/** A checkpoint that `/chat save` writes. */
function isCheckpoint(value: Fields): boolean {
  const isContent = (content: unknown): boolean =>
    /^(?:user|model)$/.test(filled(fields(content)["role"]) ?? "") && has(fields(content), "parts");
  const history = list(value["history"]);
  const isAlone = Object.keys(value).every((key) => key === "history" || key === "authType");
  return isAlone && history.length > 0 && history.every(isContent);
}

/**
 * Gemini CLI's chats: a document with `messages`, or in newer versions one message per line. A call holds its
 * result; newer versions keep it a second time, in a message of the user. `$set` replaces messages,
 * `$rewindTo` goes back, and a message with a known id replaces that message.
 */
export function* read(file: SessionFile): Generator<Branch> {
  const saved = file.elements("/history");
  if (saved.length > 0) {
    yield* takingRecords([checkpoint(saved)], { isSentAsKept: true });
    return;
  }
  const tree = new RecordTree("plain");
  const records = file.value("/messages") === undefined ? [...file.lines()] : file.elements("/messages");
  const newest = new Map(records.map((record) => [filled(record.value["id"]), record]));
  /** Messages of the current branch, by id. */
  let line: string[] = [];
  /** The results inside calls, by id, until their copy is read. */
  const uncopied = new Map<string, string>();

  for (const record of records) {
    const { value } = record;
    const back = filled(value["$rewindTo"]);
    const set = fields(value["$set"])["messages"];
    if (back !== undefined) {
      const at = line.indexOf(back);
      if (at >= 0) line = line.slice(0, at);
    } else if (Array.isArray(set)) {
      file.repeats(record);
      replace(
        set.map((message, index) => ({
          ...record,
          value: fields(message),
          within: `/$set/messages/${index}`,
        })),
      );
    } else if (value["type"] === undefined) file.skip(record, aboutSession);
    else if (!isSaid(value)) file.skip(record, otherType(filled(value["type"])), isNotice(value));
    else {
      const id = filled(value["id"]);
      if (id === undefined) add(record, false);
      else if (!line.includes(id)) add(newest.get(id) ?? record, false);
    }
  }
  yield* takingRecords(tree.branches, { writer, isSentAsKept: true });

  function add(record: Inner, isReplacing: boolean): void {
    const id = filled(record.value["id"]) ?? `#${line.length}`;
    for (const [index, entry] of entriesOf(record, uncopied).entries())
      tree.add({
        id: index === 0 ? id : undefined,
        parent: index === 0 ? line.at(-1) : id,
        entry,
        isResult: index > 0 || answeredIds((entry.value as PlainMessage).parts).length > 0,
        ...(isReplacing && index === 0 && { replaces: { keptFrom: "" } }),
      });
    line.push(id);
  }

  /** Applies a list of messages. Known ones stay; a list that starts with a new one replaces all. */
  function replace(messages: readonly Inner[]): void {
    const before = line;
    line = [];
    for (const message of messages) {
      const id = filled(message.value["id"]);
      if (id !== undefined && before.includes(id)) line.push(id);
      else if (isSaid(message.value)) add(message, line.length === 0 && before.length > 0);
    }
  }
}

/** Older versions call the model `model`. */
function isSaid({ type }: Fields): boolean {
  return type === "user" || type === "gemini" || type === "model";
}

function isNotice({ type }: Fields): boolean {
  return type === "info" || type === "warning" || type === "error";
}

/** A record, with the pointer to the message if it is nested. */
type Inner = SessionRecord & { readonly within?: string };

/** A checkpoint holds the history exactly as it is sent. */
function checkpoint(contents: readonly SessionRecord[]): GrowingBranch {
  const branch = newBranch("gemini");
  for (const { value, span, base } of contents) {
    const facts = value["role"] === "model" ? { reply: base } : {};
    branch.entries.push({ value, span, base, pointer: "", ...facts });
  }
  return branch;
}

/**
 * Gemini CLI sends calls and results as the message has them, and a call without a result unchanged.
 * @see https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/utils/sessionUtils.ts
 */
const writer: SessionWriter = {
  messages(record) {
    const set = list(fields(fields(record)["$set"])["messages"]);
    if (set.length === 0) return messagesOf(fields(record), "");
    return set.flatMap((message, index) => messagesOf(fields(message), `/$set/messages/${index}`));
  },
  hasResultRecords: false,
  resultId: (result) => (Array.isArray(result) ? "/0/functionResponse/id" : "/functionResponse/id"),
  words(text, record) {
    const value = { text };
    return { element: { ...fields(record), content: [value] }, part: { list: "/content", value } };
  },
  closed(call, text) {
    const { id, name, args, ...rest } = fields(call);
    const response = { error: text };
    const result = [{ functionResponse: { ...(id !== undefined && { id }), name, response } }];
    return { ...(id !== undefined && { id }), name, args, result, ...rest, status: "error" };
  },
};

function entriesOf(record: Inner, uncopied: Map<string, string>): Entry[] {
  const { value, within = "" } = record;
  const model = filled(value["model"]);
  const usage = usageFact(value["tokens"], { input: "input", output: "output", cached: "cached" });
  const reply = filled(value["id"]) ?? `${record.span.start}${within}`;
  const facts = known({ model, usage, reply });
  const isOwn = value["type"] === "user";
  return messagesOf(value, within).map(({ role, parts }) =>
    plainEntry(
      record,
      role,
      isOwn ? parts.map((part) => withCopyNoted(part, uncopied)) : noted(parts, uncopied),
      role === "assistant" ? facts : {},
    ),
  );
}

/** Remembers the results inside calls. */
function noted(parts: readonly PlainPart[], uncopied: Map<string, string>): readonly PlainPart[] {
  for (const part of parts)
    if (part.kind === "result" && part.callId !== undefined) uncopied.set(part.callId, part.text.trim());
  return parts;
}

/** The first result in a user's message that is equal to the one inside its call is the agent's own copy. */
function withCopyNoted(part: PlainPart, uncopied: Map<string, string>): PlainPart {
  if (part.kind !== "result" || part.callId === undefined) return part;
  if (uncopied.get(part.callId) !== part.text.trim()) return part;
  uncopied.delete(part.callId);
  return { ...part, isCopy: true };
}

/** A message, followed by the results of its calls. */
function messagesOf(value: Fields, within: string): PlainMessage[] {
  const text = contentParts(value["content"], `${within}/content`);
  if (value["type"] === "user") return [userMessage(value["content"], text, `${within}/content`)];
  const thoughts = list(value["thoughts"]).map((thought, index): PlainPart => {
    const { subject, description } = fields(thought);
    return {
      kind: "reasoning",
      text: [subject, description].filter(filled).join(": "),
      at: `${within}/thoughts/${index}`,
    };
  });
  const tools = list(value["toolCalls"]).map(fields);
  const calls = tools.map((tool, index): PlainPart => {
    const { id, name, args } = tool;
    return callPart({ id, name, arguments: args ?? {}, at: `${within}/toolCalls/${index}` });
  });
  const results = tools.flatMap((tool, index) => resultOf(tool, `${within}/toolCalls/${index}`));
  return [
    { role: "assistant", parts: [...thoughts, ...text, ...calls] },
    ...(results.length > 0 ? [{ role: "tool" as const, parts: results }] : []),
  ];
}

/** What the user says, or what newer versions keep there: the responses to the calls. */
function userMessage(content: unknown, said: readonly PlainPart[], at: string): PlainMessage {
  const results = list(content).flatMap((part, index): PlainPart[] => {
    const response = fields(part)["functionResponse"];
    if (response === undefined) return [];
    const { id, name } = fields(response);
    const text = responseText(part);
    return [resultPart({ callId: filled(id), name: filled(name), text, at: `${at}/${index}` })];
  });
  const isResult = results.length > 0 && said.length === 0;
  return { role: isResult ? "tool" : "user", parts: [...results, ...said] };
}

/** The text of a part with a response. */
function responseText(part: unknown): string {
  const { output, error } = fields(fields(fields(part)["functionResponse"])["response"]);
  return textOf(output ?? error ?? fields(part)["text"] ?? part);
}

/** A call that waits for the user's consent has no result yet. */
function resultOf(tool: Fields, at: string): PlainPart[] {
  if (tool["result"] === undefined || tool["result"] === null) return [];
  const texts = list(tool["result"]).map(responseText);
  const isError = tool["status"] === "error";
  return [
    resultPart({
      callId: filled(tool["id"]),
      name: filled(tool["name"]),
      text: texts.join("\n"),
      isError,
      at: `${at}/result`,
    }),
  ];
}
