import type { Item, Role } from "../../../conversation/item.ts";
import { level } from "../../../traffic/certainty.ts";
import { fields, isFields, list, string } from "../../wire.ts";
import { callsOf, reasoning, result, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/**
 * The requests that Copilot Chat logs for its debug view in VS Code, and exports as `.chatreplay.json`: roles
 * and kinds of parts are numbers.
 * @see https://github.com/microsoft/vscode-copilot-chat/tree/main/src/extension/replay
 * @see https://github.com/microsoft/vscode-prompt-tsx/blob/main/src/base/output/rawTypes.ts
 */
export const vscodeRequests: Framework = {
  listed: { row: "exports", name: "Copilot Chat's debug view" },

  decode({ role: number, content, toolCalls, toolCallId }) {
    const role = typeof number === "number" ? roles[number] : undefined;
    if (role === undefined || !Array.isArray(content)) return undefined;
    const items = content.flatMap((part, index) => partItems(part, role, `/content/${index}`));
    if (role !== "tool") return { role, items: [...items, ...callsOf(toolCalls, "/toolCalls")] };
    const output = items.map((item) => (item.kind === "message" ? item.text : "")).join("\n");
    return { role, items: [result({ callId: toolCallId, output }, "")] };
  },

  /** The log keeps the texts of a reply only; its calls stand in the next request. */
  reply: {
    recognize: (peek) =>
      peek.keys.length === 2 &&
      /^(?:success|truncated)$/.test(string(peek.value("type")) ?? "") &&
      areTexts(peek.value("message"))
        ? level.fairlyStrong
        : undefined,
    decode({ type, message }) {
      if (type !== "success" || !areTexts(message)) return undefined;
      const items = message.flatMap((text, index) => said(text, "assistant", `/message/${index}`));
      return { items: items.length > 0 ? items : [unshown("assistant", "/message")], finish: undefined };
    },
  },
};

const roles = ["system", "user", "assistant", "tool"] as const;

function partItems(value: unknown, role: Role, pointer: string): Item[] {
  const { type, text, value: opaque } = fields(value);
  if (type === kinds.text) return said(text, role, pointer);
  if (type === kinds.image) return [unshown(role, pointer)];
  const thought = fields(opaque)["thinking"];
  return type === kinds.opaque && isFields(thought)
    ? [reasoning(list(thought["text"])[0] ?? thought["text"], role, `${pointer}/value/thinking`)]
    : [];
}

const kinds = { image: 0, text: 1, opaque: 2 };

/** Something that was said, but is not in the log. */
function unshown(role: Role, pointer: string): Item {
  return { kind: "message", role, pointer, text: "", hasMedia: true };
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((text) => typeof text === "string");
}
