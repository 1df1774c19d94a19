import { level } from "../../traffic/certainty.ts";
import { recognizeCount } from "../count-replies.ts";
import type { Peek, Recognition } from "../protocol.ts";
import { type Fields, fields, list, string } from "../wire.ts";
import { partsIn } from "./contents.ts";
import { member } from "./names.ts";
import { isCandidate } from "./reply.ts";

/** Members that Cloud Code Assist puts next to `response`. With others, it is a log record, not a reply. */
const wrapperKeys = new Set(["response", "traceId", "metadata", "consumedCredits", "remainingCredits"]);

const chunkKeys = new Set(
  "candidates usageMetadata usage_metadata modelVersion model_version responseId response_id createTime create_time".split(
    " ",
  ),
);

/** @see https://ai.google.dev/api/tokens */
const besideCount = [
  "totalBillableCharacters",
  "promptTokensDetails",
  "cachedContentTokenCount",
  "cacheTokensDetails",
];

export function recognize(peek: Peek): Recognition | undefined {
  if (peek.kind("contents") === "array") return recognizeContents(peek);
  if (peek.kind("response") === "object" && peek.keys.every((key) => wrapperKeys.has(key))) {
    const reply = fields(peek.value("response"));
    return recognizeReply(reply, Object.keys(reply));
  }
  if (
    peek.has("candidates") ||
    peek.has("usageMetadata") ||
    peek.has("promptFeedback") ||
    peek.has("prompt_feedback")
  ) {
    const names = ["candidates", "usageMetadata", "usage_metadata", "promptFeedback", "prompt_feedback"];
    return recognizeReply(Object.fromEntries(names.map((name) => [name, peek.value(name)])), peek.keys);
  }
  if (peek.kind("content") === "object" && peek.keys.length <= 14 && isCandidate(peekedCandidate(peek)))
    return { part: "reply", certainty: level.possible };
  if (peek.kind("error") === "object" && peek.keys.length === 1)
    return recognizeError(fields(peek.value("error")));
  return recognizeCount(peek, "totalTokens", besideCount);
}

function peekedCandidate(peek: Peek): Fields {
  const names = ["candidates", "content", "finishReason", "finish_reason"];
  return Object.fromEntries(names.flatMap((name) => (peek.has(name) ? [[name, peek.value(name)]] : [])));
}

function recognizeContents(peek: Peek): Recognition | undefined {
  const contents = list(peek.value("contents")).map(fields);
  const hasParts = contents.filter((content) => {
    const [first] = partsIn(content);
    return (first !== undefined || Array.isArray(content["parts"])) && !isNamedPart(first);
  }).length;
  // A request without contents is known by its settings.
  const isEmpty =
    contents.length === 0 && ["systemInstruction", "generationConfig"].some((key) => peek.has(key));
  if (isEmpty) return { part: "request", certainty: level.likely };
  if (hasParts === 0) return undefined;
  // A hand-made history may hold a message of another API; a rule reports it.
  return { part: "request", certainty: hasParts === contents.length ? level.nearlyCertain : level.possible };
}

/** Parts that name their kind belong to SDKs and traces: Gemini's parts are known by their only member. */
function isNamedPart(part: unknown): boolean {
  return ["type", "kind", "part_kind"].some((key) => typeof fields(part)[key] === "string");
}

/** Chunks and whole replies look alike; one with a finish reason is whole, or the last chunk. */
function recognizeReply(value: Fields, keys: readonly string[]): Recognition | undefined {
  const candidates = list(value["candidates"]).map(fields);
  const first = candidates[0];
  const blocked = member(fields(member(value, "promptFeedback")), "blockReason");
  if (first) {
    const reason = member(first, "finishReason");
    const content = fields(first["content"]);
    const hasParts = Array.isArray(content["parts"]) || partsIn(content).length > 0;
    if (typeof reason === "string" || (typeof reason === "number" && reason > 0 && hasParts))
      return { part: "reply", certainty: hasParts ? level.certain : level.strong };
    return hasParts ? { part: "event", certainty: level.nearlyCertain } : undefined;
  }
  if (typeof blocked === "string") return { part: "reply", certainty: level.strong };
  // Session files keep the counts, too; in a chunk they are alone.
  const counts = fields(member(value, "usageMetadata"));
  const isAlone = keys.every((key) => chunkKeys.has(key));
  const hasCounts = member(counts, "promptTokenCount") !== undefined;
  return isAlone && hasCounts ? { part: "event", certainty: level.plausible } : undefined;
}

/** All Google APIs report errors in this form, so without the URL it is weak evidence. */
function recognizeError(error: Fields): Recognition | undefined {
  const isGoogle =
    typeof error["code"] === "number" && /^[A-Z]+(_[A-Z]+)*$/.test(string(error["status"]) ?? "");
  return isGoogle ? { part: "reply", certainty: level.possible } : undefined;
}
