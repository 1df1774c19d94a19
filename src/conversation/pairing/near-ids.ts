import type { Pairing } from "../conversation.ts";
import type { ToolCall } from "../item.ts";
import type { Open } from "./open-calls.ts";

/** How ids get altered on the way from a call to its result. */

export type MismatchReason = Pairing["mismatches"][number]["how"];

/** An id prepared for comparison. */
export interface Spelling {
  readonly id: string;
  readonly lower: string;
  /** Without the provider's prefix. */
  readonly bare: string;
}

const spellings = new WeakMap<ToolCall, Spelling>();

export function spellingOf(id: string): Spelling {
  return { id, lower: id.toLowerCase(), bare: unprefixed(id) };
}

/** How an id resembles a call's; `undefined` if it does not. */
export function nearId(call: ToolCall, other: Spelling): MismatchReason | undefined {
  if (call.id === undefined) return "missing-id";
  const own = spellings.get(call) ?? spellingOf(call.id);
  spellings.set(call, own);
  if (call.itemId === other.id) return "item-id";
  if (own.lower === other.lower) return "case";
  const [shorter, longer] = own.id.length < other.id.length ? [own.id, other.id] : [other.id, own.id];
  if (shorter.length >= 6 && longer.startsWith(shorter)) return "truncated";
  if (shorter.length >= 6 && longer.endsWith(shorter)) return "prefix";
  if (own.bare === other.bare) return "prefix";
  return undefined;
}

/** The one call whose id shares a long prefix with this one: ids usually get garbled at the end. */
export function likeliestCall(candidates: readonly Open[], callId: string | undefined): Open | undefined {
  if (callId === undefined) return undefined;
  const alike = candidates.filter(({ call: { item } }) => {
    if (item.id === undefined) return false;
    let common = 0;
    while (common < item.id.length && item.id[common] === callId[common]) common++;
    return common >= 5 && common * 3 >= Math.max(item.id.length, callId.length) * 2 - 2;
  });
  return alike.length === 1 ? alike[0] : undefined;
}

/** `toolu_01Ab…` and `call_01Ab…` are the same id with different prefixes. */
function unprefixed(id: string): string {
  const rest = id.replace(/^[A-Za-z]{2,8}[_-]/, "");
  return rest.length >= 8 ? rest : id;
}
