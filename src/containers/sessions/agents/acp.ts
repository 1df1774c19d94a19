import type { Mutable } from "../../../reading/mutable.ts";
import { type Fields, fields, filled, list } from "../../../reading/values.ts";
import type { PlainPart } from "../../../traffic/plain-message.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import { addEntry, amendReply, type GrowingBranch, newBranch } from "../branches.ts";
import { otherType } from "../other-records.ts";
import { contentParts, plainEntry, resultPart, textOf } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";

export const format: SessionFormat = {
  name: "acp",
  summary:
    "traffic of the Agent Client Protocol, as editors log it and Grok keeps it (updates.jsonl): calls have only display names",
  signs: "session/update records, or others with a sessionUpdate",
  recognize: (head) =>
    head.lines.some((line) =>
      [
        line,
        fields(line["message"]),
        fields(line["msg"]),
        fields(line["data"]),
        fields(line["payload"]),
      ].some((value) =>
        [value, fields(value["update"]), fields(fields(value["params"])["update"])].some(
          ({ sessionUpdate: word }) =>
            /^(?:(?:user|agent)_(?:message|thought)_chunk|tool_call(?:_update)?)$/.test(filled(word) ?? ""),
        ),
      ),
    ),
};

/**
 * The Agent Client Protocol, as editors log it and agents keep it. Texts arrive in chunks. A call is
 * announced, then updated with each change of its state. A tool has no name, only the title shown to people.
 * @see https://agentclientprotocol.com/protocol/prompt-turn
 */
export function* read(file: SessionFile): Generator<Branch> {
  const sessions = new Map<string, Session>();
  for (const record of file.lines()) {
    const message = messageIn(record.value);
    const params = fields(message["params"]);
    const id = filled(params["sessionId"]) ?? filled(message["sessionId"]) ?? "";
    const session = sessions.get(id) ?? begin();
    sessions.set(id, session);
    const { stopReason } = fields(message["result"]);
    if (message["method"] === "session/prompt") {
      ask(session, record, textOf(params["prompt"]));
    } else if (stopReason === "cancelled") {
      // A response names no session; it belongs to the newest one.
      const newest = [...sessions.values()].findLast(({ branch }) => branch.entries.length > 0);
      if (newest) amendReply(newest.branch, { isAborted: true });
    } else if (!readUpdate(session, record, updateIn(message)))
      file.skip(record, otherType(wordOf(message), "a notice"));
  }
  for (const { branch, texts } of sessions.values()) {
    for (const text of texts) text.part.text = text.chunks.join("");
    if (branch.entries.length > 0) yield branch;
  }
}

/** The protocol's message in a line, without the logger's wrapping. */
function messageIn(value: Fields): Fields {
  let found = value;
  for (let depth = 0; depth < 3; depth++) {
    if (isOwn(found)) return found;
    const key = ["message", "msg", "data", "payload", "frame", "rpc"].find((name) =>
      isOwn(fields(found[name])),
    );
    found = fields(found[key ?? ""]);
  }
  return {};
}

function isOwn(value: Fields): boolean {
  const isAnswer = filled(fields(value["result"])["stopReason"]) !== undefined;
  return isAnswer || value["method"] === "session/prompt" || updateIn(value)["sessionUpdate"] !== undefined;
}

function updateIn(message: Fields): Fields {
  if (typeof message["sessionUpdate"] === "string") return message;
  const inner = fields(fields(message["params"])["update"] ?? message["update"]);
  return typeof inner["sessionUpdate"] === "string" ? inner : {};
}

function wordOf(message: Fields): string {
  return filled(updateIn(message)["sessionUpdate"]) ?? filled(message["method"]) ?? "no update";
}

type Text = { kind: "text" | "reasoning"; text: string; at: string };
type Call = Mutable<Extract<PlainPart, { kind: "call" }>>;

interface Session {
  readonly branch: GrowingBranch;
  readonly texts: { readonly part: Text; readonly chunks: string[] }[];
  /** The text that the next chunk continues, and the kind of update it came in. */
  open: { readonly word: string; readonly chunks: string[] } | undefined;
  readonly calls: Map<string, Call>;
  readonly answered: Set<string>;
  replies: number;
}

function begin(): Session {
  const branch = newBranch("plain");
  return { branch, texts: [], open: undefined, calls: new Map(), answered: new Set(), replies: 0 };
}

/** Adds a prompt. Agents also replay prompts in chunks when they load a session. */
function ask(session: Session, record: SessionRecord, text: string): void {
  session.open = undefined;
  session.replies++;
  addEntry(session.branch, plainEntry(record, "user", [{ kind: "text", text, at: "" }]));
}

/** Adds an update; returns `false` when it is not part of the conversation. */
function readUpdate(session: Session, record: SessionRecord, update: Fields): boolean {
  switch (update["sessionUpdate"]) {
    case "user_message_chunk":
    case "agent_message_chunk":
    case "agent_thought_chunk":
      say(session, record, update);
      return true;
    case "tool_call":
    case "tool_call_update":
      session.open = undefined;
      call(session, record, update);
      return true;
    default:
      return false;
  }
}

function say(session: Session, record: SessionRecord, update: Fields): void {
  const word = `${update["sessionUpdate"]}`;
  const chunk = textOf(update["content"]);
  if (session.open?.word === word) {
    session.open.chunks.push(chunk);
    return;
  }
  const isUser = word === "user_message_chunk";
  const part: Text = { kind: word === "agent_thought_chunk" ? "reasoning" : "text", text: chunk, at: "" };
  const chunks = [chunk];
  session.texts.push({ part, chunks });
  session.open = { word, chunks };
  if (isUser) session.replies++;
  addEntry(
    session.branch,
    plainEntry(record, isUser ? "user" : "assistant", [part], isUser ? {} : { reply: `${session.replies}` }),
  );
}

function call(session: Session, record: SessionRecord, update: Fields): void {
  const id = filled(update["toolCallId"]) ?? "";
  let known = session.calls.get(id);
  if (!known) {
    const name = filled(update["title"]) ?? filled(update["kind"]) ?? "";
    known = { kind: "call", id, name, arguments: {}, at: "" };
    session.calls.set(id, known);
    addEntry(session.branch, plainEntry(record, "assistant", [known], { reply: `${session.replies}` }));
  }
  const given = fields(update["rawInput"]);
  // The first title is often the tool's name; later ones are phrased for people.
  if (Object.keys(given).length > 0) known.arguments = given;
  const { status } = update;
  if ((status !== "completed" && status !== "failed") || session.answered.has(id)) return;
  session.answered.add(id);
  session.replies++;
  const isError = status === "failed";
  const result = resultPart({ callId: id, text: outputOf(update), isError, at: "" });
  addEntry(session.branch, plainEntry(record, "tool", [result]));
}

/** A tool's output as shown (texts, diffs, terminals), else in the agent's own form. */
function outputOf(update: Fields): string {
  const shown = list(update["content"]).flatMap((part) => {
    const { type, content, newText, terminalId } = fields(part);
    if (type === "content")
      return contentParts([content], "").flatMap((said) => ("text" in said ? said.text : []));
    return filled(newText) ?? filled(terminalId) ?? [];
  });
  return shown.length > 0 ? shown.join("\n") : textOf(update["rawOutput"]);
}
