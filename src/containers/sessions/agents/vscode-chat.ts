import { pointerToken } from "../../../reading/pointer.ts";
import { type Fields, fields, filled, list } from "../../../reading/values.ts";
import type { PlainPart } from "../../../traffic/plain-message.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import { addEntry, type GrowingBranch, newBranch } from "../branches.ts";
import { documents, has } from "../head.ts";
import { callPart, contentParts, known, plainEntry, resultPart } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";

export const format: SessionFormat = {
  name: "vscode-chat",
  summary: "chats of GitHub Copilot in VS Code, as it stores and exports them",
  signs: "requests with message and response, next to a responder or a session",
  recognize: (head) =>
    documents(head).some(isVscodeChat) ||
    head.lines.slice(0, 1).some(({ kind, v }) => {
      return kind === 0 && has(fields(v), "sessionId") && Array.isArray(fields(v)["requests"]);
    }),
};

function isVscodeChat(value: Fields): boolean {
  return list(value["requests"])
    .map(fields)
    .some(
      (request) =>
        typeof fields(request["message"])["text"] === "string" &&
        (Array.isArray(request["response"]) ||
          has(fields(fields(request["result"])["metadata"]), "toolCallRounds")),
    );
}

/**
 * Chats of GitHub Copilot in VS Code. A request holds the user's message. The metadata of its result holds
 * one round per reply, with its calls, and next to the rounds the tool results by call id. Newer files are
 * lines: the initial chat, then changes that set (`kind` 1) or append (`kind` 2) a value.
 */
export function* read(file: SessionFile): Generator<Branch> {
  const branch = newBranch("plain");
  for (const turn of turnsOf(file)) {
    const { message, result } = turn;
    if (!message) continue;
    const text = filled(fields(message.value)["text"]) ?? "";
    addEntry(branch, plainEntry(message.record, "user", [{ kind: "text", text, at: message.at }]));
    const rounds = result ? list(fields(fields(result.value)["metadata"])["toolCallRounds"]).map(fields) : [];
    if (result && rounds.length > 0) addRounds(branch, result, rounds);
    else addShown(branch, turn);
  }
  yield branch;
}

/** A value, its record, and the pointer to it. */
interface PlacedValue {
  readonly value: unknown;
  readonly record: SessionRecord;
  readonly at: string;
}

/** A user's message and the replies to it. */
interface Turn {
  message?: PlacedValue;
  response?: PlacedValue;
  result?: PlacedValue;
}

function turnsOf(file: SessionFile): Turn[] {
  const turns: Turn[] = [];
  const addTurn = (record: SessionRecord, request: Fields, at: string): void => {
    const turn: Turn = {};
    for (const key of ["message", "response", "result"] as const)
      if (request[key] !== undefined) turn[key] = { value: request[key], record, at: `${at}/${key}` };
    turns.push(turn);
  };
  const exported = file.elements("/requests");
  for (const record of exported) addTurn(record, record.value, "");
  if (exported.length > 0) return turns;
  for (const record of file.lines()) {
    const { kind, k: path, v: value } = record.value;
    const [first, number, key] = list(path);
    if (kind === 0)
      for (const [index, request] of list(fields(value)["requests"]).entries())
        addTurn(record, fields(request), `/v/requests/${index}`);
    else if (kind === 2 && first === "requests" && number === undefined)
      for (const [index, request] of list(value).entries()) addTurn(record, fields(request), `/v/${index}`);
    else if (kind === 1 && first === "requests" && (key === "result" || key === "message"))
      Object.assign(turns[Number(number)] ?? {}, { [key]: { value, record, at: "/v" } });
    else file.skip(record, "a change to something other than a request or its reply");
  }
  return turns;
}

function addRounds(branch: GrowingBranch, result: PlacedValue, rounds: readonly Fields[]): void {
  const { record, at } = result;
  const given = fields(fields(fields(result.value)["metadata"])["toolCallResults"]);
  for (const [index, round] of rounds.entries()) {
    const place = `${at}/metadata/toolCallRounds/${index}`;
    const calls = list(round["toolCalls"]).map(fields);
    const isLast = index === rounds.length - 1;
    const thought = filled(fields(round["thinking"])["text"]);
    const said: PlainPart[] = [
      ...(thought === undefined
        ? []
        : [{ kind: "reasoning" as const, text: thought, at: `${place}/thinking` }]),
      ...contentParts(round["response"], `${place}/response`),
      ...calls.map((call, position): PlainPart => {
        const id = filled(call["id"]);
        // The editor does not keep every result. If the model went on, it had them all.
        const isUnkept = !isLast && (id === undefined || given[id] === undefined);
        return callPart({
          id,
          name: call["name"],
          arguments: call["arguments"],
          ...(isUnkept && { isHosted: true }),
          at: `${place}/toolCalls/${position}`,
        });
      }),
    ];
    const reply = filled(round["id"]) ?? `${place} ${record.span.start}`;
    addEntry(branch, plainEntry(record, "assistant", said, known({ reply })));
    const results = calls.flatMap((call): PlainPart[] => {
      const id = filled(call["id"]);
      if (id === undefined || given[id] === undefined) return [];
      const text = list(fields(given[id])["content"]).map(textOfPart).join("\n");
      const name = filled(call["name"]);
      return [
        resultPart({ callId: id, name, text, at: `${at}/metadata/toolCallResults/${pointerToken(id)}` }),
      ];
    });
    if (results.length > 0) addEntry(branch, plainEntry(record, "tool", results));
  }
}

/** The text of a result part: a string, or a tree of rendered nodes. */
function textOfPart(part: unknown): string {
  const { value } = fields(part);
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}

/** Without rounds only the shown parts are known: texts, and tool names without arguments. */
function addShown(branch: GrowingBranch, { response }: Turn): void {
  if (!response) return;
  const shown = typeof response.value === "string" ? [{ value: response.value }] : list(response.value);
  const parts = shown.flatMap((part, index): PlainPart[] => {
    const { kind, value } = fields(part);
    const text = typeof value === "string" ? value : filled(fields(value)["value"]);
    const isText = kind === undefined || kind === "markdownContent";
    return isText && text !== undefined
      ? [
          {
            kind: "text",
            text,
            at: typeof response.value === "string" ? response.at : `${response.at}/${index}`,
          },
        ]
      : [];
  });
  if (parts.length > 0)
    addEntry(
      branch,
      plainEntry(response.record, "assistant", parts, { reply: response.at + response.record.span.start }),
    );
}
