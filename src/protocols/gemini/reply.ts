import type { Extent, Item } from "../../conversation/item.ts";
import type { Finish, Reply, ReplyError, ReplyFlaw, Usage } from "../../conversation/reply.ts";
import { errorDetails, errorIn } from "../errors.ts";
import type { ReplyBody } from "../protocol.ts";
import { stopReason } from "../stop-reason.ts";
import { defined, type Fields, fields, filled, isFields, list, number, string } from "../wire.ts";
import { decodeParts, partsIn } from "./contents.ts";
import { meaningOf } from "./finish-reasons.ts";
import { member, wireName } from "./names.ts";

/**
 * Clients that print enumerations as numbers (`enum-encoding=int`, protobuf's JSON printer). From 6 on, AI
 * Studio and Vertex number the reasons differently.
 * @see https://github.com/googleapis/googleapis/blob/master/google/ai/generativelanguage/v1beta/generative_service.proto
 */
const numbered = ["FINISH_REASON_UNSPECIFIED", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER"];

function reasonOf(value: unknown): string | undefined {
  // Zero stands for no reason: the printer writes it into every chunk.
  return typeof value === "number" && value > 0 ? (numbered[value] ?? String(value)) : filled(value);
}

export interface UnwrappedReply {
  readonly value: Fields;
  /** `/response` for replies of Cloud Code Assist, else `""`. */
  readonly base: string;
  /** Pointer to the first candidate. */
  readonly first: string;
}

/** Cloud Code Assist puts the reply into `{response: {…}}`; people print a candidate alone. */
export function unwrap(value: unknown): UnwrappedReply {
  const outer = fields(value);
  if (isCandidate(outer)) return { value: { candidates: [outer] }, base: "", first: "" };
  const inner = outer["response"];
  return isFields(inner) && outer["candidates"] === undefined
    ? { value: inner, base: "/response", first: "/response/candidates/0" }
    : { value: outer, base: "", first: "/candidates/0" };
}

/** Whether a value is a candidate of a whole reply, without the reply: `print(response.candidates)`. */
export function isCandidate(value: Fields): boolean {
  const { candidates, content } = value;
  if (candidates !== undefined || !isFields(content) || content["role"] !== "model") return false;
  return reasonOf(member(value, "finishReason")) !== undefined && Array.isArray(content["parts"]);
}

/** Why the model stopped; without candidates, why the prompt was blocked. */
export function finishOf({ value, base, first }: UnwrappedReply, extent?: Extent): Finish | undefined {
  const candidate = fields(list(value["candidates"])[0]);
  const key = wireName(candidate, "finishReason");
  const reason = reasonOf(candidate[key]);
  if (reason !== undefined) {
    // Python's `str()` of the enumeration includes its name: `FinishReason.STOP`.
    const word = reason.slice(reason.lastIndexOf(".") + 1);
    return stopReason(reason, meaningOf(word), `${first}/${key}`, extent);
  }
  const feedback = wireName(value, "promptFeedback");
  const holder = fields(value[feedback]);
  const blocked = wireName(holder, "blockReason");
  const why = filled(holder[blocked]);
  if (why === undefined) return undefined;
  return defined({
    reason: why,
    meaning: "filter" as const,
    pointer: `${base}/${feedback}/${blocked}`,
    extent,
  });
}

export function usageOf(value: Fields): Usage | undefined {
  const usage = member(value, "usageMetadata");
  if (!isFields(usage)) return undefined;
  const answer = number(member(usage, "candidatesTokenCount"));
  const thoughts = number(member(usage, "thoughtsTokenCount"));
  return defined({
    input: number(member(usage, "promptTokenCount")),
    output: answer === undefined && thoughts === undefined ? undefined : (answer ?? 0) + (thoughts ?? 0),
    cached: number(member(usage, "cachedContentTokenCount")),
  });
}

/** Reads `{error: {code, message, status}}`; streams that fail at once send it in an array. */
export function errorOf(value: unknown, isMidStream = false, extent?: Extent): ReplyError | undefined {
  const body = Array.isArray(value) ? fields(value[0]) : fields(value);
  const error = errorIn(body);
  if (error === undefined) return undefined;
  const inner = fields(error);
  const code = inner["code"];
  return defined({
    message: string(inner["message"]) ?? string(error) ?? JSON.stringify(error),
    type: string(inner["status"]),
    code: typeof code === "number" ? String(code) : string(code),
    isMidStream,
    pointer: Array.isArray(value) ? "/0/error" : "/error",
    extent,
    ...errorDetails(inner),
  });
}

/** The items of the first candidate, to which a pointer leads. */
export function decodedItems(parts: readonly unknown[], first: string): Item[] {
  return decodeParts(parts, "assistant", `${first}/content/parts`);
}

export function nameFlaws(items: readonly Item[]): ReplyFlaw[] {
  return items.flatMap((item): ReplyFlaw[] => {
    if (item.kind !== "call" || item.name !== "" || item.isHosted) return [];
    const extent = item.fragments?.first;
    const detail = "the call names no function";
    return [
      defined({ kind: "missing-name" as const, isHarmless: false, detail, pointer: item.pointer, extent }),
    ];
  });
}

export function decodeReply(body: ReplyBody): Reply {
  const unwrapped = unwrap(body.value);
  const { value, first } = unwrapped;
  const candidates = list(value["candidates"]).map(fields);
  const items = decodedItems(partsIn(fields(candidates[0]?.["content"])), first);
  return defined({
    place: body.place,
    form: "json" as const,
    id: filled(member(value, "responseId")),
    model: filled(member(value, "modelVersion")),
    items,
    writings: items.length > 0 ? [[{ role: "model", ...fields(candidates[0]?.["content"]) }]] : undefined,
    finish: finishOf(unwrapped),
    usage: usageOf(value),
    state: "complete" as const,
    error: candidates.length === 0 ? errorOf(body.value) : undefined,
    flaws: nameFlaws(items),
    otherChoices: Math.max(0, candidates.length - 1),
  });
}
