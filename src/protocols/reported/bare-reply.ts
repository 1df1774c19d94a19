import type { Item } from "../../conversation/item.ts";
import type { Reply } from "../../conversation/reply.ts";
import type { PayloadPlace } from "../../traffic/place.ts";
import { areBlocksOfModel, isListedCall } from "../../traffic/vocabulary.ts";
import type { Protocol } from "../protocol.ts";
import { defined, fields } from "../wire.ts";
import { callsOf, decodeParts, itemBelow } from "./parts.ts";
import { finishOfMessage, itemsOf } from "./reply.ts";

/** A part of a message, outside of it. */
function isPart(value: unknown): boolean {
  const { type, role, text } = fields(value);
  return role === undefined && (type === "text" || type === "reasoning") && typeof text === "string";
}

/** The items of a message's blocks, by pointers that begin below the list of blocks. */
function blocksOf(
  blocks: readonly unknown[],
  decode: (message: unknown) => { readonly items: readonly Item[] },
): Item[] {
  const above = "/content";
  return decode({ role: "assistant", content: blocks }).items.map((item) => ({
    ...item,
    pointer: item.pointer.slice(above.length),
    ...(item.flaws && {
      flaws: item.flaws.map((flaw) => ({ ...flaw, pointer: flaw.pointer.slice(above.length) })),
    }),
  }));
}

/** A reply recorded only as its message, a list of messages, or text. */
export function decodeBareReply(protocol: Protocol, value: unknown, place: PayloadPlace): Reply {
  const decode = (message: unknown) => protocol.decodeElement(message);
  const isList = Array.isArray(value);
  const items =
    typeof value === "string"
      ? [{ kind: "message" as const, role: "assistant" as const, pointer: "", text: value, hasMedia: false }]
      : isList
        ? value.every(isPart)
          ? decodeParts(value, "assistant", "")
          : areBlocksOfModel(value)
            ? blocksOf(value, decode)
            : value.length > 0 && value.every(isListedCall)
              ? callsOf(value, "")
              : itemsOf(value, "", decode)
        : decode(value).items.map((item) => itemBelow(item, ""));
  return defined({
    place,
    form: "json" as const,
    items,
    finish: finishOfMessage(isList ? value.at(-1) : value, isList ? `/${value.length - 1}` : ""),
    state: "complete" as const,
    flaws: [],
    otherChoices: 0,
  });
}
