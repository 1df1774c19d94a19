import type { Item } from "../../../conversation/item.ts";
import { level } from "../../../traffic/certainty.ts";
import { speakerOf } from "../../../traffic/roles.ts";
import { fields, isFields, list, string } from "../../wire.ts";
import { finishOf } from "../finish.ts";
import { callsOf, result, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/** @see https://docs.spring.io/spring-ai/reference/api/tools.html */
export const springAi: Framework = {
  listed: { row: "frameworks", name: "Spring AI" },
  messageKeys: [["messageType"]],
  decode(message) {
    const role = speakerOf(string(message["messageType"]));
    if (role === undefined) return undefined;
    const key =
      ["text", "textContent", "content"].find((name) => typeof message[name] === "string") ?? "text";
    const text = said(string(message[key]), role, `/${key}`);
    if (role !== "tool") return { role, items: [...text, ...callsOf(message["toolCalls"], "/toolCalls")] };
    const responses = list(message["responses"]).map((response, index): Item => {
      const { id: callId, name, responseData: output } = fields(response);
      return result({ callId, name, output }, `/responses/${index}`);
    });
    return { role, items: responses };
  },

  /** What `ChatResponse` prints: generations, each with the message and why it ended. */
  reply: {
    recognize(peek) {
      if (peek.kind("generations") !== "array") return undefined;
      return isFields(fields(list(peek.value("generations"))[0])["assistantMessage"])
        ? level.strong
        : undefined;
    },
    decode({ generations }, messages) {
      const { assistantMessage: message, chatGenerationMetadata: metadata } = fields(list(generations)[0]);
      if (!isFields(message)) return undefined;
      const base = "/generations/0";
      const reason = fields(metadata)["finishReason"] ?? fields(message["metadata"])["finishReason"];
      return { items: messages.items(message, `${base}/assistantMessage`), finish: finishOf(reason, base) };
    },
  },
};
