import type { FinishMeaning } from "../../conversation/reply.ts";
import {
  argumentsValue,
  type ReplyContext,
  type ServedEvent,
  type ServedItem,
  type ServedReply,
  servedUsage,
  slicesOf,
  stopOf,
} from "../server-side.ts";
import { argumentsText, type Fields, fields, isFields, list, string } from "../wire.ts";
import { member } from "./names.ts";
import { unwrap } from "./reply.ts";
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
  const { model, newId } = context;
  const response = {
    candidates: [candidateOf(reply, partsOf(reply, context))],
    usageMetadata: usageOf(reply, context),
    modelVersion: model.replace(/^.*\//s, ""),
    ...(isVertex(context) && { createTime: new Date(context.created * 1000).toISOString() }),
    responseId: newId("", 22),
  };
  return isAssist(context) ? { response, traceId: newId("", 16, "hex") } : response;
}

/**
 * The reply in chunks, each of them a whole response. Texts are cut; a call comes in one part.
 * @see https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent
 */
export function events(_: ServedReply, context: ReplyContext, body: Fields): readonly ServedEvent[] {
  const { value: response, base } = unwrap(body);
  const [candidate] = list(response["candidates"]).map(fields);
  const usage = fields(response["usageMetadata"]);
  const { promptTokenCount, promptTokensDetails, trafficType } = usage;
  const begun = {
    promptTokenCount,
    totalTokenCount: promptTokenCount,
    promptTokensDetails,
    ...(trafficType !== undefined && { trafficType }),
  };
  const parts = list(fields(candidate?.["content"])["parts"]).map(fields).flatMap(slicesOfPart);
  // Gemini 3 signs what it says in a last part without text.
  const isUnsigned = signsCalls(context.model) && !parts.some((part) => "thoughtSignature" in part);
  if (isUnsigned && parts.length > 0) parts.push({ text: "", thoughtSignature: signatureOf(parts) });
  const chunk = (changes: object): ServedEvent => {
    const value = { ...response, ...changes };
    return { value: base === "" ? value : { ...body, response: value } };
  };
  const last = parts.length > 0 ? { parts: parts.slice(-1), role: "model" } : candidate?.["content"];
  return [
    ...parts.slice(0, -1).map((part) =>
      chunk({
        candidates: [{ content: { parts: [part], role: "model" }, index: 0 }],
        usageMetadata: begun,
      }),
    ),
    chunk({ candidates: [{ ...candidate, content: last }] }),
  ];
}

/** Whether the request came in the envelope of Cloud Code Assist, whose replies have one, too. */
function isAssist({ fields: body }: ReplyContext): boolean {
  return isFields(body["request"]);
}

function isVertex({ profile }: ReplyContext): boolean {
  return profile === "vertex";
}

function candidateOf(reply: ServedReply, parts: readonly Fields[]): Fields {
  const malformed = malformedCall(reply);
  return {
    content: parts.length > 0 ? { parts, role: "model" } : malformed ? {} : { role: "model" },
    finishReason: malformed ? "MALFORMED_FUNCTION_CALL" : (reasons[stopOf(reply)] ?? "STOP"),
    index: 0,
    ...(malformed && {
      finishMessage: `Malformed function call: ${malformed.name}(${argumentsText(malformed.arguments)})`,
    }),
  };
}

/** A call whose arguments are not an object. The API cannot carry it, and says so in the reason to stop. */
function malformedCall({ items }: ServedReply): Extract<ServedItem, { kind: "call" }> | undefined {
  return items
    .filter((item) => item.kind === "call")
    .find((call) => !isFields(argumentsValue(call.arguments)));
}

function partsOf(reply: ServedReply, context: ReplyContext): Fields[] {
  if (malformedCall(reply)) return [];
  const { fields: body, model, newId } = context;
  const request = isAssist(context) ? fields(body["request"]) : body;
  const thinking = fields(member(fields(member(request, "generationConfig")), "thinkingConfig"));
  const showsThoughts = member(thinking, "includeThoughts") === true;
  const signs = signsCalls(model);
  let isFirst = true;
  return reply.items.flatMap((item): Fields[] => {
    if (item.kind === "text") return [{ text: item.text }];
    if (item.kind === "reasoning") return showsThoughts ? [{ text: item.text, thought: true }] : [];
    // Gemini 3 gives its calls ids, earlier models do not; on Vertex they are rare.
    // @see https://ai.google.dev/gemini-api/docs/function-calling
    const id = item.id ?? (signs && !isVertex(context) ? newId("", 8) : undefined);
    const functionCall = {
      ...(id !== undefined && { id }),
      name: item.name,
      args: argumentsValue(item.arguments),
    };
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
    ...(isVertex(context) && { trafficType: "ON_DEMAND" }),
  };
}
