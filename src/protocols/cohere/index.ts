import type { Demands } from "../../conversation/exchange.ts";
import { level } from "../../traffic/certainty.ts";
import { historyOf, looseRun } from "../history.ts";
import { openaiChat } from "../openai-chat/index.ts";
import { callKinds } from "../openai-chat/messages.ts";
import type { Peek, Protocol, Recognition, RequestBody } from "../protocol.ts";
import { fields, isFields, list, string, valueText } from "../wire.ts";
import { errorTexts } from "./error-texts.ts";
import { decodeMessage } from "./messages.ts";
import { decodeReply, decodeStream, meanings } from "./reply.ts";

const name = "cohere";

/**
 * Cohere rejects `tool_calls` without their results; its other rules are not known.
 * @see https://docs.cohere.com/v2/reference/chat
 */
const demands: Demands = {
  pairsBy: "id",
  adjacency: "following-run",
  resultsFirst: false,
  refusesUnanswered: true,
  refusesOrphans: false,
  hasCallsReason: true,
  forcedChoiceStops: false,
  callKinds,
  argumentsAre: "text",
  mergesRoles: false,
  hasServerHistory: false,
  keepsPrompt: false,
  refusesEmptyText: false,
  refusesDuplicateResults: false,
  // @see https://github.com/pydantic/pydantic-ai/blob/main/pydantic_ai_slim/pydantic_ai/models/cohere.py
  refusesEmptyMessages: true,
};

/** Cohere's requests look like those of the chat format; its replies and streams do not. */
export const cohere: Protocol = {
  name,
  summary: "Cohere's Chat, version 2",
  historyKeys: ["messages"],
  stableKeys: ["tools"],
  demands,
  recognize,
  paths: [{ pattern: /\/v2\/chat(?:[?#]|\/?$)/, purpose: "turn", speaks: "for" }],
  endpoint: "unsupported",
  idiom: {
    append: "messages.push(reply.message, ...results)",
    result: '{ role: "tool", tool_call_id: call.id, content }',
  },
  answers: "unsupported",
  encode: "unsupported",
  writes: "unsupported",
  places: "unsupported",
  loadSchema: () => import("schema:requests/cohere"),
  refusals: "unsupported",
  errorTexts,
  loadServerSide: "unsupported",
  decodeElement: decodeMessage,
  decodeRequest,
  decodeReply,
  decodeStream,
  isTerminal: (frame) => fields(frame.value)["type"] === "message-end",
  replyId: () => undefined,
};

function decodeRequest(body: RequestBody): ReturnType<Protocol["decodeRequest"]> {
  const run = body.run ?? looseRun(list(body.fields["messages"]));
  return { ...openaiChat.decodeRequest(body), history: historyOf(run, name, decodeMessage) };
}

const eventTypes =
  /^(message-(start|end)|content-(start|delta|end)|tool-plan-delta|tool-call-(start|delta|end)|citation-(start|end))$/;

function recognize(peek: Peek): Recognition | undefined {
  if (peek.kind("messages") === "array") return recognizeRequest(peek);
  const type = peek.kind("type") === "string" ? valueText(peek.value("type")) : "";
  if (eventTypes.test(type)) {
    const delta = fields(peek.value("delta"));
    // The AI SDK has events of the same names, but without a message inside.
    const isOwn = isFields(delta["message"]) || (type === "message-end" && "finish_reason" in delta);
    if (isOwn) return { part: "event", certainty: level.nearlyCertain };
    return /-(end|start)$/.test(type) && peek.keys.length <= 3
      ? { part: "event", certainty: level.weak }
      : undefined;
  }
  if (peek.kind("message") !== "object" || peek.kind("finish_reason") !== "string") return undefined;
  const reason = valueText(peek.value("finish_reason"));
  return Object.hasOwn(meanings, reason) && fields(peek.value("message"))["role"] === "assistant"
    ? { part: "reply", certainty: level.nearlyCertain }
    : undefined;
}

/** Only Cohere has a plan next to calls; a model's name and documents are weak evidence. */
function recognizeRequest(peek: Peek): Recognition | undefined {
  const messages = list(peek.value("messages")).map(fields);
  if (messages.length === 0 || !messages.every(({ role }) => typeof role === "string")) return undefined;
  const hasPlan = messages.some((message) => "tool_plan" in message);
  const isNamed = /^(?:command|c4ai)-/.test(string(peek.value("model")) ?? "");
  const hasOwnKeys = ["documents", "citation_options", "safety_mode", "strict_tools"].some((key) =>
    peek.has(key),
  );
  if (hasPlan) return { part: "request", certainty: level.veryStrong };
  return isNamed || hasOwnKeys
    ? { part: "request", certainty: isNamed && hasOwnKeys ? level.certain : level.doubtful }
    : undefined;
}
