import type { Item, Role } from "../../../conversation/item.ts";
import { fields, list } from "../../wire.ts";
import { decodeCall, decodeResult, reasoning, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/**
 * AutoGen: events and messages that name their class; before version 0.4, tool messages with a list of
 * results.
 * @see https://microsoft.github.io/autogen/stable/reference/python/autogen_agentchat.messages.html
 */
export const autogen: Framework = {
  listed: { row: "frameworks", name: "AutoGen" },

  decode(message) {
    const { type, content, source } = message;
    if (Array.isArray(message["tool_responses"])) {
      const items = message["tool_responses"].map((response, index) =>
        decodeResult(fields(response), `/tool_responses/${index}`),
      );
      return { role: "tool", items };
    }
    if (typeof type !== "string" || !/^[A-Z]\w*(?:Message|Event)$/.test(type)) return undefined;
    if (typeof source !== "string" && type !== "FunctionExecutionResultMessage") return undefined;
    const role: Role =
      type === "SystemMessage"
        ? "system"
        : type === "UserMessage" || (source === "user" && type.endsWith("Message"))
          ? "user"
          : "assistant";
    if (type === "ThoughtEvent") return { role, items: [reasoning(content, role, "/content")] };
    if (typeof content === "string") return { role, items: said(content, role, "/content") };
    const items = list(content).flatMap((part, index): Item[] => {
      const { call_id: callId, arguments: args } = fields(part);
      const pointer = `/content/${index}`;
      if (callId !== undefined) return [decodeResult(fields(part), pointer)];
      if (args !== undefined) return [decodeCall(fields(part), pointer)];
      return typeof part === "string" ? said(part, role, pointer) : [];
    });
    return { role: items.some(({ kind }) => kind === "result") ? "tool" : role, items };
  },
};
