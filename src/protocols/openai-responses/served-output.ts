import type { ReplyContext, ServedItem } from "../server-side.ts";
import { type Fields, fields, filled } from "../wire.ts";
import { callItem, type ItemStatus } from "./served-calls.ts";

/** How an item of the output stands when its reply ends. */
interface Ending {
  readonly status: ItemStatus;
  /** The text says why there is no answer. */
  readonly isRefusal: boolean;
}

/**
 * An item of the output. Ids have the form of OpenAI's: a prefix that names the kind, and 48 or 50
 * hexadecimal digits.
 * @see https://platform.openai.com/docs/api-reference/responses/object
 */
export function outputItem(item: ServedItem, context: ReplyContext, { status, isRefusal }: Ending): Fields {
  switch (item.kind) {
    case "text":
      return {
        id: context.newId("msg_", 50, "hex"),
        type: "message",
        status,
        content: [
          isRefusal
            ? { type: "refusal", refusal: item.text }
            : { type: "output_text", annotations: [], logprobs: [], text: item.text },
        ],
        role: "assistant",
      };
    case "reasoning":
      return reasoningItem(item.text, context);
    case "call":
      return callItem(item, status, context);
  }
}

/** Servers of open models write the reasoning out. @see https://docs.vllm.ai/en/latest/features/reasoning_outputs */
const writers: ReadonlySet<string> = new Set(["groq", "vllm", "lm-studio", "local"]);

/**
 * OpenAI shows a summary of the reasoning only where the request asks for one, and seals the rest.
 * @see https://platform.openai.com/docs/guides/reasoning#reasoning-summaries
 */
function reasoningItem(text: string, { fields: body, newId, profile }: ReplyContext): Fields {
  const base = { id: newId("rs_", 50, "hex"), type: "reasoning" };
  if (writers.has(profile)) return { ...base, summary: [], content: [{ type: "reasoning_text", text }] };
  const asked = fields(body["reasoning"]);
  const isAsked = (filled(asked["summary"]) ?? filled(asked["generate_summary"])) !== undefined;
  return {
    ...base,
    summary: isAsked && text !== "" ? [{ type: "summary_text", text }] : [],
    encrypted_content: newId("gAAAAAB", 220),
  };
}
