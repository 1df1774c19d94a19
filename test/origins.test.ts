import { describe, expect, test } from "vitest";
import type { Exchange } from "../src/conversation/exchange.ts";
import type { Item } from "../src/conversation/item.ts";
import { stories } from "./containers/sessions.ts";
import { open } from "./containers/stories.ts";

/** Where an item of a request or a reply stands. */
function originsOf({ request, reply }: Exchange): { item: Item; text: string }[] {
  const found: { item: Item; text: string }[] = [];
  const add = (item: Item, pointer: string, place: NonNullable<typeof request>["place"]): void => {
    const { source, start, end } = place.locate(pointer);
    found.push({ item, text: source.read(start, end).toString("utf8") });
  };
  for (let index = 0; request && index < request.history.length; index++)
    for (const item of request.history.items(index))
      add(item, `${request.historyPointer}/${index}${item.pointer}`, request.place);
  for (const item of reply?.items ?? []) if (reply) add(item, item.pointer, reply.place);
  return found;
}

/** A text as JSON has it, without its quotes. */
const written = (text: string): string => JSON.stringify(text).slice(1, -1);

/** What must stand at an item's place. */
function said(item: Item): string[] {
  switch (item.kind) {
    case "message":
    case "reasoning":
    case "compaction":
      return item.text.split("\n").map(written);
    case "call":
      return [written(item.name), ...(item.id === undefined ? [] : [written(item.id)])];
    case "result":
      return item.text.split("\n").map(written);
    default:
      return [];
  }
}

describe("what stands at an item's place is what the item says", () => {
  test.each(Object.entries(stories))("in a session file of %s", async (name, { log }) => {
    const { exchanges } = await open(log);
    const places = exchanges.flatMap(originsOf);
    expect(places.length).toBeGreaterThan(1);
    for (const { item, text } of places) {
      // The events of a stream and the exec's items have no names of their own.
      const words =
        name === "codex-exec" || name === "chatgpt"
          ? said(item).filter(() => item.kind !== "call")
          : said(item);
      for (const word of words) expect(text).toContain(word);
      // Not the whole file: the smallest record that has it.
      expect(text.length).toBeLessThan(log.length);
    }
  });
});
