import { type Fields, fields, filled, list } from "../../reading/values.ts";
import type { LazyContainer } from "../../traffic/container.ts";
import { kindOfEvent } from "./event-words.ts";
import type { SessionHead } from "./head.ts";
import { messageInRow } from "./rows.ts";
import { session } from "./session.ts";

/** Session files of agents: an entry each, and a module each, which is loaded when a file of its kind is there. The first that recognises a file has it. */
export const sessions: readonly LazyContainer[] = [
  session({
    name: "claude-code",
    summary: "session files of Claude Code (~/.claude/projects), also of its sub-agents",
    signs: "records with uuid, sessionId and a message",
    recognize: (head) =>
      head.lines.some((line) => {
        const message = fields(line["message"]);
        return has(line, "uuid", "sessionId") && has(message, "role") && !has(message, "parts");
      }),
    load: () => import("./agents/claude-code.ts"),
  }),
  session({
    name: "cursor-stream",
    summary: "what `cursor-agent -p --output-format stream-json` prints",
    signs: "tool_call records with a subtype and a call_id, beside messages",
    recognize: (head) =>
      head.lines.some((line) => line["type"] === "tool_call" && has(line, "subtype", "call_id", "tool_call")),
    load: () => import("./agents/cursor-stream.ts"),
  }),
  session({
    name: "claude-stream",
    summary: "what `claude -p --output-format stream-json` prints",
    signs: "records with session_id: a system line with a subtype, messages",
    recognize: (head) =>
      head.lines.some(
        (line) =>
          has(line, "session_id") &&
          ((line["type"] === "system" && has(line, "subtype")) ||
            (/^(?:user|assistant)$/.test(typeOf(line)) && has(fields(line["message"]), "role", "content"))),
      ),
    load: () => import("./agents/claude-stream.ts"),
  }),
  session({
    name: "codex",
    summary: "rollouts of Codex (~/.codex/sessions), with and without envelopes",
    signs: "session_meta and response_item records with a payload; in old files record_type",
    recognize: (head) => head.lines.some(isCodex),
    load: () => import("./agents/codex.ts"),
  }),
  session({
    name: "codex-exec",
    summary:
      "what `codex exec --json` prints, which has no prompt and no call ids, and the traffic of `codex app-server`",
    signs: "thread.started, item.started, item.completed; item/started, item/completed",
    recognize: (head) =>
      head.lines.some(
        (line) =>
          (line["type"] === "thread.started" && has(line, "thread_id")) ||
          (/^item\.(?:started|completed)$/.test(typeOf(line)) && has(fields(line["item"]), "id", "type")) ||
          (/^item\/(?:started|completed)$/.test(filled(line["method"]) ?? "") &&
            has(fields(fields(line["params"])["item"]), "id", "type")),
      ),
    load: () => import("./agents/codex-exec.ts"),
  }),
  session({
    name: "gemini-cli",
    summary:
      "chats of Gemini CLI (~/.gemini/tmp), as a document and as lines, and those saved with /chat save",
    signs:
      "sessionId with projectHash, or with messages whose type is user, gemini or model; or nothing but history and authType",
    recognize: (head) =>
      documents(head).some(
        (value) => has(value, "sessionId", "projectHash") || isOldGemini(value) || isCheckpoint(value),
      ),
    load: () => import("./agents/gemini-cli.ts"),
  }),
  session({
    name: "gemini-stream",
    summary: "what `gemini -p --output-format stream-json` prints",
    signs: "init with session_id, tool_use records with tool_name and tool_id",
    recognize: (head) =>
      head.lines.some(
        (line) =>
          (line["type"] === "tool_use" && has(line, "tool_name", "tool_id")) ||
          (line["type"] === "init" && has(line, "session_id", "model")),
      ),
    load: () => import("./agents/gemini-stream.ts"),
  }),
  session({
    name: "qwen-code",
    summary: "chats of Qwen Code (~/.qwen/projects)",
    signs: "records with uuid and message.parts",
    recognize: (head) =>
      head.lines.some((line) => has(line, "uuid") && has(fields(line["message"]), "parts")),
    load: () => import("./agents/qwen-code.ts"),
  }),
  session({
    name: "opencode",
    summary:
      "sessions of opencode: its database, the files of its older storage (read as one), `opencode export`, `opencode run --format json`",
    signs: "info.id beginning with ses_ and messages with parts; sessionID, or messageID and a type",
    recognize: (head) =>
      documents(head).some((value) => isOpencode(value) || isOpencodePiece(value)) ||
      (hasTable(head, "message", "session_id", "data") && hasTable(head, "part", "message_id", "data")),
    pieceOf: ({ document }) => (document && isOpencodePiece(document) ? "all" : undefined),
    load: () => import("./agents/opencode.ts"),
  }),
  session({
    name: "crush",
    summary: "the database of Crush, and of the older opencode from which it came",
    signs: "a table of messages with role and parts",
    recognize: (head) => hasTable(head, "messages", "session_id", "role", "parts"),
    load: () => import("./agents/crush.ts"),
  }),
  session({
    name: "openhands",
    summary: "events of OpenHands, a line or a file each",
    signs: "records with a kind such as ActionEvent, a source and an id",
    recognize: (head) =>
      head.lines.some(isOpenhands) || (head.document !== undefined && isOpenhands(head.document)),
    pieceOf: ({ document }) => (document && isOpenhands(document) ? "folder" : undefined),
    load: () => import("./agents/openhands.ts"),
  }),
  session({
    name: "openhands-trajectory",
    summary: "trajectories of OpenHands before version 1: a list of actions and observations",
    signs: "elements with id, source, and action with args, or observation",
    recognize: (head) => head.elements.some(isOpenhandsAction),
    load: () => import("./agents/openhands-trajectory.ts"),
  }),
  session({
    name: "deepseek-harness",
    summary: "sessions of the DeepSeek harness (session.jsonl)",
    signs: "a session header with agentPreset; user/message and assistant/message events with a surfaceOp",
    recognize: (head) =>
      head.lines.some(
        (line) =>
          (line["type"] === "session" && has(line, "id", "createdAt", "agentPreset")) ||
          (/^(?:user|assistant)\/message$/.test(typeOf(line)) && has(line, "seq", "surfaceOp")),
      ),
    load: () => import("./agents/deepseek-harness.ts"),
  }),
  session({
    name: "pi",
    summary: "sessions of pi and OpenClaw (~/.pi/agent/sessions)",
    signs: "a session header, messages with toolCall parts and toolResult roles",
    recognize: (head) => head.lines.some(isPi),
    load: () => import("./agents/pi.ts"),
  }),
  session({
    name: "droid",
    summary: "sessions of Factory's Droid, and what `droid exec --output-format stream-json` prints",
    signs: "session_start, or tool_call records with toolName and sessionId",
    recognize: (head) =>
      head.lines.some(
        (line) =>
          (line["type"] === "session_start" && has(line, "id")) ||
          (line["type"] === "tool_call" && has(line, "toolName", "parameters")),
      ),
    load: () => import("./agents/droid.ts"),
  }),
  session({
    name: "cline",
    summary: "histories of Cline, Roo Code and Kilo Code (api_conversation_history.json)",
    signs: "a list of messages with role, content and ts, or one under messages beside sessionId",
    recognize: ({ document, elements }) =>
      (document !== undefined &&
        has(document, "sessionId", "messages") &&
        list(document["messages"]).some(isStamped)) ||
      elements.some((element) => isStamped(element) || isClineNote(element)),
    load: () => import("./agents/cline.ts"),
  }),
  session({
    name: "goose",
    summary: "sessions of goose: lines, `goose session export --format json`, and its database",
    signs: "working_dir in the first line, or toolRequest parts",
    recognize: (head) =>
      hasTable(head, "messages", "content_json", "session_id") ||
      (head.document !== undefined && has(head.document, "working_dir", "conversation")) ||
      head.lines.some(
        (line, index) =>
          (index === 0 && has(line, "working_dir") && !has(line, "messages")) ||
          list(line["content"]).some((part) => /^tool(?:Request|Response)$/.test(typeOf(fields(part)))),
      ),
    load: () => import("./agents/goose.ts"),
  }),
  session({
    name: "copilot",
    summary: "session events of GitHub Copilot's CLI (~/.copilot/session-state)",
    signs: "session.start, user.message, assistant.message events with data",
    recognize: (head) =>
      head.lines.some(
        (line) =>
          /^(?:session\.start|user\.message|assistant\.message)$/.test(typeOf(line)) && has(line, "data"),
      ),
    load: () => import("./agents/copilot.ts"),
  }),
  session({
    name: "vscode-chat",
    summary: "chats of GitHub Copilot in VS Code, as it keeps and exports them",
    signs: "requests with message and response, beside a responder or a session",
    recognize: (head) =>
      documents(head).some(isVscodeChat) ||
      head.lines.slice(0, 1).some(({ kind, v }) => {
        return kind === 0 && has(fields(v), "sessionId") && Array.isArray(fields(v)["requests"]);
      }),
    load: () => import("./agents/vscode-chat.ts"),
  }),
  session({
    name: "strands",
    summary: "sessions of Strands Agents, a message a file (read as one)",
    signs: "message_id and a message with role and content",
    recognize: (head) => documents(head).some(isStrands),
    pieceOf: ({ document }) => (document && isStrands(document) ? "folder" : undefined),
    load: () => import("./agents/strands.ts"),
  }),
  session({
    name: "kimi",
    summary: "sessions of Kimi Code (wire.jsonl)",
    signs: "metadata with protocol_version, context.append_message records",
    recognize: (head) =>
      head.lines.some(
        (line) =>
          (line["type"] === "metadata" && has(line, "protocol_version")) ||
          /^context\.append_/.test(typeOf(line)),
      ),
    load: () => import("./agents/kimi.ts"),
  }),
  session({
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
    load: () => import("./agents/kiro.ts"),
  }),
  session({
    name: "grok",
    summary: "sessions of Grok's CLI (chat_history.jsonl)",
    signs: "messages told apart by type, with model_id, prompt_index or tool_call_id",
    recognize: (head) =>
      head.lines.some(
        (line) =>
          (line["type"] === "assistant" && has(line, "content", "model_id")) ||
          (line["type"] === "user" && has(line, "content", "prompt_index")),
      ) ||
      (head.document !== undefined && has(head.document, "chat_format_version", "session_summary")),
    load: () => import("./agents/grok.ts"),
  }),
  session({
    name: "acp",
    summary:
      "traffic of the Agent Client Protocol, as editors log it and Grok keeps it (updates.jsonl): calls have no names but what people are shown",
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
    load: () => import("./agents/acp.ts"),
  }),
  session({
    name: "amp",
    summary: "threads of Amp, as a document",
    signs: "v, an id beginning with T-, and messages",
    recognize: (head) =>
      documents(head).some((value) => has(value, "v", "messages") && /^T-/.test(filled(value["id"]) ?? "")),
    load: () => import("./agents/amp.ts"),
  }),
  session({
    name: "hermes",
    summary: "sessions of Hermes, as a document",
    signs: "session_id, platform and messages",
    recognize: (head) => documents(head).some((value) => has(value, "session_id", "platform", "messages")),
    load: () => import("./agents/hermes.ts"),
  }),
  session({
    name: "antigravity",
    summary: "steps of Antigravity's CLI",
    signs: "records with step_index, source and type",
    recognize: (head) => head.lines.some((line) => has(line, "step_index", "source", "type")),
    load: () => import("./agents/antigravity.ts"),
  }),
  session({
    name: "chatgpt",
    summary: "a conversation as ChatGPT exports it",
    signs: "a mapping of nodes with message, parent and children",
    recognize: (head) =>
      documents(head).some((value) =>
        Object.values(fields(value["mapping"])).some((node) =>
          has(fields(node), "message", "parent", "children"),
        ),
      ),
    load: () => import("./agents/chatgpt.ts"),
  }),
  session({
    name: "messages",
    summary:
      "a message or an item a line, in an API's form: Cursor, Mistral Vibe, Kimi's context, home-made logs",
    signs: "lines have a role, and content or calls; or are items of the Responses API; few are notes",
    recognize: ({ lines }) =>
      lines.length > 1 &&
      lines.every((line) => isMessage(line) || isNote(line)) &&
      lines.filter(isMessage).length >= Math.max(2, lines.length / 2) &&
      lines.some(({ role, type }) => role === "assistant" || type === "function_call" || type === "ai"),
    load: () => import("./agents/messages.ts"),
  }),
  session({
    name: "cursor-db",
    summary: "chats of Cursor in the editor's database (state.vscdb)",
    signs: "a table cursorDiskKV",
    recognize: (head) => hasTable(head, "cursorDiskKV", "key", "value"),
    load: () => import("./agents/cursor-db.ts"),
  }),
  session({
    name: "message-rows",
    summary:
      "a database with a message a row: sessions of the OpenAI Agents SDK, LangChain's stores, chat programs of one's own",
    signs: "a database in whose first rows messages stand, as JSON or in columns",
    recognize: ({ lines }) =>
      lines[0]?.["sqlite"] !== undefined &&
      lines.filter((line) => messageInRow(line) !== undefined).length > 1,
    load: () => import("./agents/message-rows.ts"),
  }),
  session({
    name: "events",
    summary:
      "home-made logs of an agent, an event a line: user, assistant, tool_call, tool_result and their like",
    signs: "most lines name what they tell by such a word, and calls and results are among them",
    recognize: ({ lines }) => isEventLog(lines),
    load: () => import("./agents/events.ts"),
  }),
];

function has(value: Fields, ...keys: readonly string[]): boolean {
  return keys.every((key) => Object.hasOwn(value, key));
}

/** A database, as its rows are read, has such a table. */
function hasTable({ lines }: SessionHead, table: string, ...columns: readonly string[]): boolean {
  const tables = fields(fields(lines[0]?.["sqlite"])["tables"]);
  const own = list(tables[table]);
  return columns.every((column) => own.includes(column));
}

function typeOf(value: Fields): string {
  return filled(value["type"]) ?? "";
}

/** The document, or what stands in place of one: the first line. */
function documents({ document, lines }: SessionHead): readonly Fields[] {
  return document ? [document] : lines.slice(0, 1);
}

function isCodex(line: Fields): boolean {
  if (/^(?:session_meta|response_item|turn_context|compacted)$/.test(typeOf(line)))
    return has(line, "payload");
  return line["record_type"] === "state" || has(line, "id", "timestamp", "instructions", "git");
}

/** Before there was a `projectHash`. */
function isOldGemini(value: Fields): boolean {
  const messages = list(value["messages"]).map(fields);
  const speaks = (message: Fields): boolean =>
    /^(?:user|gemini|model)$/.test(typeOf(message)) && has(message, "content") && !has(message, "role");
  return has(value, "sessionId") && messages.length > 0 && messages.every(speaks);
}

/** What `/chat save` of Gemini CLI writes. */
function isCheckpoint(value: Fields): boolean {
  const isContent = (content: unknown): boolean =>
    /^(?:user|model)$/.test(filled(fields(content)["role"]) ?? "") && has(fields(content), "parts");
  const history = list(value["history"]);
  const isAlone = Object.keys(value).every((key) => key === "history" || key === "authType");
  return isAlone && history.length > 0 && history.every(isContent);
}

/** An export, or the first of the events that a run prints. */
function isOpencode(value: Fields): boolean {
  if (/^ses_/.test(filled(fields(value["info"])["id"]) ?? "")) return true;
  return has(value, "sessionID", "type") && has(fields(value["part"]), "type");
}

/** A message, a part of one, or what is said of the session, as the storage keeps them. */
function isOpencodePiece(value: Fields): boolean {
  if (/^ses_/.test(filled(value["id"]) ?? "")) return has(value, "projectID", "time");
  return has(value, "id", "sessionID", "role", "time") || has(value, "id", "messageID", "type");
}

function isOpenhands(value: Fields): boolean {
  return (
    has(value, "id", "source") &&
    /^(?:Action|Message|Observation|SystemPrompt|ConversationStateUpdate|AgentError)Event$/.test(
      filled(value["kind"]) ?? "",
    )
  );
}

function isPi(line: Fields): boolean {
  if (line["type"] === "session") return has(line, "id", "cwd");
  const message = fields(line["message"]);
  if (line["type"] !== "message") return false;
  return (
    message["role"] === "toolResult" || (message["role"] === "assistant" && has(message, "api", "provider"))
  );
}

function isStamped(value: unknown): boolean {
  const message = fields(value);
  return has(message, "role", "content") && typeof message["ts"] === "number";
}

function isClineNote(value: Fields): boolean {
  return (
    has(value, "ts") &&
    (has(value, "type", "say") || has(value, "type", "ask") || has(value, "task", "tokensIn"))
  );
}

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

/** The older form: what the agent does has a name and arguments, what comes of it names what it follows from. */
function isOpenhandsAction(value: Fields): boolean {
  return has(value, "id", "source", "action", "args") || has(value, "id", "source", "observation", "extras");
}

function isStrands(value: Fields): boolean {
  return has(value, "message_id", "message") && has(fields(value["message"]), "role", "content");
}

/** Lines that hold whole requests, or a reply bit by bit, are other things. */
function isEventLog(lines: readonly Fields[]): boolean {
  const kinds = lines.map(kindOfEvent);
  const isOther = lines.some(
    (line) =>
      /delta|chunk/.test(typeOf(line)) ||
      ["messages", "contents", "choices", "input"].some((key) =>
        list(line[key]).some((item) => has(fields(item), "role")),
      ),
  );
  return (
    !isOther &&
    kinds.includes("call") &&
    kinds.includes("result") &&
    (kinds.includes("user") || kinds.includes("assistant")) &&
    kinds.filter((kind) => kind !== undefined).length >= lines.length * 0.6
  );
}

/** A head, or a mark between messages; nothing in which a request or a reply could stand. */
function isNote(line: Fields): boolean {
  const holds = [
    "sqlite",
    "messages",
    "message",
    "contents",
    "request",
    "response",
    "choices",
    "body",
    "payload",
  ];
  return (
    !holds.some((key) => has(line, key)) && !has(line, "model", "input") && kindOfEvent(line) === undefined
  );
}

function isMessage(line: Fields): boolean {
  if (/^(?:human|ai|tool|system)$/.test(typeOf(line)) && has(fields(line["data"]), "content")) return true;
  // Notes of the session between its messages.
  if (line["type"] === "turn_ended" || /^_/.test(filled(line["role"]) ?? "")) return true;
  if (/^(?:function|custom_tool)_call(?:_output)?$/.test(typeOf(line))) return has(line, "call_id");
  if (line["type"] === "reasoning") return has(line, "summary");
  const isSpoken = has(line, "content") || has(line, "tool_calls") || has(fields(line["message"]), "content");
  return /^(?:system|developer|user|assistant|tool)$/.test(filled(line["role"]) ?? "") && isSpoken;
}
