import { answers, asks, goesOn, stream, url } from "../containers/stories.ts";
import type { Kept } from "./kept-logs.ts";

const latin = (text: string): string => Buffer.from(text).toString("latin1");
const body = (value: unknown): string => latin(JSON.stringify(value));

/** A run whose first reply is streamed, in two protocols. */
export const chat: readonly Kept[] = [
  { url, request: body({ ...asks, stream: true }), reply: latin(stream("chatcmpl-1")) },
  {
    url,
    request: body(goesOn),
    reply: body(answers),
    streamed: latin(stream("chatcmpl-2", "It is 18 °C.")),
  },
];

interface Event extends Readonly<Record<string, unknown>> {
  readonly type: string;
}

const messagesUrl = "https://api.anthropic.com/v1/messages";
const tools = [{ name: "weather", input_schema: { type: "object" } }];
const question = { role: "user", content: "How warm is it in Zürich?" };
const call = { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Zürich" } };
const asked = { model: "claude-sonnet-4-5", max_tokens: 512, stream: true, tools, messages: [question] };

function streamed(id: string, stop_reason: string, block: readonly Event[]): string {
  const message = {
    id,
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: [],
    usage: {},
  };
  const events: Event[] = [
    { type: "message_start", message },
    ...block,
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 9 } },
    { type: "message_stop" },
  ];
  return latin(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
}

const fragment = (partial_json: string): Event => ({
  type: "content_block_delta",
  index: 0,
  delta: { type: "input_json_delta", partial_json },
});

export const messages: readonly Kept[] = [
  {
    url: messagesUrl,
    request: body(asked),
    reply: streamed("msg_1", "tool_use", [
      { type: "content_block_start", index: 0, content_block: { ...call, input: {} } },
      fragment('{"city":'),
      fragment('"Zürich"}'),
    ]),
  },
  {
    url: messagesUrl,
    request: body({
      ...asked,
      stream: false,
      messages: [
        question,
        { role: "assistant", content: [call] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "18 °C" }] },
      ],
    }),
    reply: body({
      id: "msg_2",
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: [{ type: "text", text: "It is 18 °C." }],
      stop_reason: "end_turn",
      usage: { input_tokens: 9, output_tokens: 9 },
    }),
    streamed: streamed("msg_2", "end_turn", [
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "It is 18 °C." } },
    ]),
  },
];
