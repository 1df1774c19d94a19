import type { Item, Role } from "../../../conversation/item.ts";
import { parseJson } from "../../../reading/parse.ts";
import { anySpeakerOf } from "../../../traffic/roles.ts";
import { monocleKey, toolNameIn } from "../../../traffic/vocabulary.ts";
import type { DecodedElement } from "../../protocol.ts";
import { type Fields, fields, filled, list } from "../../wire.ts";
import { decodeCall, decodeParts, result, resultText, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/** Messages in spans of Monocle: objects whose only key is the speaker, or a call or its result alone. */
export const monocle: Framework = {
  listed: { row: "frameworks", name: "Monocle" },
  decode(element) {
    const message = element[monocleKey];
    if (message === undefined) return undefined;
    const at = `/${monocleKey}`;
    if (typeof message === "string") return { role: "user", items: said(message, "user", at) };
    const own = fields(message);
    const [key = "", ...others] = Object.keys(own);
    const role = others.length === 0 ? anySpeakerOf(key) : undefined;
    if (role !== undefined) return { role, items: itemsOf(own[key], role, `${at}/${key}`) };
    return callsAlone(own, at) ?? resultAlone(own, at);
  },
};

/** A text, a list of parts, calls as JSON, or nothing where only calls were made. */
function itemsOf(value: unknown, role: Role, pointer: string): Item[] {
  if (role === "tool") return [result({ callId: undefined, output: value }, pointer)];
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
function callsAlone(element: Fields, at: string): DecodedElement | undefined {
  const made =
    element["tool_function"] !== undefined
      ? [[at, element] as const]
      : list(element["tools"]).map((call, index) => [`${at}/tools/${index}`, fields(call)] as const);
  const items = made.flatMap(([pointer, call]) => {
    const own = call["tool_arguments"] === undefined ? undefined : callOf(call);
    return own ? [decodeCall(own, pointer)] : [];
  });
  return made.length > 0 && items.length === made.length ? { role: "assistant", items } : undefined;
}

function resultAlone({ call_id: callId, output }: Fields, at: string): DecodedElement | undefined {
  if (filled(callId) === undefined || output === undefined) return undefined;
  return { role: "tool", items: [result({ callId, output }, at)] };
}
