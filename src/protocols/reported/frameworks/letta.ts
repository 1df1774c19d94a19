import { fields, string } from "../../wire.ts";
import { result, said } from "../items.ts";
import { callOf } from "../parts.ts";
import type { Framework } from "./framework.ts";

/**
 * Letta: what the model thought, called and said are messages of their own, which name their kind.
 * @see https://docs.letta.com/api-reference/agents/messages/list
 */
export const letta: Framework = {
  listed: { row: "frameworks", name: "Letta" },
  messageKeys: [["message_type", "id"]],
  decode(message) {
    const { message_type: kind, content, reasoning, tool_call: call, tool_calls: calls } = message;
    switch (kind) {
      case "system_message":
        return { role: "system", items: said(content, "system", "/content") };
      case "user_message":
        return { role: "user", items: said(content, "user", "/content") };
      case "assistant_message":
        return { role: "assistant", items: said(content, "assistant", "/content") };
      case "reasoning_message":
        return {
          role: "assistant",
          items: [
            { kind: "reasoning", role: "assistant", pointer: "/reasoning", text: string(reasoning) ?? "" },
          ],
        };
      case "tool_call_message":
      case "approval_request_message": {
        const made = Array.isArray(calls) && calls.length > 0 ? calls : [];
        const items = made.map((one, index) => callOf(fields(one), `/tool_calls/${index}`));
        return { role: "assistant", items: made.length > 0 ? items : [callOf(fields(call), "/tool_call")] };
      }
      case "tool_return_message": {
        const { tool_call_id: callId, name, tool_return: output, status } = message;
        return {
          role: "tool",
          items: [result({ callId, name, output, isError: status === "error" }, "/tool_return")],
        };
      }
      default:
        return typeof kind === "string" && kind.endsWith("_message")
          ? { role: "system", items: [] }
          : undefined;
    }
  },
};
