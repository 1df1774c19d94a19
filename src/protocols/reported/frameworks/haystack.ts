import type { Item } from "../../../conversation/item.ts";
import { speakerOf } from "../../../traffic/roles.ts";
import { fields, isFields, list, string } from "../../wire.ts";
import { decodeCall, result, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/** @see https://docs.haystack.deepset.ai/docs/chatmessage */
export const haystack: Framework = {
  listed: { row: "frameworks", name: "Haystack" },
  messageKeys: [["_role"]],
  decode(message) {
    const [key, content] = Array.isArray(message["content"])
      ? ["content", message["content"]]
      : ["_content", list(message["_content"])];
    const role = speakerOf(string(message["role"]) ?? string(message["_role"]));
    const isOwn = content.some((part) =>
      isFields(fields(part)["tool_call"] ?? fields(part)["tool_call_result"]),
    );
    if (role === undefined || (!isOwn && message["_role"] === undefined)) return undefined;
    return {
      role,
      items: content.flatMap((part, index): Item[] => {
        const pointer = `/${key}/${index}`;
        const { text, tool_call: call, tool_call_result: outcome } = fields(part);
        if (isFields(call)) return [decodeCall(call, `${pointer}/tool_call`)];
        if (isFields(outcome)) {
          const { id: callId, tool_name: name } = fields(outcome["origin"]);
          const isError = outcome["error"] === true;
          return [
            result({ callId, name, output: outcome["result"], isError }, `${pointer}/tool_call_result`),
          ];
        }
        return said(text, role, pointer);
      }),
    };
  },
};
