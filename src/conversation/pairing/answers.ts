import type { Conversation, Placed } from "../conversation.ts";
import { contentOf } from "../identity.ts";
import type { ToolCall, ToolResult } from "../item.ts";

const known = new WeakMap<Conversation, ReadonlyMap<string, Placed<ToolResult> | undefined>>();

/**
 * The result with which another request of the conversation answers a call, the first that does. `undefined` when none does, when they
 * differ, or when the call has no id: then nothing says that it is the same one.
 */
export function answerElsewhere(
  conversation: Conversation,
  { item }: Placed<ToolCall>,
): Placed<ToolResult> | undefined {
  if (item.id === undefined || item.id === "") return undefined;
  const answers = known.get(conversation) ?? answersIn(conversation);
  known.set(conversation, answers);
  return answers.get(contentOf(item));
}

/** By what calls are; without a result where there are two that differ. */
function answersIn({ steps }: Conversation): ReadonlyMap<string, Placed<ToolResult> | undefined> {
  const answers = new Map<string, Placed<ToolResult> | undefined>();
  for (const { pairing } of steps) {
    for (const { call, result } of pairing.pairs) {
      const key = contentOf(call.item);
      const first = answers.get(key);
      if (!answers.has(key)) answers.set(key, result);
      else if (first && first.item.text.trim() !== result.item.text.trim()) answers.set(key, undefined);
    }
  }
  return answers;
}
