import type { CutCall, ServedItem, ServedReply } from "../../protocols/server-side.ts";
import { argumentsText } from "../../protocols/wire.ts";
import type { Fault } from "./fault.ts";

/** The reply of a model that says nothing, or that reaches its limit in its last call or its text. */
export function faultyReply(
  { items }: ServedReply,
  kind: NonNullable<Fault["reply"]>,
  cutCall: CutCall,
): ServedReply {
  if (kind === "empty") return { items: [], stop: "answer" };
  const lastCall = items.findLastIndex((item) => item.kind === "call");
  const at = lastCall < 0 ? items.length - 1 : lastCall;
  const item = items[at];
  return {
    items: [...items.slice(0, Math.max(0, at)), ...(item ? half(item, cutCall) : [])],
    stop: "length",
  };
}

function half(item: ServedItem, cutCall: CutCall): ServedItem[] {
  if (item.kind !== "call") return [{ ...item, text: halfOf(item.text) }];
  if (cutCall === "lost") return [];
  const given = cutCall === "empty" ? {} : halfOf(argumentsText(item.arguments));
  return [{ ...item, arguments: given }];
}

/** The first half of a text, without half a character. */
function halfOf(text: string): string {
  const characters = [...text];
  return characters.slice(0, Math.ceil(characters.length / 2)).join("");
}
