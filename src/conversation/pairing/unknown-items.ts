import { emptyList } from "../../reading/lists.ts";
import { isFields } from "../../reading/values.ts";
import type { Placed } from "../conversation.ts";

/** Longer texts are no ids. */
const longest = 200;

/**
 * The ids that an item names whose kind or role its protocol does not know: it may be the call or the result
 * with one of them, so neither is missed. Any short text of the item counts, as its names are unknown, too.
 */
export function idsOfUnknown({ item, step, element }: Placed): readonly string[] {
  if (item.kind === "opaque") return textsIn(item.value);
  if (item.kind === "call") return item.isOfUnknownKind && item.id !== undefined ? [item.id] : emptyList;
  if (item.kind === "result")
    return item.isOfUnknownKind && item.callId !== undefined ? [item.callId] : emptyList;
  return item.role === "unknown" ? textsIn(step.request?.history.element(element).value) : emptyList;
}

function textsIn(value: unknown): readonly string[] {
  if (!isFields(value)) return emptyList;
  return Object.values(value).filter(
    (each): each is string => typeof each === "string" && each !== "" && each.length <= longest,
  );
}
