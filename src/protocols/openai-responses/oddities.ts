import { eachEvent, type Oddities, sseComments, without } from "../oddity.ts";
import type { ServedEvent } from "../server-side.ts";
import { type Fields, fields } from "../wire.ts";

const typeOf = ({ value }: ServedEvent): unknown => fields(value)["type"];

/** Changes the response that the last event of a stream carries. */
const inCompleted = (edit: (response: Fields) => Fields) =>
  eachEvent((value) =>
    value["type"] === "response.completed" ? { ...value, response: edit(fields(value["response"])) } : value,
  );

/** What servers of this API do that breaks clients, although most of it can be put together. */
export const oddities: Oddities = {
  "no-done": {
    summary: "ends the stream without its last event, `response.completed`",
    seen: "gateways in front of Codex, https://github.com/openai/codex/issues/41340",
    events: (events) => events.filter((event) => typeOf(event) !== "response.completed"),
  },
  "done-marker": {
    summary: "ends the stream with `[DONE]`, as chat streams end",
    seen: "OpenRouter",
    events: (events) => [...events, { value: "[DONE]" }],
  },
  "empty-output": {
    summary: "completes a response with an empty output",
    seen: "ChatGPT, https://github.com/BerriAI/litellm/pull/32724; New API, https://github.com/QuantumNous/new-api/issues/4362",
    events: inCompleted((response) => ({ ...response, output: [] })),
  },
  "no-output": {
    summary: "completes a response without its output",
    seen: "9Router, https://github.com/decolua/9router/issues/705",
    events: inCompleted(without("output")),
  },
  "no-deltas": {
    summary: "sends the arguments of calls only as a whole",
    seen: "gpt-5.3-codex-spark, https://github.com/BerriAI/litellm/issues/27144",
    events: (events) => events.filter((event) => typeOf(event) !== "response.function_call_arguments.delta"),
  },
  "empty-delta": {
    summary: "begins the arguments of a call with an empty delta",
    seen: "https://github.com/BerriAI/litellm/pull/39288",
    events: (events) =>
      events.flatMap((event, place) => {
        const isDelta = typeOf(event) === "response.function_call_arguments.delta";
        const before = events[place - 1];
        const isFirst = isDelta && before && typeOf(before) === "response.output_item.added";
        return isFirst ? [{ ...event, value: { ...fields(event.value), delta: "" } }, event] : [event];
      }),
  },
  "no-item-added": {
    summary: "does not announce items",
    seen: "Bifrost, https://github.com/maximhq/bifrost/issues/5169",
    events: (events) => events.filter((event) => typeOf(event) !== "response.output_item.added"),
  },
  "no-sequence-number": {
    summary: "does not number the events",
    seen: "OmniRoute, https://github.com/diegosouzapw/OmniRoute/issues/13964; gproxy, https://github.com/Effect-TS/effect/pull/8037",
    events: eachEvent(without("sequence_number")),
  },
  ...sseComments,
};
