import type { Item, Role } from "../../../conversation/item.ts";
import { parseJson } from "../../../reading/parse.ts";
import { toolNameIn } from "../../../traffic/vocabulary.ts";
import type { DecodedElement } from "../../protocol.ts";
import { type Fields, fields, filled, list, lookUp } from "../../wire.ts";
import { decodeCall, decodeParts, result, resultText, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

const speakers: Readonly<Record<string, Role>> = {
  system: "system",
  developer: "system",
  user: "user",
  human: "user",
  assistant: "assistant",
  ai: "assistant",
  tool: "tool",
};

/** Messages in spans of Monocle: objects whose only key is the speaker, or a call or its result alone. */
export const monocle: Framework = {
  listed: { row: "frameworks", name: "Monocle" },
  decode(element) {
    const [key = "", ...others] = Object.keys(element);
    const role = others.length === 0 ? lookUp(speakers, key) : undefined;
    if (role !== undefined) return { role, items: itemsOf(element[key], role, `/${key}`) };
    return callsAlone(element);
  },
};

/** A text, a list of parts, calls as JSON, or nothing where only calls were made. */
function itemsOf(value: unknown, role: Role, pointer: string): Item[] {
  if (role === "tool") return [resultOf(value, pointer)];
  const made = role === "assistant" ? callsIn(value) : [];
  if (made.length > 0) return made.map((call) => decodeCall(call, pointer));
  if (Array.isArray(value)) return decodeParts(value, role, pointer);
  return value === null || value === undefined ? [] : said(resultText(value), role, pointer);
}

/** The calls of a value, if it is nothing else: an object, or a list of them, either as JSON text. */
function callsIn(value: unknown): Fields[] {
  const read = jsonOf(value);
  const found = (Array.isArray(read) ? read : [read]).map((one) => callOf(fields(jsonOf(one))));
  return found.every((call) => call !== undefined) ? found : [];
}

function jsonOf(value: unknown): unknown {
  return typeof value === "string" && /^\s*[[{]/.test(value) ? parseJson(value) : value;
}

function callOf(value: Fields): Fields | undefined {
  const name = filled(value["tool_function"]) ?? toolNameIn(value);
  const given = value["tool_arguments"] ?? value["args"] ?? value["arguments"];
  const id = filled(value["tool_id"]) ?? filled(value["call_id"]) ?? filled(value["id"]);
  return name === undefined || given === undefined ? undefined : { id, name, arguments: given };
}

/** `{tool_function, tool_arguments, call_id}`, or a list of `{tool_id, tool_name, tool_arguments}`. */
function callsAlone(element: Fields): DecodedElement | undefined {
  const made =
    element["tool_function"] !== undefined
      ? [["", element] as const]
      : list(element["tools"]).map((call, index) => [`/tools/${index}`, fields(call)] as const);
  const items = made.flatMap(([pointer, call]) => {
    const own = call["tool_arguments"] === undefined ? undefined : callOf(call);
    return own ? [decodeCall(own, pointer)] : [];
  });
  return made.length > 0 && items.length === made.length ? { role: "assistant", items } : undefined;
}

/** The output of a tool, or an object with it and the id of its call. */
function resultOf(value: unknown, pointer: string): Item {
  const { call_id: callId, output } = fields(value);
  return filled(callId) === undefined || output === undefined
    ? result({ callId: undefined, output: value }, pointer)
    : result({ callId, output }, pointer);
}
