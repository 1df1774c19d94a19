import type { ServedItem } from "../server-side.ts";
import { type Fields, fields, list, string } from "../wire.ts";

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

/**
 * What the model says, with a thought at the beginning where it cannot do without: with `enabled`, a turn
 * begins with thinking, and the API demands it back before the calls.
 * @see https://platform.claude.com/docs/en/build-with-claude/extended-thinking
 */
export function thoughtful(items: readonly ServedItem[], request: Fields): readonly ServedItem[] {
  const isEnabled = fields(request["thinking"])["type"] === "enabled";
  const last = fields(list(request["messages"]).at(-1));
  const continuesTurn = list(last["content"]).some((block) => fields(block)["type"] === "tool_result");
  const isBare = items.length > 0 && items[0]?.kind !== "reasoning";
  return isEnabled && isBare && !continuesTurn
    ? [{ kind: "reasoning", text: "Let me see." }, ...items]
    : items;
}
