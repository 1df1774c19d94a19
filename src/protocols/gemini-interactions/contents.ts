import type { Item, Role } from "../../conversation/item.ts";
import type { DecodedElement } from "../protocol.ts";
import { asText, callArguments, defined, type Fields, fields, filled, list, string } from "../wire.ts";

/**
 * Decodes an element of `input` or `steps`: a step with a type, a turn with a role, a single content, or a
 * text.
 * @see https://ai.google.dev/gemini-api/docs/interactions
 */
export function decodeElement(value: unknown): DecodedElement {
  if (typeof value === "string") return { role: "user", items: said(value, "user", "") };
  const element = fields(value);
  const { type, content } = element;
  if (type === "user_input" || type === "model_output" || element["role"] !== undefined) {
    const role = type === "user_input" || element["role"] === "user" ? "user" : "assistant";
    // Tracers that put a stream together keep the text of a step, not its contents.
    const text = content === undefined ? string(element["text"]) : undefined;
    if (text !== undefined) return { role, items: said(text, role, "/text") };
    const items =
      typeof content === "string"
        ? said(content, role, "/content")
        : list(content).flatMap((part, index) => decodeContent(fields(part), role, `/content/${index}`));
    return { role, items };
  }
  const isModels = /_call$/.test(string(type) ?? "") || type === "thought";
  const role = isModels ? "assistant" : /_result$/.test(string(type) ?? "") ? "tool" : "user";
  const items = decodeContent(element, role, "");
  return items.some(({ kind }) => kind === "opaque")
    ? { role: "unknown", items: items.map((item) => ({ ...item, role: "unknown" as const })) }
    : { role, items };
}

const mediaTypes: ReadonlySet<string> = new Set(["image", "audio", "video", "document", "text"]);

/** Decodes one content: a message, a thought, a call or a result. */
export function decodeContent(content: Fields, role: Role, pointer: string): Item[] {
  const type = string(content["type"]) ?? "";
  if (type === "thought") return [thought(content, pointer)];
  if (type.endsWith("_call")) return [call(content, type, pointer)];
  if (type.endsWith("_result")) return [result(content, type, pointer)];
  if (typeof content["text"] === "string") return said(content["text"], role, pointer);
  if (mediaTypes.has(type)) return [{ kind: "message", role, pointer, text: "", hasMedia: true }];
  return [{ kind: "opaque", role, pointer, wireType: type, value: content }];
}

function said(text: string, role: Role, pointer: string): Item[] {
  return text === "" ? [] : [{ kind: "message", role, pointer, text, hasMedia: false }];
}

function thought(content: Fields, pointer: string): Item {
  const summary = content["summary"] ?? content["content"];
  const texts =
    typeof summary === "string" ? [summary] : list(summary).map((part) => string(fields(part)["text"]) ?? "");
  return defined({
    kind: "reasoning" as const,
    role: "assistant" as const,
    pointer,
    text: texts.join("\n"),
    seal: filled(content["signature"]),
  });
}

/** The client runs only functions; the server runs searches and code. */
function call(content: Fields, type: string, pointer: string): Item {
  return defined({
    kind: "call" as const,
    role: "assistant" as const,
    pointer,
    id: filled(content["id"]),
    name: filled(content["name"]) ?? type.replace(/_call$/, ""),
    ...callArguments(content["arguments"]),
    isJson: true,
    wireType: type.replace(/_call$/, ""),
    isHosted: type !== "function_call",
    state: "complete" as const,
  });
}

function result(content: Fields, type: string, pointer: string): Item {
  const { result: given } = content;
  const parts = list(given).map(fields);
  const isParts = parts.length > 0 && parts.every((part) => typeof part["type"] === "string");
  const texts = parts.map((part) => string(part["text"])).filter((text) => text !== undefined);
  return defined({
    kind: "result" as const,
    role: "tool" as const,
    pointer,
    callId: filled(content["call_id"]),
    name: filled(content["name"]),
    text: isParts ? texts.join("\n") : asText(given),
    hasMedia: isParts && texts.length < parts.length,
    isError: content["is_error"] === true ? true : undefined,
    wireType: type.replace(/_result$/, ""),
    isHosted: type !== "function_result",
  });
}
