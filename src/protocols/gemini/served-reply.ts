import type { FinishMeaning } from "../../conversation/exchange.ts";
import {
  argumentsText,
  argumentsValue,
  type ReplyContext,
  type ServedEvent,
  type ServedItem,
  type ServedReply,
  servedUsage,
  slicesOf,
  stopOf,
} from "../server-side.ts";
import { type Fields, fields, isFields, string } from "../wire.ts";
import { member } from "./names.ts";
import { signatureOf } from "./served-signatures.ts";
import { signsCalls } from "./signatures.ts";

/** Calls end with `STOP`, too. @see https://ai.google.dev/api/generate-content#FinishReason */
const reasons: Readonly<Partial<Record<FinishMeaning, string>>> = {
  length: "MAX_TOKENS",
  filter: "SAFETY",
  refusal: "PROHIBITED_CONTENT",
  "malformed-call": "MALFORMED_FUNCTION_CALL",
  other: "OTHER",
};

/** The reply as one `GenerateContentResponse`. @see https://ai.google.dev/api/generate-content */
export function whole(reply: ServedReply, context: ReplyContext): Fields {
  const parts = partsOf(reply, context);
  return responseOf([candidateOf(parts, reply)], usageOf(reply, context), context);
}

/**
 * The reply in chunks, each of them a whole response. Texts are cut; a call comes in one part.
 * @see https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent
 */
export function events(reply: ServedReply, context: ReplyContext): readonly ServedEvent[] {
  const parts = partsOf(reply, context).flatMap(slicesOfPart);
  // Gemini 3 signs what it says in a last part without text.
  const isSigned = signsCalls(context.model) && !parts.some((part) => "thoughtSignature" in part);
  const last: Fields[] = isSigned ? [{ text: "", thoughtSignature: signatureOf(parts) }] : parts.slice(-1);
  const earlier = isSigned ? parts : parts.slice(0, -1);
  const usage = usageOf(reply, context);
  const { promptTokenCount, promptTokensDetails } = usage;
  const begun = { promptTokenCount, totalTokenCount: promptTokenCount, promptTokensDetails };
  const base = responseOf([], begun, context);
  return [
    ...earlier.map((part) => ({
      value: { ...base, candidates: [{ content: { parts: [part], role: "model" }, index: 0 }] },
    })),
    { value: { ...base, candidates: [candidateOf(last, reply)], usageMetadata: usage } },
  ];
}

function responseOf(candidates: readonly Fields[], usage: Fields, { model, newId }: ReplyContext): Fields {
  return {
    candidates,
    usageMetadata: usage,
    modelVersion: model.replace(/^.*\//s, ""),
    responseId: newId("", 22),
  };
}

function candidateOf(parts: readonly Fields[], reply: ServedReply): Fields {
  const malformed = malformedCall(reply);
  const reason = malformed ? "MALFORMED_FUNCTION_CALL" : (reasons[stopOf(reply)] ?? "STOP");
  return {
    content: parts.length > 0 ? { parts, role: "model" } : malformed ? {} : { role: "model" },
    finishReason: reason,
    index: 0,
    ...(malformed && {
      finishMessage: `Malformed function call: ${malformed.name}(${argumentsText(malformed.arguments)})`,
    }),
  };
}

/** A call whose arguments are no object. The API cannot carry it, and says so in the reason to stop. */
function malformedCall({ items }: ServedReply): Extract<ServedItem, { kind: "call" }> | undefined {
  return items
    .filter((item) => item.kind === "call")
    .find((call) => !isFields(argumentsValue(call.arguments)));
}

function partsOf(reply: ServedReply, { fields: request, model, newId }: ReplyContext): Fields[] {
  if (malformedCall(reply)) return [];
  const thinking = fields(member(fields(member(request, "generationConfig")), "thinkingConfig"));
  const showsThoughts = member(thinking, "includeThoughts") === true;
  const signs = signsCalls(model);
  let isFirst = true;
  return reply.items.flatMap((item): Fields[] => {
    if (item.kind === "text") return [{ text: item.text }];
    if (item.kind === "reasoning") return showsThoughts ? [{ text: item.text, thought: true }] : [];
    // Gemini 3 gives its calls ids; earlier models do not.
    const id = item.id ?? (signs ? newId("", 8) : undefined);
    const args = argumentsValue(item.arguments);
    const functionCall = { ...(id !== undefined && { id }), name: item.name, args };
    // Of the calls of one reply only the first is signed.
    const part = { functionCall, ...(signs && isFirst && { thoughtSignature: signatureOf(functionCall) }) };
    isFirst = false;
    return [part];
  });
}

/** Gemini sends about a sentence at a time. */
const sliceSize = 48;

function slicesOfPart(part: Fields): Fields[] {
  const text = string(part["text"]);
  return text === undefined || text === ""
    ? [part]
    : slicesOf(text, sliceSize).map((slice) => ({ ...part, text: slice }));
}

/** @see https://ai.google.dev/api/generate-content#UsageMetadata */
function usageOf(reply: ServedReply, context: ReplyContext): Fields {
  const { input, output, reasoning, cached } = servedUsage(reply, context);
  const thoughts = Math.min(reasoning, output);
  return {
    promptTokenCount: input,
    candidatesTokenCount: output - thoughts,
    totalTokenCount: input + output,
    ...(cached > 0 && { cachedContentTokenCount: cached }),
    promptTokensDetails: [{ modality: "TEXT", tokenCount: input }],
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
  };
}
