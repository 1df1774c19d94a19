import type { Conversation, Placed, Step } from "../conversation.ts";
import { contentOf } from "../identity.ts";
import type { ToolCall, ToolResult } from "../item.ts";

type Answers = ReadonlyMap<string, Placed<ToolResult> | undefined>;

const known = new WeakMap<Conversation, Answers>();

/**
 * The first result that any request of the conversation sends for a call. `undefined` if there is none, if
 * results differ, if the call has no id and so cannot be recognised, or if a result in its own request may be
 * its own.
 */
export function answerElsewhere(
  conversation: Conversation,
  call: Placed<ToolCall>,
): Placed<ToolResult> | undefined {
  const { item, step } = call;
  if (item.id === undefined || item.id === "") return undefined;
  const answers = known.get(conversation) ?? answersIn(conversation);
  known.set(conversation, answers);
  return isUndecided(step, item.id) && !areOthers(step, item.id, answers)
    ? undefined
    : answers.get(contentOf(item));
}

/** Whether only their places decide which of the calls with an id the results of a request answer. */
export function isUndecided({ pairing }: Step, id: string | undefined): boolean {
  return id !== undefined && pairing.undecided.some(({ item }) => item.id === id);
}

/** Whether the results with an id are those that other requests send for the calls that have them here. */
function areOthers({ pairing }: Step, id: string, answers: Answers): boolean {
  const own = pairing.pairs.filter(({ call }) => call.item.id === id);
  return (
    own.length > 0 &&
    own.every(
      ({ call, result }) => answers.get(contentOf(call.item))?.item.text.trim() === result.item.text.trim(),
    )
  );
}

/** Results by call content; `undefined` where two of them differ. */
function answersIn({ steps }: Conversation): Answers {
  const answers = new Map<string, Placed<ToolResult> | undefined>();
  for (const step of steps) {
    for (const { call, result } of step.pairing.pairs) {
      if (isUndecided(step, call.item.id)) continue;
      const key = contentOf(call.item);
      const first = answers.get(key);
      if (!answers.has(key)) answers.set(key, result);
      else if (first && first.item.text.trim() !== result.item.text.trim()) answers.set(key, undefined);
    }
  }
  return answers;
}
