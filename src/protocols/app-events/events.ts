import type { Frame } from "../protocol.ts";
import { type Fields, fields, isFields, string } from "../wire.ts";

/** What an event tells, whatever the application calls it. */
export type EventKind = "call" | "input" | "result" | "text" | "error" | "end" | "other";

export interface AppEvent {
  readonly kind: EventKind;
  readonly name: string;
  readonly data: Fields;
  /** Pointer from the event to its data. */
  readonly base: string;
}

/** `{"event": name, "data": {…}}`, or the name in the `event:` field and the data alone. */
export function readEvent({ event, value }: Pick<Frame, "event" | "value">): AppEvent | undefined {
  if (!isFields(value)) return undefined;
  const inner = string(value["event"]);
  const name = inner ?? event;
  if (name === undefined) return undefined;
  const data = inner === undefined ? value : fields(value["data"]);
  return { kind: kindOf(name), name, data, base: inner === undefined ? "" : "/data" };
}

/** The end of a stream, not of one step or block in it. */
const endWords = new Set(
  "done end complete completed finish finished stop message stream response chat".split(" "),
);

/** Names come in all spellings: `tool_start`, `tool-call-start`, `toolCallStart`, `tool.start`. */
function kindOf(name: string): EventKind {
  const words = name
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z]+/);
  const has = (...wanted: string[]): boolean => wanted.some((word) => words.includes(word));
  if (has("error")) return words.includes("tool") ? "result" : "error";
  if (has("tool")) {
    if (has("result", "output", "response", "end", "complete", "completed", "finish", "finished"))
      return "result";
    if (has("execute", "executing", "input", "args", "arguments", "delta", "run", "running")) return "input";
    return has("start", "started", "call", "use", "begin") ? "call" : "other";
  }
  if (has("block")) return "other";
  const isEnd = has("done", "end", "complete", "completed", "finish", "finished", "stop");
  // An event that ends a text may repeat all of it.
  if (isEnd) return words.every((word) => endWords.has(word)) ? "end" : "other";
  if (has("text", "content", "token", "chunk") || name === "message_delta" || name === "message")
    return "text";
  return "other";
}

/** A fragment of arguments that come as JSON text. */
export function inputPiece(data: Fields): string | undefined {
  return string(data["partial_json"]) ?? string(data["delta"]) ?? string(data["input_delta"]);
}

/** The text that an event adds. */
export function textOf(data: Fields): string | undefined {
  for (const key of ["text", "delta", "content", "token", "chunk"]) {
    const text = string(data[key]) ?? string(fields(data[key])["text"]);
    if (text !== undefined) return text;
  }
  return undefined;
}
