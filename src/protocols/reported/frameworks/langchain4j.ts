import type { Role } from "../../../conversation/item.ts";
import { level } from "../../../traffic/certainty.ts";
import { isFields, lookUp, string } from "../../wire.ts";
import { finishOf } from "../finish.ts";
import { callsOf, decodeParts, reasoning, result, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

const roles: Readonly<Record<string, Role>> = {
  SYSTEM: "system",
  USER: "user",
  AI: "assistant",
  TOOL_EXECUTION_RESULT: "tool",
};

/**
 * Messages as `ChatMessageSerializer` of LangChain4j writes them.
 * @see https://docs.langchain4j.dev/tutorials/chat-memory
 */
export const langChain4j: Framework = {
  listed: { row: "frameworks", name: "LangChain4j" },
  errorTexts: [
    {
      // @see https://github.com/quarkiverse/quarkus-langchain4j/issues/2569
      pattern: /params '"\{.{1,2000}?\}"' from request do not map onto the parameters needed by/i,
      rule: "misencoded-arguments",
      about: "reply",
      advice:
        "the arguments are JSON text inside a JSON text: the client, or the server, has to parse them twice",
    },
    {
      pattern: /params '.{0,2000}?' from request do not map onto the parameters needed by/i,
      rule: "invalid-arguments",
      about: "reply",
    },
  ],
  messageKeys: [
    ["type", "contents"],
    ["type", "toolExecutionRequests"],
    ["type", "text"],
  ],
  decode(message) {
    const { type, text, contents, thinking } = message;
    const role = lookUp(roles, string(type));
    if (role === undefined || message["role"] !== undefined) return undefined;
    if (role === "tool") {
      const { id: callId, toolName: name, isError } = message;
      return { role, items: [result({ callId, name, output: text, isError: isError === true }, "")] };
    }
    if (Array.isArray(contents)) return { role, items: decodeParts(contents, role, "/contents") };
    const thoughts = typeof thinking === "string" ? [reasoning(thinking, role, "/thinking")] : [];
    const calls = callsOf(message["toolExecutionRequests"], "/toolExecutionRequests");
    return { role, items: [...thoughts, ...said(text, role, "/text"), ...calls] };
  },

  /** What `ChatResponse` prints: the message, the tokens and why it ended. */
  reply: {
    recognize: (peek) => (peek.kind("aiMessage") === "object" ? level.strong : undefined),
    decode({ aiMessage, finishReason }, messages) {
      if (!isFields(aiMessage)) return undefined;
      return {
        items: messages.items(aiMessage, "/aiMessage"),
        finish: finishOf(finishReason, "/finishReason"),
      };
    },
  },
};
