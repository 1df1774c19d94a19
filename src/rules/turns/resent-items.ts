import { type Placed, replyItems, type Step } from "../../conversation/conversation.ts";
import { contentOf } from "../../conversation/identity.ts";
import type { Item } from "../../conversation/item.ts";
import { newItems } from "../../conversation/new-items.ts";
import { continuesStored } from "../../conversation/server-history.ts";
import { defineRule, refused } from "../rule.ts";
import { count, short } from "../words.ts";

export default defineRule({
  name: "resent-items",
  summary: "Items resent although the server already has them, or one item twice in a request",
  ground: "refused",
  severity: "error",
  needs: "wire",
  looksAt: ["names", "links"],
  // The stand-in of an SDK for an id (`__fake_id__`) is in many items.
  follows: [{ rules: ["invalid-call-id"], by: "calls" }],
  messages: {
    held: ({ itemId }: Facts) => `item \`${short(itemId)}\` is sent again, but the server already has it`,
    repeated: ({ items }: { readonly items: number }) =>
      `${count(items, "item")} of the history ${items === 1 ? "is" : "are"} sent again, but the server already has ${items === 1 ? "it" : "them"}`,
    twice: ({ itemId }: Facts) => `item \`${short(itemId)}\` appears twice in the request`,
  },

  habit: {
    title: "The client resends items that the server already has",
    consequence: "So the model reads them twice, or the server rejects the request",
    change: "when the server stores the history, send only what is new since the last reply",
  },

  *check({ steps }, report) {
    const sent: Sent = new Map();
    const index = indexItems(steps);
    for (const step of steps) {
      const severity = refused(step.exchange);
      const storedItem = storedItems(index, step);
      const repeats: { readonly placed: Placed; readonly before: Placed }[] = [];
      for (const placed of newItems(step)) {
        const itemId = itemIdOf(placed.item);
        const twin = itemId === undefined ? undefined : twinOf(placed, itemId, sent);
        const before = storedItem(placed.item);
        if (itemId !== undefined && twin)
          yield report("twice", { itemId }, placed, {
            severity,
            identity: itemId,
            callIds: [...callIdsOf([placed]), itemId],
            notes: [{ message: "it is here too", at: twin }],
            fix: { safety: "safe", title: "keeps one of the two" },
          });
        else if (itemId !== undefined && before && itemIdOf(before.item) === itemId)
          yield report("held", { itemId }, placed, {
            severity,
            identity: itemId,
            callIds: callIdsOf([placed]),
            notes: [{ message: "the server has it from here", at: before }],
            fix: { safety: "safe", title: "removes it" },
          });
        else if (before) repeats.push({ placed, before });
        if (itemId !== undefined) sent.set(itemId, [...(sent.get(itemId) ?? []).slice(-3), placed.element]);
      }
      const [first] = repeats;
      if (first)
        yield report("repeated", { items: repeats.length }, first.placed, {
          // Items without ids are not rejected, but the model reads everything twice.
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

/** The elements that last had each item id; shared elements keep their index. */
type Sent = Map<string, readonly number[]>;

/** Everything sent and received, by item id and by content. */
type ItemIndex = ReadonlyMap<string, readonly Placed[]>;

/** Empty if no request relies on the server's history. Failed replies may not have been stored. */
function indexItems(steps: readonly Step[]): ItemIndex {
  const index = new Map<string, Placed[]>();
  if (!steps.some(({ request }) => continuesStored(request))) return index;
  for (const step of steps) {
    if (!step.reply || step.reply.error || step.reply.state === "open") continue;
    for (const placed of [...step.added, ...replyItems(step)]) {
      const { item } = placed;
      for (const key of [itemIdOf(item), isDistinctive(item) ? contentOf(item) : undefined]) {
        const list = key === undefined ? undefined : index.get(key);
        if (list) list.push(placed);
        else if (key !== undefined) index.set(key, [placed]);
      }
    }
  }
  return index;
}

/** Returns a lookup of the item that the server already has; it finds nothing without server history. */
function storedItems(index: ItemIndex, step: Step): (item: Item) => Placed | undefined {
  let line: ReadonlySet<Step> | undefined;
  return (item) => {
    if (!continuesStored(step.request)) return undefined;
    const found = index.get(itemIdOf(item) ?? "") ?? index.get(contentOf(item));
    if (!found) return undefined;
    line ??= lineOf(step);
    return found.find((placed) => line?.has(placed.step));
  };
}

/** The steps that a request continues, as far back as the server keeps them. */
function lineOf(step: Step): ReadonlySet<Step> {
  const line = new Set<Step>();
  for (let at = step; at.parent && continuesStored(at.request); at = at.parent) line.add(at.parent);
  return line;
}

/** Whether equal content means the same item. Not for user messages: people repeat themselves. */
function isDistinctive(item: Item): boolean {
  if (item.kind === "call") return item.id !== undefined;
  if (item.kind === "result") return item.callId !== undefined;
  return item.kind === "message" && item.role === "assistant" && item.text.trim().length > 20;
}

/** Another element of the same request with the same item id. */
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

/** The item's own id, if it has one; a reference has the id of its target. */
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
