import { argumentsText, customInput, type ReplyContext, type ServedItem } from "../server-side.ts";
import { defined, type Fields, fields, filled, list } from "../wire.ts";

type Call = Extract<ServedItem, { kind: "call" }>;

/** How an item of the output stands when its reply ends. */
interface Ending {
  readonly status: "completed" | "incomplete";
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

function callItem(call: Call, status: Ending["status"], { fields: body, newId }: ReplyContext): Fields {
  const callId = call.id ?? newId("call_", 24);
  const declared = declaredTool(list(body["tools"]), call.name);
  if (declared?.tool["type"] === "custom") {
    return defined({
      id: newId("ctc_", 50, "hex"),
      type: "custom_tool_call",
      status,
      call_id: callId,
      input: customInput(call.arguments),
      name: call.name,
      namespace: declared.namespace,
    });
  }
  return defined({
    id: newId("fc_", 50, "hex"),
    type: "function_call",
    status,
    arguments: argumentsText(call.arguments),
    call_id: callId,
    name: call.name,
    namespace: declared?.namespace,
  });
}

interface DeclaredTool {
  readonly tool: Fields;
  /** The namespace that contains it. */
  readonly namespace: string | undefined;
}

function declaredTool(tools: readonly unknown[], name: string, namespace?: string): DeclaredTool | undefined {
  for (const entry of tools) {
    const tool = fields(entry);
    if (tool["type"] === "namespace") {
      const inside = declaredTool(list(tool["tools"]), name, filled(tool["name"]));
      if (inside) return inside;
    } else if (tool["name"] === name) return { tool, namespace };
  }
  return undefined;
}
