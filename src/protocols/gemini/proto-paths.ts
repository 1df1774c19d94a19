import { pointerTokens, valueAt } from "../../reading/pointer.ts";
import { fields } from "../wire.ts";

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Members that hold any name: their entries are pairs of `key` and `value` to the parser. */
const maps: ReadonlySet<string> = new Set(["properties", "$defs", "defs", "labels"]);

/**
 * A place as Google's parser of JSON writes it: names with underscores, and the entries of a map by number:
 * `tools[0].function_declarations[0].parameters.properties[1].value.type`.
 */
export function parserPath(pointer: string, body: unknown): string {
  let at = "";
  let isKey = false;
  return pointerTokens(pointer).reduce((path, token) => {
    const parent = valueAt(body, at);
    at += `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (isKey) {
      isKey = false;
      return `${path}[${Math.max(0, Object.keys(fields(parent)).indexOf(token))}].value`;
    }
    isKey = maps.has(token);
    return joined(path, token);
  }, "");
}

/** A place as the API's own checks write it: the entries of a map by name (`properties[city]`). */
export function fieldPath(pointer: string): string {
  let isKey = false;
  return pointerTokens(pointer).reduce((path, token) => {
    if (isKey) {
      isKey = false;
      return `${path}[${token}]`;
    }
    isKey = maps.has(token);
    return joined(path, token);
  }, "");
}

function joined(path: string, token: string): string {
  if (/^\d+$/.test(token)) return `${path}[${token}]`;
  return path === "" ? snake(token) : `${path}.${snake(token)}`;
}
