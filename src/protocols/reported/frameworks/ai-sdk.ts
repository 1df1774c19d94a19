import type { Item } from "../../../conversation/item.ts";
import { pushAll } from "../../../reading/lists.ts";
import { level } from "../../../traffic/certainty.ts";
import { ids, means } from "../../error-text.ts";
import { type Fields, fields, isFields, list, string } from "../../wire.ts";
import { finishOf } from "../finish.ts";
import { decodeCall, decodePart, decodeParts } from "../parts.ts";
import type { Framework, ReplyContent } from "./framework.ts";

/** Other tools pass on the Vercel AI SDK's message parts, so the common reader handles them. */
export const aiSdk: Framework = {
  listed: {
    name: "ai-sdk",
    summary: "model messages, UI messages and UI streams of the Vercel AI SDK",
    signs: "tool-call parts; parts of tool-NAME; tool-input-delta",
  },
  errorTexts: [
    {
      pattern: new RegExp(`tool results? (?:is|are) missing for tool calls?:? ${ids}`, "i"),
      ...means.unanswered,
    },
    {
      pattern: new RegExp(`ToolInvocation must have a result(?:.{0,400}?"toolCallId": ?${ids})?`, "i"),
      ...means.unanswered,
    },
    { pattern: /must be a ModelMessage\[\]/, ...means.badRequest },
  ],
  reply: {
    recognize(peek) {
      const reason = peek.kind("finishReason");
      if (reason !== "string" && reason !== "object") return undefined;
      if (["textParts", "toolCalls"].some((key) => peek.kind(key) === "array")) return level.likely;
      const parts = peek.kind("content") === "array" ? list(peek.value("content")).map(fields) : [];
      return parts.length > 0 && parts.every((part) => typeof part["type"] === "string")
        ? level.likely
        : undefined;
    },
    decode(body) {
      if (Object.keys(body).some((name) => name.startsWith("ai.response."))) return ofSpan(body);
      const isOwn = "finishReason" in body && ownMembers.some((key) => key in body);
      return isOwn ? ofFunction(body) : undefined;
    },
  },
};

/** Where the SDK's functions return what the model said. */
const ownMembers = ["content", "textParts", "text", "toolCalls"];

/** Attributes of the SDK's spans. */
function ofSpan(body: Fields): ReplyContent {
  const text = string(body["ai.response.text"]) ?? string(body["ai.response.object"]) ?? "";
  const items: Item[] = decodePart({ type: "text", text }, "assistant", "/ai.response.text");
  for (const [index, call] of list(body["ai.response.toolCalls"]).entries())
    items.push(decodeCall(fields(call), `/ai.response.toolCalls/${index}`));
  return { items, finish: finishOf(body["ai.response.finishReason"], "/ai.response.finishReason") };
}

/** Return values of the SDK's functions, and streams as its DevTools collect them. */
function ofFunction(body: Fields): ReplyContent {
  const items: Item[] = [];
  if (Array.isArray(body["content"])) pushAll(items, decodeParts(body["content"], "assistant", "/content"));
  else {
    for (const [index, part] of list(body["textParts"]).entries())
      pushAll(items, decodePart({ ...fields(part), type: "text" }, "assistant", `/textParts/${index}`));
    if (!isFields(body["text"]) && !Array.isArray(body["textParts"]))
      pushAll(items, decodePart({ type: "text", text: string(body["text"]) ?? "" }, "assistant", "/text"));
    for (const [index, call] of list(body["toolCalls"]).entries())
      items.push(decodeCall(fields(call), `/toolCalls/${index}`));
  }
  return { items, finish: finishOf(body["finishReason"], "/finishReason") };
}
