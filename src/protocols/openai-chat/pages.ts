import type { Fields } from "../wire.ts";

/**
 * One page of a list, as the address asks for it: `order`, `after` an id, `limit` up to 100.
 * @see https://platform.openai.com/docs/api-reference/conversations/list-items
 */
export function pageOf(
  all: readonly Fields[],
  { searchParams }: URL,
  usualOrder: "asc" | "desc" = "desc",
): Fields {
  const ordered = (searchParams.get("order") ?? usualOrder) === "asc" ? all : all.toReversed();
  const after = searchParams.get("after");
  const begin = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  const limit = Math.min(100, Math.max(1, Number(searchParams.get("limit") ?? 20) || 20));
  const data = ordered.slice(begin, begin + limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.["id"] ?? null,
    last_id: data.at(-1)?.["id"] ?? null,
    has_more: begin + limit < ordered.length,
  };
}
