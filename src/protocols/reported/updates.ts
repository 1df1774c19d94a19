import type { Item } from "../../conversation/item.ts";
import type { Finish, Reply } from "../../conversation/reply.ts";
import { level } from "../../traffic/certainty.ts";
import type { Frame, Peek, StreamBody } from "../protocol.ts";
import { withFragment } from "../stream-parts.ts";
import { defined, type Fields, fields, filled, list } from "../wire.ts";
import { finishOf } from "./finish.ts";
import { decodeMessage } from "./message.ts";
import { itemBelow } from "./parts.ts";

/**
 * The updates of a streamed reply in Microsoft.Extensions.AI: messages with a few contents each, which share
 * the id of the response. A client that runs the tools itself adds their results.
 * @see https://learn.microsoft.com/dotnet/api/microsoft.extensions.ai.chatresponseupdate
 */
export function recognizeUpdate(peek: Peek): number | undefined {
  if (peek.kind("contents") !== "array" || peek.kind("responseId") !== "string") return undefined;
  const role = peek.value("role");
  return role === undefined || role === "assistant" || role === "tool" ? level.likely : undefined;
}

export function isUpdate({ value }: Frame): boolean {
  const { contents, responseId } = fields(value);
  return Array.isArray(contents) && typeof responseId === "string";
}

export function decodeUpdates(body: StreamBody): Reply {
  const items: Item[] = [];
  let id: string | undefined;
  let model: string | undefined;
  let finish: Finish | undefined;
  for (const [place, { value, extent }] of body.frames.entries()) {
    const update = fields(value);
    id ??= filled(update["responseId"]);
    model ??= filled(update["modelId"]);
    finish = finishOf(update["finishReason"], `/${place}/finishReason`) ?? finish;
    for (const found of itemsOf(update)) {
      const item = itemBelow(found, `/${place}`);
      const last = items.at(-1);
      const isSame =
        last?.kind === item.kind && (last.kind === "message" || last.kind === "reasoning") && "text" in item;
      if (isSame && last.role === item.role)
        items[items.length - 1] = {
          ...last,
          text: last.text + item.text,
          fragments: withFragment(last.fragments, extent),
        } as Item;
      else items.push({ ...item, fragments: withFragment(undefined, extent) });
    }
  }
  return defined({
    place: body.place,
    form: "stream" as const,
    id,
    model,
    items,
    finish,
    state: "complete" as const,
    flaws: [],
    otherChoices: 0,
  });
}

/** What an update says; counts of tokens are not content. */
function itemsOf(update: Fields): readonly Item[] {
  const contents = list(update["contents"]).filter((content) => fields(content)["$type"] !== "usage");
  return contents.length === 0 ? [] : decodeMessage({ role: "assistant", ...update, contents }).items;
}
