import { eachEvent, type Oddities, sseComments, without } from "../oddity.ts";
import type { ServedEvent } from "../server-side.ts";
import { type Fields, fields, list, valueText } from "../wire.ts";

const typeOf = ({ value }: ServedEvent): unknown => fields(value)["type"];

const isOfCall = (value: Fields): boolean => fields(value["content_block"])["type"] === "tool_use";

/** Changes the stop reason of a message, in its stream or as a whole. */
const reasonIn = (reason: unknown): unknown => (reason === "tool_use" ? "end_turn" : reason);

const withReason = (value: Fields): Fields => ({ ...value, stop_reason: reasonIn(value["stop_reason"]) });

/** The input of each call, by the index of its block. */
function inputsOf(events: readonly ServedEvent[]): ReadonlyMap<unknown, unknown> {
  const texts = new Map<unknown, string>();
  for (const { value } of events) {
    const { index, delta } = fields(value);
    const text = fields(delta)["partial_json"];
    if (typeof text === "string") texts.set(index, `${texts.get(index) ?? ""}${text}`);
  }
  return new Map([...texts].map(([index, text]) => [index, text === "" ? {} : JSON.parse(text)]));
}

/** What servers of this API do that breaks clients, although most of it can be put together. */
export const oddities: Oddities = {
  "no-ping": {
    summary: "sends no pings",
    seen: "servers other than Anthropic's",
    events: (events) => events.filter((event) => typeOf(event) !== "ping"),
  },
  pings: {
    summary: "sends a ping after each event",
    seen: 'Anthropic: "there may be any number of ping events", https://platform.claude.com/docs/en/build-with-claude/streaming',
    events: (events) => {
      const ping: ServedEvent = { name: "ping", value: { type: "ping" } };
      return events.flatMap((event, place) => (place < events.length - 1 ? [event, ping] : [event]));
    },
  },
  "whole-call": {
    summary: "sends the input of a call in the start of its block, without deltas",
    seen: "MiniMax, Kimi and Ollama",
    events: (events) => {
      const inputs = inputsOf(events);
      return eachEvent((value) => {
        if (fields(value["delta"])["type"] === "input_json_delta") return undefined;
        if (!isOfCall(value)) return value;
        const input = inputs.get(value["index"]) ?? {};
        return { ...value, content_block: { ...fields(value["content_block"]), input } };
      })(events);
    },
  },
  "no-block-stop": {
    summary: "does not close the blocks",
    seen: "CC Switch, https://github.com/farion1231/cc-switch/pull/2303",
    events: (events) => events.filter((event) => typeOf(event) !== "content_block_stop"),
  },
  "no-index": {
    summary: "leaves the index out of deltas",
    seen: "9Router, https://github.com/decolua/9router/issues/2218",
    events: eachEvent((value) => (value["type"] === "content_block_delta" ? without("index")(value) : value)),
  },
  "no-text": {
    summary: "begins a block of text without the member `text`",
    seen: "relays, https://github.com/MoonshotAI/kimi-code/pull/3207",
    events: eachEvent((value) => {
      const block = fields(value["content_block"]);
      return block["type"] === "text" ? { ...value, content_block: without("text")(block) } : value;
    }),
  },
  "stop-beside-calls": {
    summary: "sends the finish reason `end_turn` although the reply has calls",
    seen: "Bifrost, https://github.com/maximhq/bifrost/issues/6123; LiteLLM in front of Ollama, https://github.com/BerriAI/litellm/issues/34692",
    events: eachEvent((value) =>
      value["type"] === "message_delta" ? { ...value, delta: withReason(fields(value["delta"])) } : value,
    ),
    whole: withReason,
  },
  "no-blocks": {
    summary: "sends the finish reason for calls, and no block at all",
    seen: "Anthropic, https://github.com/earendil-works/pi/issues/9681",
    events: (events) => events.filter((event) => !/^content_block_/.test(valueText(typeOf(event)))),
    whole: (message) => ({ ...message, content: list(message["content"]).slice(0, 0) }),
  },
  "no-usage": {
    summary: "sends no token counts at the end of a stream",
    seen: "MiniMax, https://github.com/earendil-works/pi/issues/6567",
    events: eachEvent((value) => (value["type"] === "message_delta" ? without("usage")(value) : value)),
  },
  "no-done": {
    summary: "ends the stream without its last event, `message_stop`",
    seen: "gateways, https://github.com/strands-agents/harness-sdk/pull/2047",
    events: (events) => events.filter((event) => typeOf(event) !== "message_stop"),
  },
  ...sseComments,
};
