import { argumentsText, type ServedItem, type ServedReply } from "../../protocols/server-side.ts";
import type { Fault } from "./fault.ts";

/** The reply of a model that says nothing, or that reaches its limit in its last call or its text. */
export function faultyReply({ items }: ServedReply, kind: NonNullable<Fault["reply"]>): ServedReply {
  if (kind === "empty") return { items: [], stop: "answer" };
  const last = items.findLastIndex(({ kind }) => kind === "call");
  const at = last < 0 ? items.length - 1 : last;
  const item = items[at];
  return { items: [...items.slice(0, Math.max(0, at)), ...(item ? [half(item)] : [])], stop: "length" };
}

function half(item: ServedItem): ServedItem {
  if (item.kind !== "call") return { ...item, text: halfOf(item.text) };
  return { ...item, arguments: halfOf(argumentsText(item.arguments)) };
}

/** The first half of a text, without half a character. */
function halfOf(text: string): string {
  const characters = [...text];
  return characters.slice(0, Math.ceil(characters.length / 2)).join("");
}
