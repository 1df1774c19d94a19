import { containers } from "../../src/containers/index.ts";
import type { Exchange } from "../../src/conversation/exchange.ts";
import type { Item } from "../../src/conversation/item.ts";
import type { LogFile } from "../../src/log/log-file.ts";
import { readLog } from "../../src/log/read.ts";
import { protocols } from "../../src/protocols/index.ts";
import { linesOf, type Origin } from "../../src/reading/origin.ts";
import { bytesSource } from "../../src/reading/source.ts";
import type { Container } from "../../src/traffic/container.ts";

/** One small run, in the words of a chat API: the model asks for a tool, gets its result, and answers. */
export const url = "https://api.openai.com/v1/chat/completions";
const tools = [
  { type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } },
];
export const question = { role: "user", content: "How warm is it in Zürich?" };
export const call = {
  role: "assistant",
  content: null,
  tool_calls: [
    { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Zürich"}' } },
  ],
};
export const result = { role: "tool", tool_call_id: "call_1", content: '{"celsius":18}' };
export const answer = { role: "assistant", content: "It is 18 °C." };

export const asks = { model: "gpt-5", messages: [question], tools };
export const goesOn = { model: "gpt-5", messages: [question, call, result], tools };
export const wantsTool = completion("chatcmpl-1", call, "tool_calls");
export const answers = completion("chatcmpl-2", answer, "stop");

/** What both exchanges of the run are told as. */
export const run = [
  'user "How warm is it in Zürich?" → call weather {"city":"Zürich"} (tool_calls)',
  'user "How warm is it in Zürich?", call weather {"city":"Zürich"}, result {"celsius":18} → assistant "It is 18 °C." (stop)',
];

export function completion(id: string, message: object, reason: string): object {
  return {
    id,
    object: "chat.completion",
    model: "gpt-5",
    choices: [{ index: 0, message, finish_reason: reason }],
  };
}

export function ask(content: string): { model: string; messages: object[] } {
  return { model: "gpt-5", messages: [{ role: "user", content }] };
}

export function say(id: string, content: string): object {
  return completion(id, { role: "assistant", content }, "stop");
}

/** The chunks in which a server streams a call, or a text in two pieces. */
export function chunks(id: string, said: string | undefined): object[] {
  const chunk = (delta: object, reason: string | null = null): object => ({
    id,
    object: "chat.completion.chunk",
    model: "gpt-5",
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  if (said !== undefined) {
    const half = said.length >> 1;
    return [
      chunk({ role: "assistant", content: said.slice(0, half) }),
      chunk({ content: said.slice(half) }),
      chunk({}, "stop"),
    ];
  }
  const named = { index: 0, id: "call_1", type: "function", function: { name: "weather", arguments: "" } };
  return [
    chunk({ role: "assistant", tool_calls: [named] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '"Zürich"}' } }] }),
    chunk({}, "tool_calls"),
  ];
}

/** The same as server-sent events. */
export function stream(id: string, said?: string): string {
  return `${chunks(id, said)
    .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
    .join("")}data: [DONE]\n\n`;
}

export async function open(log: string | Buffer, container?: Container): Promise<LogFile> {
  return readLog(
    bytesSource("run.log", Buffer.from(log)),
    containers,
    protocols,
    container ? { container } : {},
  );
}

/** Each exchange of a log in one line: what was sent → what came back. */
export async function told(log: string | Buffer, container?: Container): Promise<string[]> {
  const { exchanges } = await open(log, container);
  return exchanges.map(toldOf);
}

export function toldOf({ request, reply }: Exchange): string {
  const sent =
    request &&
    Array.from({ length: request.history.length }, (_, index) =>
      request.history.items(index).map(word),
    ).flat();
  const state =
    reply &&
    [
      reply.error ? `error: ${reply.error.message}` : "",
      reply.finish?.reason ?? "",
      reply.state === "open" ? "open" : "",
    ]
      .filter((part) => part !== "")
      .join(", ");
  return `${sent?.join(", ") ?? "?"} → ${reply ? `${reply.items.map(word).join(", ")} (${state})` : "?"}`.replace(
    "→  (",
    "→ (",
  );
}

function word(item: Item): string {
  if (item.kind === "message") return `${item.role} ${JSON.stringify(item.text)}`;
  if (item.kind === "call") return `call ${item.name} ${item.argumentsText}`;
  return item.kind === "result" ? `result ${item.text}` : item.kind;
}

/** The bytes at a place, with its line and column. */
export function spot({ source, start, end }: Origin): string {
  const { line, column } = linesOf(source).at(start);
  return `${line}:${column} ${source.read(start, end)}`;
}
