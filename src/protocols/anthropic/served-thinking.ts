import { type Fields, fields, string } from "../wire.ts";

/** Claude from 5 on thinks unless told not to. */
const thinksByDefault = /claude-(?:(?:opus|sonnet|haiku|fable|mythos)-5(?!\d)|mythos-preview)/;

/** Claude from Opus 4.7 on keeps its thinking to itself unless asked for a summary. */
const omitsByDefault =
  /claude-(?:opus-4[-.][78](?!\d)|(?:opus|sonnet|haiku|fable|mythos)-5(?!\d)|mythos-preview)/;

/**
 * Whether a reply to this request holds thinking, and with its words.
 * @see https://platform.claude.com/docs/en/build-with-claude/thinking#configuring-thinking
 */
export function thinkingOf({ thinking, model }: Fields): "shown" | "omitted" | undefined {
  const { type, display } = fields(thinking);
  const name = string(model) ?? "";
  const thinks = type === undefined ? thinksByDefault.test(name) : type === "enabled" || type === "adaptive";
  if (!thinks) return undefined;
  return (display ?? (omitsByDefault.test(name) ? "omitted" : "summarized")) === "omitted"
    ? "omitted"
    : "shown";
}
