import type { Conversation, Placed } from "../conversation.ts";
import { contentOf } from "../identity.ts";
import type { ToolCall, ToolResult } from "../item.ts";

const known = new WeakMap<Conversation, ReadonlyMap<string, Placed<ToolResult> | undefined>>();

/**
 * The first result that any request of the conversation sends for a call. `undefined` if there is none, if
 * results differ, or if the call has no id and so cannot be recognised.
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

/** Results by call content; `undefined` where two of them differ. */
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
