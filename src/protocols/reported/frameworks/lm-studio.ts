import type { Item } from "../../../conversation/item.ts";
import { speakerOf } from "../../../traffic/roles.ts";
import { fields, filled, list, string } from "../../wire.ts";
import { decodeCall, result, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/** LM Studio stores all versions of a message; a model's is one text, or steps with calls and results. */
export const lmStudio: Framework = {
  listed: { row: "exports", name: "LM Studio" },

  decode(message) {
    const { versions, currentlySelected: selected } = message;
    const index = typeof selected === "number" ? selected : 0;
    const version = fields(list(versions)[index]);
    const role = speakerOf(string(version["role"]) ?? string(message["role"]));
    if (role === undefined || !Array.isArray(versions)) return undefined;
    const at = `/versions/${index}`;
    const lists: (readonly [unknown, string])[] = Array.isArray(version["steps"])
      ? version["steps"].map(
          (step, place) => [fields(step)["content"], `${at}/steps/${place}/content`] as const,
        )
      : [[version["content"], `${at}/content`]];
    const items = lists.flatMap(([parts, base]) =>
      list(parts).flatMap((part, place): Item[] => {
        const { type, content, name, text } = fields(part);
        const pointer = `${base}/${place}`;
        const id = idOfLmStudio(part);
        if (type === "toolCallRequest") {
          const { parameters, arguments: written } = fields(part);
          return [decodeCall({ id, name, arguments: parameters ?? written }, pointer)];
        }
        if (type === "toolCallResult") return [result({ callId: id, name, output: content }, pointer)];
        return said(text, role, pointer);
      }),
    );
    return { role, items };
  },
};

/** The call's number; older versions have no other id. */
function idOfLmStudio(part: unknown): string | undefined {
  const { toolCallRequestId: own, callId, toolCallId } = fields(part);
  const id = own ?? callId ?? toolCallId;
  return typeof id === "number" ? `${id}` : filled(id);
}
