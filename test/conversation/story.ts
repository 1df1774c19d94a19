import type { Conversation, Placed, Step } from "../../src/conversation/conversation.ts";
import { openLog } from "../../src/log/open.ts";
import { bytesSource } from "../../src/reading/source.ts";

/** One exchange of a story: what was sent, and what came back. */
export interface Told {
  readonly sent: readonly object[];
  /** A reply's message; absent when the log has no reply. */
  readonly back?: object;
  readonly status?: number;
  /** Further members of the request. */
  readonly more?: object;
  /** Further members of the record. */
  readonly around?: object;
}

export const system = (content: string) => ({ role: "system", content });
export const user = (content: string) => ({ role: "user", content });
export const says = (content: string) => ({ role: "assistant", content });
export const calls = (
  ...calls: readonly (readonly [id: string, name: string, argumentsText?: string])[]
) => ({
  role: "assistant",
  content: null,
  tool_calls: calls.map(([id, name, argumentsText = "{}"]) => ({
    id,
    type: "function",
    function: { name, arguments: argumentsText },
  })),
});
export const result = (id: string, content: string) => ({ role: "tool", tool_call_id: id, content });

/** Reads a story of chat requests as a log of JSON lines. */
export async function stitched(story: readonly Told[]): Promise<readonly Conversation[]> {
  return read(
    story.map(({ sent, back, status, more, around }) => ({
      ...around,
      ...(status !== undefined && { status }),
      request: { model: "gpt-5", ...more, messages: sent },
      ...(status !== undefined &&
        status >= 400 && { response: { error: { message: "The server is overloaded" } } }),
      ...(back && { response: completion(back) }),
    })),
  );
}

export async function read(records: readonly object[]): Promise<readonly Conversation[]> {
  const log = records.map((record) => `${JSON.stringify(record)}\n`).join("");
  const { conversations } = await openLog({
    path: "run.jsonl",
    source: bytesSource("run.jsonl", Buffer.from(log)),
  });
  return conversations;
}

function completion(message: object): object {
  const reason = "tool_calls" in message ? "tool_calls" : "stop";
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: reason }],
  };
}

/** All steps in the order of the log: which conversation, how it came about, and what it goes on from. */
export function outline(conversations: readonly Conversation[]): string[] {
  return stepsOf(conversations).map(
    ({ conversation, number, relation, parent, isPartial }) =>
      `${conversation.name}.${number} ${relation}${parent ? ` of ${parent.number}` : ""}${isPartial ? ", partial" : ""}`,
  );
}

export function stepsOf(conversations: readonly Conversation[]): Step[] {
  return conversations.flatMap(({ steps }) => steps).sort((a, b) => a.exchange.number - b.exchange.number);
}

/** What a step did to the history that it goes on from: `+` new, `−` gone, `~` changed, `↕` moved. */
export function changes(step: Step | undefined): string[] {
  if (!step) return [];
  return [
    ...step.added.map((placed) => `+ ${word(placed)}`),
    ...step.missing.map((placed) => `− ${word(placed)}`),
    ...step.changed.map(({ before, after, what }) => `~ ${what}: ${word(before)} → ${word(after)}`),
    ...step.moved.map(({ after }) => `↕ ${word(after)}`),
  ];
}

function word({ item }: Placed): string {
  if (item.kind === "message")
    return `${item.role} ${item.text.length > 40 ? `${item.text.slice(0, 39)}…` : item.text}`;
  if (item.kind === "call") return `call ${item.id ?? item.name}`;
  return item.kind === "result" ? `result ${item.callId ?? item.text}` : item.kind;
}
