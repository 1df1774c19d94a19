import type { Item } from "../../conversation/item.ts";
import { openaiChat } from "../openai-chat/index.ts";
import type { DecodedElement } from "../protocol.ts";
import { type Fields, fields, filled, list, string } from "../wire.ts";

/** Messages of the chat format, with a plan beside the calls and documents for results. */
export function decodeMessage(value: unknown): DecodedElement {
  const message = fields(value);
  const { role, items } = openaiChat.decodeElement(value);
  const plan = planOf(message, "");
  const documents = list(message["content"]).flatMap(documentText);
  const own = items
    // A list of content that is empty stands where there is none.
    .map((item) => ({ ...item, flaws: item.flaws?.filter(({ kind }) => kind !== "empty-message") ?? [] }))
    .map((item) =>
      item.kind === "result" && documents.length > 0 ? { ...item, text: documents.join("\n") } : item,
    )
    .map(({ flaws, ...item }) => (flaws.length > 0 ? { ...item, flaws } : item) as Item);
  return { role, items: plan ? [plan, ...own] : own };
}

/** What the model means to do with its calls. It need not come back, so it is no text of the model's. */
export function planOf(message: Fields, base: string): Item | undefined {
  const text = filled(message["tool_plan"]);
  return text === undefined
    ? undefined
    : { kind: "reasoning", role: "assistant", pointer: `${base}/tool_plan`, text };
}

function documentText(part: unknown): string[] {
  const { data } = fields(fields(part)["document"]);
  if (data === undefined) return [];
  return [string(data) ?? JSON.stringify(data)];
}
