import type { Mutable } from "../../../reading/mutable.ts";
import { type Fields, fields, filled } from "../../../reading/values.ts";
import type { PlainMessage } from "../../../traffic/plain-message.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import { addEntry, amendReply, compacted, type GrowingBranch, newBranch } from "../branches.ts";
import { otherType } from "../other-records.ts";
import {
  type CallPart,
  callPart,
  contentParts,
  plainEntry,
  resultPart,
  textOf,
  usageFact,
} from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";

export const format: SessionFormat = {
  name: "kimi-wire",
  summary: "the events of Kimi CLI: its wire.jsonl, and what its wire mode prints",
  signs: "TurnBegin, ContentPart or ToolCall as the type of a message or of params, with a payload",
  // Kimi Code's files begin with the same header.
  priority: 1,
  recognize: ({ lines }) =>
    lines.some((line) => /^(?:TurnBegin|ContentPart|ToolCall|ToolResult)$/.test(eventOf(line)?.type ?? "")),
};

interface WireEvent {
  readonly type: string;
  readonly payload: Fields;
  /** The pointer to the payload. */
  readonly at: string;
}

/** A record of the file has the event as its message; in wire mode it is the parameters of a notification. */
function eventOf(record: Fields): WireEvent | undefined {
  return record["method"] === "event"
    ? envelope(record["params"], "/params")
    : envelope(record["message"], "/message");
}

function envelope(value: unknown, at: string): WireEvent | undefined {
  const { type, payload } = fields(value);
  const name = filled(type);
  return name === undefined || typeof payload !== "object" || payload === null
    ? undefined
    : { type: name, payload: fields(payload), at: `${at}/payload` };
}

/** A conversation of the session: its own, or that of a sub-agent. */
interface Thread {
  branch: GrowingBranch;
  readonly branches: GrowingBranch[];
  step: number;
  /** The newest call, whose arguments later events may continue. */
  call?: Mutable<CallPart> | undefined;
  /** What its arguments are so far; a stream may begin with none. */
  written: string;
}

/**
 * The events of Kimi CLI: what the user typed, the parts of each reply, and the results. A sub-agent's events
 * stand within events of the session.
 * @see https://github.com/MoonshotAI/kimi-cli/blob/main/docs/en/customization/wire-mode.md
 */
export function* read(file: SessionFile): Generator<Branch> {
  const threads = new Map<string, Thread>();
  for (const record of file.lines()) {
    let event = eventOf(record.value);
    let owner = "";
    while (event?.type === "SubagentEvent") {
      owner =
        filled(event.payload["agent_id"]) ??
        filled(event.payload["parent_tool_call_id"]) ??
        filled(event.payload["task_tool_call_id"]) ??
        owner;
      event = envelope(event.payload["event"], `${event.at}/event`);
    }
    const thread = threads.get(owner) ?? newThread();
    threads.set(owner, thread);
    if (!event || !take(thread, record, event))
      file.skip(record, otherType(event?.type ?? filled(record.value["type"])));
  }
  for (const { branches } of threads.values()) yield* branches;
}

function newThread(): Thread {
  const branch = newBranch("plain");
  return { branch, branches: [branch], step: 0, written: "" };
}

/** Adds what an event tells to its thread; false where it tells nothing of the conversation. */
function take(thread: Thread, record: SessionRecord, event: WireEvent): boolean {
  const { type, payload } = event;
  const message = messageOf(event);
  if (message) {
    const facts = message.role === "assistant" ? { reply: `${thread.step}` } : {};
    addEntry(thread.branch, plainEntry(record, message.role, message.parts, facts));
    if (type === "ToolResult") return true; // an earlier call's, amid the stream of a later one
    thread.call = message.parts.find((part) => part.kind === "call");
    thread.written = filled(fields(payload["function"])["arguments"]) ?? "";
    return true;
  }
  if (type === "ToolCallPart") return continueCall(thread, payload["arguments_part"]);
  if (type === "StepBegin") thread.step++;
  else if (type === "StepInterrupted") amendReply(thread.branch, { isAborted: true });
  else if (type === "CompactionEnd") {
    thread.branch = compacted(thread.branch);
    thread.branches.push(thread.branch);
  } else if (type === "StatusUpdate") {
    const usage = usageFact(payload["token_usage"], tokens);
    if (usage) amendReply(thread.branch, { usage });
  }
  return false;
}

/** Adds a further fragment to the arguments of the newest call; false where there is none. */
function continueCall(thread: Thread, fragment: unknown): boolean {
  if (!thread.call) return false;
  thread.written += filled(fragment) ?? "";
  if (thread.written !== "") thread.call.arguments = thread.written;
  return true;
}

const tokens = { input: "input_other", output: "output", cached: "input_cache_read" };

function messageOf({ type, payload, at }: WireEvent): PlainMessage | undefined {
  switch (type) {
    case "TurnBegin":
    case "SteerInput":
      return { role: "user", parts: contentParts(payload["user_input"], `${at}/user_input`) };
    case "ContentPart":
      return {
        role: "assistant",
        parts: contentParts([payload], at).map((part) => ({ ...part, at })),
      };
    case "ToolCall": {
      const { name, arguments: written } = fields(payload["function"]);
      const call = callPart({ id: payload["id"], name, arguments: written ?? "{}", at });
      return { role: "assistant", parts: [call] };
    }
    case "ToolResult": {
      const value = fields(payload["return_value"] ?? payload["result"]);
      const text = textOf(value["output"]) || textOf(value["message"]);
      const callId = filled(payload["tool_call_id"]);
      return {
        role: "tool",
        parts: [resultPart({ callId, text, isError: value["is_error"] === true, at })],
      };
    }
  }
  return undefined;
}
