import type { Conversation, Step } from "../conversation/conversation.ts";
import type { Item } from "../conversation/item.ts";
import { continuesStored } from "../conversation/server-history.ts";

/**
 * What rules look for in a conversation. `calls`, `results`, `reasoning`: such an item in a request or reply.
 * `answers`: any item of the model. `replies`: a reply, even an empty one. `continuations`: a request that
 * continues another. `prompts`: what the system says, in a history or beside it. `flaws`: an item of a
 * request with a flaw. `names`: an item with an id of its own. `links`: a request that refers to what its
 * server stores.
 */
export type Content = keyof typeof bits;

const bits = {
  calls: 1,
  results: 2,
  reasoning: 4,
  answers: 8,
  replies: 16,
  continuations: 32,
  prompts: 64,
  flaws: 128,
  names: 256,
  links: 512,
} as const;

/** Contents as a number, for a log may have tens of thousands of conversations. */
export type Contents = number;

/** A larger number than those of all {@link Contents}. */
export const contentsEnd = 1024;

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

function ofStep({ parent, request, reply, kept, relation }: Step): Contents {
  let all = parent ? bits.continuations : 0;
  if (request) {
    const { history, system } = request;
    if (system !== undefined) all |= bits.prompts;
    if (continuesStored(request)) all |= bits.links;
    // The elements that were there before are those of the parent.
    const isSame = relation === "retry" || relation === "repeat";
    for (let element = parent ? kept : 0; !isSame && element < history.length; element++)
      for (const item of history.items(element)) {
        all |= ofItem(item);
        if (item.flaws) all |= bits.flaws;
      }
  }
  if (reply) {
    all |= bits.replies;
    for (const item of reply.items) all |= ofItem(item);
  }
  return all;
}

function ofItem(item: Item): Contents {
  const own = item.role === "assistant" ? bits.answers : item.role === "system" ? bits.prompts : 0;
  switch (item.kind) {
    case "call":
      return own | bits.calls | (item.itemId === undefined ? 0 : bits.names);
    case "result":
      return own | bits.results;
    case "reasoning":
      return own | bits.reasoning | (item.id === undefined ? 0 : bits.names);
    case "message":
      return own | (item.itemId === undefined ? 0 : bits.names);
    case "reference":
      return own | bits.names;
    default:
      return own;
  }
}
