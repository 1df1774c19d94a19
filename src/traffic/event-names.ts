import { type Fields, fields, filled } from "../reading/values.ts";

/**
 * Names that programs give to the events of a model's turn, in logs and in streams to a front end. They are
 * not standardized and come in all spellings: `tool_start`, `tool-call-start`, `toolCallStart`, `tool.start`.
 */

const starts = ["start", "started", "begin"];
const ends = ["end", "complete", "completed", "finish", "finished"];
const outputs = ["result", "output", "response"];

/** What a record of a custom log contains. */
export type RecordKind = "system" | "user" | "assistant" | "reasoning" | "call" | "result";

const anyOf = (words: readonly string[]): string => `(?:${words.join("|")})`;
/** Marks a complete message, where other names mark the fragments before it. */
const whole = "(?:_(?:end|done|completed?))?";

/** Who thinks and calls, where a name says so. */
const ofModel = "(?:(?:assistant|agent|ai|model)_)?";

/** One event for a request to the model and what came back. */
const askedModel = "(?:llm|model)_?call";

/** Whether an event is such a pair: what it was asked stands beside what it said. */
export function isCallOfModel({ type, event, kind }: Fields): boolean {
  const name = nameOf(type) ?? nameOf(event) ?? nameOf(kind);
  return name !== undefined && new RegExp(`^${askedModel}$`).test(name);
}

/** Only whole names match: logs of any kind have events, and one word in a name proves little. */
const recordNames: readonly (readonly [RegExp, RecordKind])[] = [
  [/^(?:system|system_?prompt)$/, "system"],
  [/^(?:user|human|prompt|(?:user|session)_?(?:message|input|prompt))$/, "user"],
  [
    new RegExp(
      `^(?:assistant|ai|agent|final_?answer|(?:assistant|agent|ai|model|llm)_?(?:message|response|output|text)${whole}|${askedModel})$`,
    ),
    "assistant",
  ],
  [new RegExp(`^${ofModel}(?:thoughts?|thinking|reasoning)(?:_message)?${whole}$`), "reasoning"],
  [
    new RegExp(
      `^${ofModel}(?:tool|function)_?(?:call|use|call_?request|invocation|(?:call_?)?${anyOf([...starts, "parsed"])})$`,
    ),
    "call",
  ],
  [new RegExp(`^(?:tool|function)_?(?:call_?)?${anyOf([...outputs, ...ends, "ended", "done"])}$`), "result"],
];

/** What a record contains, by its name or its message's role; `undefined` for the program's own notes. */
export function kindOfRecord(record: Fields): RecordKind | undefined {
  for (const key of ["type", "event", "kind", "event_type", "eventType", "role"]) {
    const found = recordKindNamed(record[key]);
    if (found) return found;
  }
  for (const key of ["author", "message"]) {
    const found = recordKindNamed(fields(record[key])["role"]);
    if (found) return found;
  }
  return undefined;
}

function recordKindNamed(value: unknown): RecordKind | undefined {
  const name = nameOf(value);
  return name === undefined ? undefined : recordNames.find(([names]) => names.test(name))?.[1];
}

function nameOf(value: unknown): string | undefined {
  return filled(value)
    ?.toLowerCase()
    .replace(/[.\s-]+/g, "_");
}

/** What a record is a part of, while it streams, by its name: `assistant_streaming_message`. */
export function kindOfPart({ type, event, kind }: Fields): RecordKind | undefined {
  const name = nameOf(type) ?? nameOf(event) ?? nameOf(kind);
  const whole = name?.replace(/(?:^|_)(?:streaming|partial|delta|chunk)(?=_|$)/g, "");
  return whole === name ? undefined : recordKindNamed(whole);
}

/** What an event of a stream to a front end means. */
export type StreamEventKind = "call" | "input" | "result" | "text" | "error" | "end" | "other";

/** A name of these words only marks the end of a stream; with other words, the end of one step or block. */
const streamWords = new Set([...ends, "done", "stop", "message", "stream", "response", "chat"]);

/** Matches single words: the stream is known to be a model's turn, and unknown events are lost. */
export function kindOfStreamEvent(name: string): StreamEventKind {
  const words = name
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z]+/);
  const has = (...wanted: string[]): boolean => wanted.some((word) => words.includes(word));
  if (has("error")) return has("tool") ? "result" : "error";
  if (has("tool")) {
    // `done` may end the arguments: `tool_input_done`.
    if (has(...outputs, ...ends)) return "result";
    if (has("execute", "executing", "input", "args", "arguments", "delta", "run", "running")) return "input";
    return has("call", "use", ...starts) ? "call" : "other";
  }
  if (has("block")) return "other";
  // An event that ends a text may repeat all of it.
  if (has("done", "stop", ...ends)) return words.every((word) => streamWords.has(word)) ? "end" : "other";
  if (has("text", "content", "token", "chunk") || name === "message_delta" || name === "message")
    return "text";
  return "other";
}
