import { speakerOf } from "../../../traffic/roles.ts";
import { string } from "../../wire.ts";
import { said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/**
 * Items of a chat context of LiveKit's agents: messages whose content is a list of plain texts. Calls and
 * their outputs stand between them, in the form of the Responses API.
 * @see https://docs.livekit.io/agents/build/nodes/
 */
export const liveKit: Framework = {
  listed: { row: "frameworks", name: "LiveKit" },
  decode({ type, role: speaker, content }) {
    const role = speakerOf(string(speaker));
    if (role === undefined || type !== "message" || !holdsPlainTexts(content)) return undefined;
    return {
      role,
      items: content.flatMap((text, index) => said(text, role, `/content/${index}`)),
    };
  },
};

/** Whether content is a list of texts that are not parts; no API takes that. */
export function holdsPlainTexts(content: unknown): content is readonly string[] {
  return Array.isArray(content) && content.length > 0 && content.every((part) => typeof part === "string");
}
