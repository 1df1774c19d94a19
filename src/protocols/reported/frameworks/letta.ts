import { fields } from "../../wire.ts";
import { callsOf, decodeCall, decodeResult, reasoning, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/**
 * Letta: the model's thoughts, calls and texts are separate messages that name their kind.
 * @see https://docs.letta.com/api-reference/agents/messages/list
 */
export const letta: Framework = {
  listed: { row: "frameworks", name: "Letta" },
  messageKeys: [["message_type", "id"]],
  decode(message) {
    const { message_type: kind, content, tool_call: call, tool_calls: calls } = message;
    switch (kind) {
      case "system_message":
        return { role: "system", items: said(content, "system", "/content") };
      case "user_message":
        return { role: "user", items: said(content, "user", "/content") };
      case "assistant_message":
        return { role: "assistant", items: said(content, "assistant", "/content") };
      case "reasoning_message":
        return { role: "assistant", items: [reasoning(message["reasoning"], "assistant", "/reasoning")] };
      case "tool_call_message":
      case "approval_request_message": {
        const items = callsOf(calls, "/tool_calls");
        return {
          role: "assistant",
          items: items.length > 0 ? items : [decodeCall(fields(call), "/tool_call")],
        };
      }
      case "tool_return_message":
        return { role: "tool", items: [decodeResult(message, "/tool_return")] };
      default:
        return typeof kind === "string" && kind.endsWith("_message")
          ? { role: "system", items: [] }
          : undefined;
    }
  },
};
