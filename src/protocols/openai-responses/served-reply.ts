import { type ReplyContext, type ServedItem, type ServedReply, servedUsage, stopOf } from "../server-side.ts";
import { defined, type Fields, fields, filled, isFields, list } from "../wire.ts";
import { reasoningOf, surelyReasons } from "./reasoning.ts";
import { outputItem } from "./served-output.ts";

const incompleteReasons: Readonly<Record<string, string>> = {
  length: "max_output_tokens",
  filter: "content_filter",
};

/** A reply as one body. @see https://platform.openai.com/docs/api-reference/responses/object */
export function whole(reply: ServedReply, context: ReplyContext): Fields {
  const stop = stopOf(reply);
  const reason = incompleteReasons[stop];
  const items = withReasoning(reply.items, context);
  const last = items.length - 1;
  const output = items.map((item, index) =>
    outputItem(item, context, {
      status: reason !== undefined && index === last ? "incomplete" : "completed",
      isRefusal: stop === "refusal",
    }),
  );
  const { input, output: written, reasoning, cached } = servedUsage(reply, context);
  return {
    id: reply.id ?? context.newId("resp_", 50, "hex"),
    object: "response",
    created_at: context.created,
    status: reason === undefined ? "completed" : "incomplete",
    background: context.fields["background"] ?? false,
    completed_at: reason === undefined ? context.created : null,
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    ...echoed(context.fields, context.model),
    output,
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: written,
      output_tokens_details: { reasoning_tokens: reasoning },
      total_tokens: input + written,
    },
  };
}

/** A model that always reasons has an item of it before what it says, although nothing of it may show. */
function withReasoning(
  items: readonly ServedItem[],
  { model, fields: body }: ReplyContext,
): readonly ServedItem[] {
  const settings = defined({ reasoning: reasoningOf(body) });
  const isMissing = items.length > 0 && items.every(({ kind }) => kind !== "reasoning");
  return isMissing && surelyReasons({ model, settings })
    ? [{ kind: "reasoning", text: "" }, ...items]
    : items;
}

/** What a reply repeats of its request; the defaults are those of api.openai.com. */
function echoed(body: Fields, model: string): Fields {
  const conversation = filled(body["conversation"]) ?? filled(fields(body["conversation"])["id"]);
  return {
    instructions: body["instructions"] ?? null,
    max_output_tokens: body["max_output_tokens"] ?? null,
    max_tool_calls: body["max_tool_calls"] ?? null,
    model,
    parallel_tool_calls: body["parallel_tool_calls"] ?? true,
    previous_response_id: body["previous_response_id"] ?? null,
    ...(conversation !== undefined && { conversation: { id: conversation } }),
    prompt_cache_key: body["prompt_cache_key"] ?? null,
    prompt_cache_retention: body["prompt_cache_retention"] ?? null,
    reasoning: { effort: null, summary: null, ...fields(body["reasoning"]) },
    safety_identifier: body["safety_identifier"] ?? null,
    service_tier: tierOf(body["service_tier"]),
    store: body["store"] ?? true,
    temperature: body["temperature"] ?? 1,
    text: { format: { type: "text" }, verbosity: "medium", ...fields(body["text"]) },
    tool_choice: body["tool_choice"] ?? "auto",
    tools: list(body["tools"]).map(echoedTool),
    top_logprobs: body["top_logprobs"] ?? 0,
    top_p: body["top_p"] ?? 1,
    truncation: body["truncation"] ?? "disabled",
    user: body["user"] ?? null,
    metadata: body["metadata"] ?? {},
  };
}

/** Functions are strict unless they say otherwise. */
function echoedTool(tool: unknown): unknown {
  return isFields(tool) && tool["type"] === "function"
    ? { description: null, parameters: null, strict: true, ...tool }
    : tool;
}

/** The tier that was used; `auto` names none. */
function tierOf(asked: unknown): unknown {
  return asked === undefined || asked === null || asked === "auto" ? "default" : asked;
}
