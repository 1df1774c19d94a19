import type { ReplyContext } from "../server-side.ts";
import { type Fields, fields, filled, isFields, list } from "../wire.ts";
import { callKinds } from "./calls.ts";

/** How ids of items begin, by type. @see https://platform.openai.com/docs/api-reference/responses/object */
const prefixes: Readonly<Record<string, string>> = {
  message: "msg_",
  reasoning: "rs_",
  function_call_output: "fco_",
  custom_tool_call_output: "ctco_",
  compaction: "cmp_",
};

/** An item of an input as the server lists it: with an id, its type and its content in parts. */
export function listedItem(item: unknown, { newId }: Pick<ReplyContext, "newId">): Fields {
  const given = fields(asItem(item));
  const type = filled(given["type"]) ?? "message";
  const prefix = prefixes[type] ?? `${callKinds.get(type)?.idPrefix ?? "item"}_`;
  const id = filled(given["id"]) ?? newId(prefix, 50, "hex");
  if (type !== "message") return { ...given, id, ...(isOutput(type) && { status: "completed" }) };
  const content = given["content"];
  const partType = given["role"] === "assistant" ? "output_text" : "input_text";
  return {
    id,
    type,
    status: "completed",
    ...given,
    content: typeof content === "string" ? [{ type: partType, text: content }] : content,
  };
}

function isOutput(type: string): boolean {
  return type.endsWith("_output");
}

/** A plain text is what the user says. */
export function asItem(element: unknown): unknown {
  return typeof element === "string" ? { role: "user", content: element } : element;
}

/** The items of a request's input. */
export function inputItems(input: unknown): readonly unknown[] {
  return typeof input === "string" || isFields(input) ? [asItem(input)] : list(input);
}
