import { eachEvent, type Oddities, sseComments, without } from "../oddity.ts";
import type { ServedEvent } from "../server-side.ts";
import { type Fields, fields, isFields, list, valueText } from "../wire.ts";
import { fragmentsWhole, wholeReply } from "./whole-fragments.ts";

type Edit = (value: Fields) => Fields;

/** Changes the choices of a chunk, or of a whole body. */
const inChoices =
  (edit: Edit): Edit =>
  (chunk) => ({ ...chunk, choices: list(chunk["choices"]).map((choice) => edit(fields(choice))) });

/** Changes the deltas of a stream. */
const inDeltas = (edit: Edit) =>
  eachEvent(inChoices((choice) => ({ ...choice, delta: edit(fields(choice["delta"])) })));

/** Changes the calls of a delta or a message. */
const inCalls =
  (edit: (call: Fields, place: number) => Fields): Edit =>
  (message) =>
    Array.isArray(message["tool_calls"])
      ? { ...message, tool_calls: message["tool_calls"].map((call, place) => edit(fields(call), place)) }
      : message;

const inFragments = (edit: Edit) => inDeltas(inCalls(edit));

const inMessages = (edit: Edit): Edit =>
  inChoices((choice) => ({ ...choice, message: edit(fields(choice["message"])) }));

const inWholeCalls = (edit: Edit): Edit => inMessages(inCalls(edit));

const inFunction =
  (edit: Edit): Edit =>
  (call) => ({ ...call, function: edit(fields(call["function"])) });

/** Whether a fragment begins a call. */
const begins = (fragment: Fields): boolean => fields(fragment["function"])["name"] !== undefined;

const later =
  (edit: Edit): Edit =>
  (fragment) =>
    begins(fragment) ? fragment : edit(fragment);

/** What the first fragment of each call says, kept for the later ones. */
function knownCalls(edit: (fragment: Fields, first: Fields, count: number) => Fields) {
  return (events: readonly ServedEvent[]): readonly ServedEvent[] => {
    const firsts = new Map<unknown, { readonly first: Fields; count: number }>();
    return inFragments((fragment) => {
      const known = begins(fragment) ? undefined : firsts.get(fragment["index"]);
      const call = known ?? { first: fragment, count: 0 };
      firsts.set(fragment["index"], call);
      call.count++;
      return edit(fragment, call.first, call.count);
    })(events);
  };
}

const reasonOf = (edit: (reason: unknown) => unknown): Edit =>
  inChoices((choice) => ({ ...choice, finish_reason: edit(choice["finish_reason"]) }));

const isUsageChunk = (chunk: Fields): boolean =>
  isFields(chunk["usage"]) && list(chunk["choices"]).length === 0;

const stopInstead = reasonOf((reason) => (reason === "tool_calls" ? "stop" : reason));
const noReason = reasonOf(() => null);
const noId = without("id");
const argumentsObject = inFunction((body) => ({ ...body, arguments: parsed(body["arguments"]) }));

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(valueText(text));
  } catch {
    return {};
  }
}

/** What servers of this API do that breaks clients, although most of it can be put together. */
export const oddities: Oddities = {
  "index-0": {
    summary: "gives all calls the index 0",
    seen: "vLLM and SGLang, https://github.com/InternLM/lmdeploy/issues/3412; LiteLLM in front of Ollama, https://github.com/BerriAI/litellm/pull/37792",
    events: inFragments((fragment) => ({ ...fragment, index: 0 })),
  },
  "no-index": {
    summary: "leaves out the index of the calls",
    seen: "Gemini's compatible API, https://github.com/openai/openai-python/issues/2806",
    events: inFragments(without("index")),
  },
  "name-in-every-chunk": {
    summary: "repeats a call's id and name in each of its fragments",
    seen: "MiniMax at NVIDIA, https://github.com/NousResearch/hermes-agent/pull/12230; proxies, https://github.com/SillyTavern/SillyTavern/pull/5811",
    events: knownCalls((fragment, { id, type, function: body }) => ({
      ...fragment,
      id,
      type,
      function: { ...fields(fragment["function"]), name: fields(body)["name"] },
    })),
  },
  "empty-name": {
    summary: "sends an empty name in all but the first fragment of a call",
    seen: "LM Studio, https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/649",
    events: inFragments(later(inFunction((body) => ({ name: "", ...body })))),
  },
  "null-name": {
    summary: "sends the name as null in all but the first fragment of a call",
    seen: "vLLM, https://github.com/InternLM/lmdeploy/issues/3412",
    events: inFragments(later(inFunction((body) => ({ name: null, ...body })))),
  },
  "no-id": {
    summary: "gives calls no id",
    seen: "vLLM, https://github.com/vllm-project/vllm/issues/18412; GLM at Mistral, https://github.com/anomalyco/opencode/pull/47954",
    events: inFragments(noId),
    whole: inWholeCalls(noId),
  },
  "empty-id": {
    summary: "sends an empty id in all but the first fragment of a call",
    seen: "vLLM, https://github.com/InternLM/lmdeploy/issues/3412",
    events: inFragments(later((fragment) => ({ ...fragment, id: "" }))),
  },
  "number-id": {
    summary: "sends a number for a call's id",
    seen: "Zhipu, https://github.com/CherryHQ/cherry-studio/pull/16322",
    events: (events) => {
      let count = 0;
      return inFragments((fragment) => (begins(fragment) ? { ...fragment, id: ++count } : fragment))(events);
    },
    whole: inMessages(inCalls((call, place) => ({ ...call, id: place + 1 }))),
  },
  "late-name": {
    summary: "names a call in its second fragment; the name is empty in the first",
    seen: "vMLX, https://github.com/jjang-ai/vmlx/pull/244",
    events: knownCalls((fragment, { function: body }, count) => {
      if (count > 2) return fragment;
      return inFunction((own) => ({ ...own, name: count === 1 ? "" : fields(body)["name"] }))(fragment);
    }),
  },
  "changing-id": {
    summary: "gives each fragment of a call a different id",
    seen: "Poolside, https://github.com/poolsideai/pool/issues/9; mlx-openai-server, https://github.com/cubist38/mlx-openai-server/pull/216",
    events: knownCalls((fragment, { id }, count) => ({
      ...fragment,
      id: count === 1 ? id : `${valueText(id)}_${count}`,
    })),
  },
  "whole-call": {
    summary: "sends each call whole, in one fragment",
    seen: "LM Studio, llama.cpp, Ollama, Mistral",
    events: fragmentsWhole,
  },
  "whole-reply": {
    summary: "sends the whole message in one chunk, with the finish reason",
    seen: "vLLM's parsers for some models, https://github.com/vllm-project/vllm/issues/47907",
    events: wholeReply,
  },
  "object-arguments": {
    summary: "sends arguments as an object instead of text",
    seen: "LiteLLM in front of Ollama, https://github.com/BerriAI/litellm/pull/37792",
    events: (events) => inFragments(argumentsObject)(fragmentsWhole(events)),
    whole: inWholeCalls(argumentsObject),
  },
  "null-arguments": {
    summary: "sends null for the arguments in the first fragment of a call",
    seen: "DashScope, https://github.com/DataDog/dd-trace-py/pull/19386",
    events: inFragments((fragment) =>
      begins(fragment) ? inFunction((body) => ({ ...body, arguments: null }))(fragment) : fragment,
    ),
  },
  "stop-beside-calls": {
    summary: "sends the finish reason `stop` although the reply has calls",
    seen: "Gemini's compatible API, https://github.com/googleapis/python-genai/issues/2868; vLLM, https://github.com/vllm-project/vllm/pull/9209",
    events: eachEvent(stopInstead),
    whole: stopInstead,
  },
  "no-finish-reason": {
    summary: "sends no finish reason",
    seen: "OpenCode Zen, https://github.com/anomalyco/opencode/issues/43379",
    events: eachEvent(noReason),
    whole: noReason,
  },
  "finish-twice": {
    summary: "sends the finish reason twice",
    seen: "OpenRouter's streams with calls",
    events: (events) =>
      events.flatMap((event) =>
        list(fields(event.value)["choices"]).some((choice) => fields(choice)["finish_reason"] !== null)
          ? [event, event]
          : [event],
      ),
  },
  "no-done": {
    summary: "ends the stream without `[DONE]`",
    seen: "text-generation-webui, https://github.com/oobabooga/textgen/issues/4778; OpenCode Zen, https://github.com/anomalyco/opencode/issues/43379",
    events: (events) => events.filter(({ value }) => value !== "[DONE]"),
  },
  "null-chunk": {
    summary: "sends null between two chunks",
    seen: "AgentRouter, https://github.com/Kilo-Org/kilocode/pull/3083",
    events: (events) => [...events.slice(0, 1), { value: null }, ...events.slice(1)],
  },
  "null-choices": {
    summary: "sends the token counts in a chunk whose choices are null",
    seen: "MiniMax, https://github.com/RooCodeInc/Roo-Code/pull/9105",
    events: eachEvent((chunk) => (isUsageChunk(chunk) ? { ...chunk, choices: null } : chunk)),
  },
  "no-choices": {
    summary: "sends the token counts in a chunk without choices",
    seen: "Fireworks, https://github.com/Portkey-AI/gateway/pull/1629",
    events: eachEvent((chunk) => (isUsageChunk(chunk) ? without("choices")(chunk) : chunk)),
  },
  "empty-choices-first": {
    summary: "begins with a chunk that has no choice",
    seen: "Azure OpenAI, whose first chunk has `prompt_filter_results`",
    events: (events) => [
      ...events.slice(0, 1).map((event) => ({
        ...event,
        value: { ...fields(event.value), choices: [], prompt_filter_results: [] },
      })),
      ...events,
    ],
  },
  "role-in-every-chunk": {
    summary: "repeats the role and an empty content in each chunk",
    seen: "OpenRouter, and many local servers",
    events: inDeltas((delta) => ({ role: "assistant", content: "", ...delta })),
  },
  "new-id-in-every-chunk": {
    summary: "gives each chunk of a reply a different id",
    seen: "Foundry Local, https://github.com/microsoft/foundry-local/issues/144; llama.cpp until 2024, https://github.com/ggml-org/llama.cpp/issues/5876",
    events: (events) => {
      let count = 0;
      return eachEvent((chunk) => ({ ...chunk, id: `${valueText(chunk["id"])}_${++count}` }))(events);
    },
  },
  ...sseComments,
};
