import type { Item } from "../../../conversation/item.ts";
import { speakerOf } from "../../../traffic/roles.ts";
import { fields, filled, list, string } from "../../wire.ts";
import { callsOf, decodeCall, decodeParts, reasoning, result, resultText, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/**
 * Continue: a message next to its context. The command line stores a message's calls as states with their
 * outcomes, newer versions in the message, too; the extensions store results as separate messages.
 */
export const continueDev: Framework = {
  listed: { row: "exports", name: "Continue" },
  messageKeys: [["message", "contextItems"]],
  decode(entry) {
    const { message, toolCallStates: states } = entry;
    const { role: word, content, toolCalls } = fields(message);
    if (!["contextItems", "toolCallStates", "editorState"].some((key) => key in entry)) return undefined;
    if (word === "thinking")
      return {
        role: "assistant",
        items: [reasoning(resultText(content), "assistant", "/message/content")],
      };
    const role = speakerOf(string(word));
    if (role === undefined) return undefined;
    if (role === "tool") {
      const { toolCallId: callId } = fields(message);
      // A state of the call may hold the same output.
      return { role, items: [{ ...result({ callId, output: content }, "/message/content"), isCopy: true }] };
    }
    const calls = callsOf(toolCalls, "/message/toolCalls");
    const spoken =
      typeof content === "string"
        ? said(content.trim(), role, "/message/content")
        : decodeParts(content, role, "/message/content");
    const known = new Set([...spoken, ...calls].flatMap((item) => (item.kind === "call" ? [item.id] : [])));
    const run = list(states).flatMap((each, index): Item[] => {
      const state = fields(each);
      const pointer = `/toolCallStates/${index}`;
      const call = decodeCall(fields(state["toolCall"]), `${pointer}/toolCall`);
      const id = filled(state["toolCallId"]) ?? call.id;
      const { output, status } = state;
      const made = known.has(id) ? [] : [id === undefined ? call : { ...call, id }];
      const isOver = made.length > 0 && /^(?:done|errored|canceled)$/.test(string(status) ?? "");
      if (output === undefined && !isOver) return made;
      const texts = list(output).map((part) => string(fields(part)["content"]) ?? "");
      const text = typeof output === "string" ? output : texts.join("\n");
      return [...made, result({ callId: id, output: text, isError: status === "errored" }, pointer)];
    });
    return { role, items: [...spoken, ...calls, ...run] };
  },
};
