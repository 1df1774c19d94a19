import { level } from "../../../traffic/certainty.ts";
import { speakerOf } from "../../../traffic/roles.ts";
import { fields, list, string } from "../../wire.ts";
import { finishOf } from "../finish.ts";
import { callsOf, decodePart, result } from "../parts.ts";
import type { Framework } from "./framework.ts";

/** xAI's own SDK speaks gRPC. Recorders store its messages as JSON, with its enumeration names. */
export const xai: Framework = {
  listed: { row: "frameworks", name: "xAI's SDK" },

  decode(message) {
    const { role: word, content } = message;
    const role = typeof word === "string" && word.startsWith("ROLE_") ? speakerOf(word.slice(5)) : undefined;
    if (role === undefined) return undefined;
    const parts = typeof content === "string" ? [content] : list(content);
    const key = typeof content === "string" ? "/content" : undefined;
    if (role === "tool") {
      const output = parts.map((part) => string(part) ?? string(fields(part)["text"]) ?? "").join("\n");
      return { role, items: [result({ callId: message["tool_call_id"], output }, "")] };
    }
    const calls = callsOf(message["tool_calls"], "/tool_calls");
    const texts = parts.flatMap((part, index) => decodePart(part, role, key ?? `/content/${index}`));
    return { role, items: [...texts, ...calls] };
  },

  reply: {
    recognize(peek) {
      const [output] = peek.kind("outputs") === "array" ? list(peek.value("outputs")) : [];
      return /^ROLE_/.test(string(fields(fields(output)["message"])["role"]) ?? "")
        ? level.certain
        : undefined;
    },
    decode({ outputs }, messages) {
      if (!Array.isArray(outputs)) return undefined;
      const { message, finish_reason: word } = fields(outputs[0]);
      const reason = string(word)?.replace(/^REASON_/, "");
      return {
        items: messages.items(message, "/outputs/0/message"),
        finish: finishOf(reason, "/outputs/0/finish_reason"),
      };
    },
  },
};
