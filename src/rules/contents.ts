import type { Conversation, Step } from "../conversation/conversation.ts";
import type { Item } from "../conversation/item.ts";

/**
 * What rules look for in a conversation. `calls`, `results`, `reasoning`: such an item in a request or reply.
 * `answers`: any item of the model. `replies`: a reply, even an empty one. `continuations`: a request that
 * continues another.
 */
export type Content = keyof typeof bits;

const bits = { calls: 1, results: 2, reasoning: 4, answers: 8, replies: 16, continuations: 32 } as const;

/** Contents as a number, for a log may have tens of thousands of conversations. */
export type Contents = number;

/** A larger number than those of all {@link Contents}. */
export const contentsEnd = 64;

/** Whether there may be anything in these contents that a rule looks at. */
export function looksAt(rule: { readonly looksAt?: readonly Content[] }, contents: Contents): boolean {
  return rule.looksAt?.some((content) => (contents & bits[content]) !== 0) ?? true;
}

/** What a conversation contains. */
export function contentsOf({ steps }: Conversation): Contents {
  let all = 0;
  for (const step of steps) all |= ofStep(step);
  return all;
}

function ofStep({ parent, request, reply, added, changed }: Step): Contents {
  let all = parent ? bits.continuations : 0;
  if (parent) {
    for (const { item } of added) all |= ofItem(item);
    for (const { after } of changed) all |= ofItem(after.item);
  } else if (request) {
    const { history } = request;
    for (let element = 0; element < history.length; element++)
      for (const item of history.items(element)) all |= ofItem(item);
  }
  if (reply) {
    all |= bits.replies;
    for (const item of reply.items) all |= ofItem(item);
  }
  return all;
}

function ofItem({ kind, role }: Item): Contents {
  const own = role === "assistant" ? bits.answers : 0;
  switch (kind) {
    case "call":
      return own | bits.calls;
    case "result":
      return own | bits.results;
    case "reasoning":
      return own | bits.reasoning;
    default:
      return own;
  }
}
