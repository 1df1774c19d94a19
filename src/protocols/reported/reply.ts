import type { Finish, FinishMeaning, Reply } from "../../conversation/exchange.ts";
import type { Item } from "../../conversation/item.ts";
import type { ReplyBody } from "../protocol.ts";
import { defined, type Fields, fields, filled, isFields, list, lookUp, string } from "../wire.ts";
import { decodeMessage, unwrapped } from "./message.ts";
import { callOf, decodePart } from "./parts.ts";
import { completionKeys } from "./trace-attributes.ts";

const meanings: Readonly<Record<string, FinishMeaning>> = {
  stop: "answer",
  end_turn: "answer",
  stop_sequence: "answer",
  "tool-calls": "calls",
  tool_calls: "calls",
  tool_call: "calls",
  tool_use: "calls",
  function_call: "calls",
  length: "length",
  max_tokens: "length",
  "content-filter": "filter",
  content_filter: "filter",
  refusal: "refusal",
  error: "error",
};

/** The reason in a word, or in the AI SDK's pair `{unified, raw}`. */
export function finishOf(value: unknown, pointer: string): Finish | undefined {
  const reason = filled(value) ?? filled(fields(value)["unified"]) ?? filled(fields(value)["raw"]);
  if (reason === undefined) return undefined;
  return { reason, meaning: lookUp(meanings, reason.toLowerCase()) ?? "other", pointer };
}

/** The reason that a message carries itself. */
export function finishOfMessage(value: unknown, base: string): Finish | undefined {
  const { message, base: inner } = unwrapped(value);
  const outer = fields(value);
  const holders = [
    [outer, base],
    [message, `${base}${inner}`],
    [fields(message["response_metadata"]), `${base}${inner}/response_metadata`],
  ] as const;
  for (const [holder, at] of holders)
    for (const key of ["finish_reason", "finishReason", "stop_reason", "stopReason"]) {
      const finish = finishOf(holder[key], `${at}/${key}`);
      if (finish) return finish;
    }
  return undefined;
}

/** Messages that came back, as one reply; `base` is the pointer to them. */
export function itemsOf(values: readonly unknown[], base: string, decode = decodeMessage): Item[] {
  return values.flatMap((value, index) => decode(value).items.map((item) => moved(item, `${base}/${index}`)));
}

/** An item that stands below `base`; what came back was said by the model. */
export function moved(item: Item, base: string): Item {
  return {
    ...item,
    ...(item.role === "unknown" && { role: "assistant" as const }),
    pointer: `${base}${item.pointer}`,
    ...(item.flaws && { flaws: item.flaws.map((flaw) => ({ ...flaw, pointer: `${base}${flaw.pointer}` })) }),
  };
}

export function decodeReply({ value, place }: ReplyBody): Reply {
  const body = fields(value);
  const { items, finish } = told(body);
  return defined({
    place,
    form: "json" as const,
    id: filled(body["gen_ai.response.id"]) ?? filled(body["ai.response.id"]),
    model: filled(body["gen_ai.response.model"]) ?? filled(body["ai.response.model"]),
    items,
    finish,
    state: "complete" as const,
    flaws: [],
    otherChoices: 0,
  });
}

function told(body: Fields): { items: Item[]; finish: Finish | undefined } {
  const key = completionKeys.find((candidate) => Array.isArray(body[candidate]));
  if (key !== undefined) {
    const messages = list(body[key]);
    const finish =
      finishOfMessage(messages[0], `/${key}/0`) ??
      finishOf(list(body["gen_ai.response.finish_reasons"])[0], "/gen_ai.response.finish_reasons/0");
    return { items: itemsOf(messages, `/${key}`), finish };
  }
  if (Array.isArray(body["generations"])) return generation(body["generations"]);
  if (Array.isArray(body["outputs"])) {
    const output = fields(body["outputs"][0]);
    const items = decodeMessage(output["message"]).items.map((item) => moved(item, "/outputs/0/message"));
    const reason = string(output["finish_reason"])?.replace(/^REASON_/, "");
    return { items, finish: finishOf(reason, "/outputs/0/finish_reason") };
  }
  if (Array.isArray(body["choices"])) {
    const choice = fields(body["choices"][0]);
    const items = decodeMessage(choice["message"]).items.map((item) => moved(item, "/choices/0/message"));
    return { items, finish: finishOf(choice["stop_reason"], "/choices/0/stop_reason") };
  }
  if (Object.keys(body).some((name) => name.startsWith("ai.response."))) return telemetry(body);
  return result(body);
}

/** LangChain: a list of batches, each a list of candidates. */
function generation(generations: readonly unknown[]): { items: Item[]; finish: Finish | undefined } {
  const isNested = Array.isArray(generations[0]);
  const first = fields(isNested ? list(generations[0])[0] : generations[0]);
  const base = `/generations/0${isNested ? "/0" : ""}`;
  const items = decodeMessage(first["message"]).items.map((item) => moved(item, `${base}/message`));
  const info = fields(first["generation_info"] ?? first["generationInfo"]);
  return {
    items,
    finish: finishOf(info["finish_reason"], base) ?? finishOfMessage(first["message"], `${base}/message`),
  };
}

/** Spans of the AI SDK: text and calls under names of their own. */
function telemetry(body: Fields): { items: Item[]; finish: Finish | undefined } {
  const said = string(body["ai.response.text"]) ?? string(body["ai.response.object"]) ?? "";
  const items: Item[] = decodePart({ type: "text", text: said }, "assistant", "/ai.response.text");
  for (const [index, call] of list(body["ai.response.toolCalls"]).entries())
    items.push(callOf(fields(call), `/ai.response.toolCalls/${index}`));
  return { items, finish: finishOf(body["ai.response.finishReason"], "/ai.response.finishReason") };
}

/** Results of the AI SDK's own functions, and what its DevTools gather of a stream. */
function result(body: Fields): { items: Item[]; finish: Finish | undefined } {
  const items: Item[] = [];
  if (Array.isArray(body["content"]))
    items.push(
      ...list(body["content"]).flatMap((part, index) => decodePart(part, "assistant", `/content/${index}`)),
    );
  else {
    for (const [index, part] of list(body["textParts"]).entries())
      items.push(...decodePart({ ...fields(part), type: "text" }, "assistant", `/textParts/${index}`));
    if (!isFields(body["text"]) && !Array.isArray(body["textParts"]))
      items.push(...decodePart({ type: "text", text: string(body["text"]) ?? "" }, "assistant", "/text"));
    for (const [index, call] of list(body["toolCalls"]).entries())
      items.push(callOf(fields(call), `/toolCalls/${index}`));
  }
  return { items, finish: finishOf(body["finishReason"], "/finishReason") };
}
