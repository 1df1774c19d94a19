import type { Placed, Step } from "../conversation/conversation.ts";
import { pointerOf } from "../conversation/conversation.ts";
import { canonical } from "../conversation/identity.ts";
import type { Item } from "../conversation/item.ts";
import { itemPlace } from "../conversation/places.ts";
import type { ShownItem } from "./shown.ts";

/** An item as data, with its place and remarks. */
export function shownItem(placed: Placed, remarks: readonly string[] = []): ShownItem {
  const { item, step, part } = placed;
  const { line, column } = itemPlace(placed) ?? { line: 1, column: 1 };
  const tool = item.kind === "call" || item.kind === "result" ? item.name : undefined;
  const callId = item.kind === "call" ? item.id : item.kind === "result" ? item.callId : undefined;
  return {
    kind: item.kind,
    role: item.role,
    text: itemText(item),
    ...(tool !== undefined && { tool }),
    ...(callId !== undefined && { callId }),
    remarks: [...itemRemarks(placed), ...itemTraits(item), ...remarks],
    exchange: step.exchange.number,
    part,
    line,
    column,
    pointer: pointerOf(placed),
  };
}

/** The content of an item: text, arguments, the result. */
export function itemText(item: Item): string {
  switch (item.kind) {
    case "call":
      return item.argumentsText;
    case "reference":
      return item.id;
    case "opaque":
      return `${item.wireType} ${canonical(item.value)}`;
    default:
      return item.text;
  }
}

/**
 * Peculiarities of an item in words. Its form is judged only where the client sent it: a session or a reply
 * has forms of its own.
 */
export function itemRemarks({ item, part, step }: Placed): string[] {
  const isSent = part === "request" && step.conversation.kind === "requests";
  const remarks = (isSent ? (item.flaws ?? []) : []).map(({ kind }) =>
    kind === "missing-type" ? "without type" : kind.replaceAll("-", " "),
  );
  if (item.kind === "call" && item.state === "open") remarks.push("cut off");
  if (item.kind === "result" && item.isError) remarks.push("error");
  if (item.kind === "message" && item.isRefusal) remarks.push("refusal");
  return remarks;
}

/** What is to be known of an item, and no peculiarity. */
export function itemTraits(item: Item): string[] {
  if (item.kind === "call") return item.isHosted ? ["run by the provider"] : [];
  if (item.kind === "reasoning") return item.seal === undefined ? [] : ["sealed"];
  return (item.kind === "result" || item.kind === "message") && item.hasMedia ? ["with media"] : [];
}

/** Remarks on the items of a step, from its pairing. */
export function pairingRemarks({ pairing }: Step): Map<Item, string[]> {
  const remarks = new Map<Item, string[]>();
  const add = ({ item }: Placed, remark: string): void => {
    const list = remarks.get(item);
    if (list) list.push(remark);
    else remarks.set(item, [remark]);
  };
  for (const { result, answeredBefore, lostCall } of pairing.orphans) {
    if (answeredBefore) add(result, "already answered");
    else
      add(result, lostCall ? `its call (reply ${lostCall.step.exchange.number}) is gone` : "answers no call");
  }
  for (const { result, call } of pairing.mismatches)
    add(result, `means ${call.item.id ?? "a call without id"}`);
  for (const { second } of pairing.duplicates) add(second, "second result");
  for (const { result, how } of pairing.misplaced) add(result, how.replaceAll("-", " "));
  for (const { result, what } of pairing.misnamed) add(result, `its ${what} differs from its call's`);
  return remarks;
}
