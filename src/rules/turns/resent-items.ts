import { type Placed, replyItems, type Step } from "../../conversation/conversation.ts";
import { contentOf } from "../../conversation/identity.ts";
import type { Item } from "../../conversation/item.ts";
import { newItems } from "../../conversation/new-items.ts";
import { defineRule, refused } from "../rule.ts";
import { count, short } from "../words.ts";

export default defineRule({
  name: "resent-items",
  summary: "Items sent again that the server already holds, or one item twice in a request",
  ground: "refused",
  severity: "error",
  needs: "wire",
  messages: {
    held: ({ itemId }: Facts) => `item \`${short(itemId)}\` is sent again, and the server holds it already`,
    repeated: ({ items }: { readonly items: number }) =>
      `${count(items, "item")} of the history ${items === 1 ? "is" : "are"} sent again, and the server holds ${items === 1 ? "it" : "them"} already`,
    twice: ({ itemId }: Facts) => `item \`${short(itemId)}\` stands twice in the request`,
  },

  habit: {
    title: "The client sends items again that the server already holds",
    consequence: "So the model reads them twice, or the provider refuses the request",
    change: "with a history that the server holds, send only what is new since the last reply",
  },

  *check({ steps }, report) {
    const sent: Sent = new Map();
    const holders = holdersIn(steps);
    for (const step of steps) {
      const severity = refused(step.exchange);
      const held = heldBy(holders, step);
      const repeats: { readonly placed: Placed; readonly before: Placed }[] = [];
      for (const placed of newItems(step)) {
        const itemId = itemIdOf(placed.item);
        const twin = itemId === undefined ? undefined : twinOf(placed, itemId, sent);
        const before = held(placed.item);
        if (itemId !== undefined && twin)
          yield report("twice", { itemId }, placed, {
            severity,
            identity: itemId,
            callIds: callIdsOf([placed]),
            notes: [{ message: "it stands here too", at: twin }],
            fix: { safety: "safe", title: "keeps one of the two" },
          });
        else if (itemId !== undefined && before && itemIdOf(before.item) === itemId)
          yield report("held", { itemId }, placed, {
            severity,
            identity: itemId,
            callIds: callIdsOf([placed]),
            notes: [{ message: "the server has it from here", at: before }],
            fix: { safety: "safe", title: "leaves it out" },
          });
        else if (before) repeats.push({ placed, before });
        if (itemId !== undefined) sent.set(itemId, [...(sent.get(itemId) ?? []).slice(-3), placed.element]);
      }
      const [first] = repeats;
      if (first)
        yield report("repeated", { items: repeats.length }, first.placed, {
          // Without ids nothing is refused: the model reads everything twice.
          severity: "info",
          identity: "repeated",
          callIds: callIdsOf(repeats.map(({ placed }) => placed)),
          notes: [{ message: "the server has it from here", at: first.before }],
          fix: { safety: "safe", title: "sends only what is new" },
        });
    }
  },
});

interface Facts {
  readonly itemId: string;
}

/** Where an item id was sent last; elements that requests share keep their numbers. */
type Sent = Map<string, readonly number[]>;

/** All that was sent and received, by item id and by content. */
type Holders = ReadonlyMap<string, readonly Placed[]>;

/** Empty where no request leans on the server. A reply that failed was perhaps not kept, nor what it answered. */
function holdersIn(steps: readonly Step[]): Holders {
  const holders = new Map<string, Placed[]>();
  if (!steps.some(leansOnServer)) return holders;
  for (const step of steps) {
    if (!step.reply || step.reply.error || step.reply.state === "open") continue;
    for (const placed of [...step.added, ...replyItems(step)]) {
      const { item } = placed;
      for (const key of [itemIdOf(item), isTelling(item) ? contentOf(item) : undefined]) {
        const list = key === undefined ? undefined : holders.get(key);
        if (list) list.push(placed);
        else if (key !== undefined) holders.set(key, [placed]);
      }
    }
  }
  return holders;
}

/** Tells where the server has an item from that a step sends; nothing where the step leaves nothing to the server. */
function heldBy(holders: Holders, step: Step): (item: Item) => Placed | undefined {
  let line: ReadonlySet<Step> | undefined;
  return (item) => {
    if (!leansOnServer(step)) return undefined;
    const found = holders.get(itemIdOf(item) ?? "") ?? holders.get(contentOf(item));
    if (!found) return undefined;
    line ??= lineOf(step);
    return found.find((placed) => line?.has(placed.step));
  };
}

/** The steps that a request goes on from, as far back as the server keeps them. */
function lineOf(step: Step): ReadonlySet<Step> {
  const line = new Set<Step>();
  for (let at = step; at.parent && leansOnServer(at); at = at.parent) line.add(at.parent);
  return line;
}

function leansOnServer({ request }: Step): boolean {
  return request?.links.previousReply !== undefined || request?.links.conversation !== undefined;
}

/** Words of the user tell nothing: people say the same thing twice. */
function isTelling(item: Item): boolean {
  if (item.kind === "call") return item.id !== undefined;
  if (item.kind === "result") return item.callId !== undefined;
  return item.kind === "message" && item.role === "assistant" && item.text.trim().length > 20;
}

/** Another element of the same request under the same item id. */
function twinOf({ step, element }: Placed, itemId: string, sent: Sent): Placed | undefined {
  const history = step.request?.history;
  if (!history) return undefined;
  for (const other of sent.get(itemId) ?? []) {
    if (other === element || other >= history.length) continue;
    const item = history.items(other).find((candidate) => itemIdOf(candidate) === itemId);
    if (item) return { item, step, part: "request", element: other };
  }
  return undefined;
}

/** The id of the item itself, where items have one; a reference stands for the item. */
function itemIdOf(item: Item): string | undefined {
  switch (item.kind) {
    case "call":
    case "message":
      return item.itemId;
    case "reasoning":
    case "reference":
      return item.id;
    default:
      return undefined;
  }
}

function callIdsOf(items: readonly Placed[]): string[] {
  return items.flatMap(({ item }) => (item.kind === "call" ? (item.id ?? []) : []));
}
