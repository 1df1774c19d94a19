import { type ServedEvent, slicesOf } from "../server-side.ts";
import { argumentsText, type Fields, fields, list, string } from "../wire.ts";

const event = (type: string, members: object = {}): ServedEvent => ({
  name: type,
  value: { type, ...members },
});

/**
 * The events that carry a message.
 * @see https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export function eventsOf(message: Fields): readonly ServedEvent[] {
  const { stop_reason, stop_sequence, stop_details } = message;
  const usage = fields(message["usage"]);
  const started = { ...message, content: [], stop_reason: null, stop_sequence: null, stop_details: null };
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = usage;
  const blocks = list(message["content"]).flatMap((block, index) => blockEvents(fields(block), index));
  return [
    event("message_start", { message: { ...started, usage: { ...usage, output_tokens: 1 } } }),
    // The first ping follows the beginning of the first block.
    ...blocks.slice(0, 1),
    event("ping"),
    ...blocks.slice(1),
    event("message_delta", {
      delta: { stop_reason, stop_sequence, stop_details },
      usage: { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens },
    }),
    event("message_stop"),
  ];
}

/** A block begins empty and is filled by deltas, which name it by its index. */
function blockEvents(block: Fields, index: number): ServedEvent[] {
  const { start, deltas } = unfolded(block);
  return [
    event("content_block_start", { index, content_block: start }),
    ...deltas.map((delta) => event("content_block_delta", { index, delta })),
    event("content_block_stop", { index }),
  ];
}

function unfolded(block: Fields): { readonly start: Fields; readonly deltas: readonly Fields[] } {
  const words = (member: string): string[] => slicesOf(string(block[member]) ?? "");
  switch (block["type"]) {
    case "thinking":
      return {
        start: { ...block, thinking: "", signature: "" },
        deltas: [
          ...words("thinking").map((thinking) => ({ type: "thinking_delta", thinking })),
          { type: "signature_delta", signature: block["signature"] },
        ],
      };
    case "tool_use":
      return {
        start: { ...block, input: {} },
        // The first is empty, and the only one of a call without arguments.
        deltas: ["", ...inputSlices(block["input"])].map((partial_json) => ({
          type: "input_json_delta",
          partial_json,
        })),
      };
    default:
      return {
        start: { ...block, text: "" },
        deltas: words("text").map((text) => ({ type: "text_delta", text })),
      };
  }
}

function inputSlices(input: unknown): readonly string[] {
  const text = argumentsText(input);
  return text === "{}" ? [] : slicesOf(text);
}
