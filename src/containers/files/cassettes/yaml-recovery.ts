import { lengthAfter, type YamlSlice } from "./yaml-split.ts";

/** The line before the list of interactions; without it, the list is the whole file. */
const listKey = /^(?:http_)?interactions:[ \t\r]*$/m;

/**
 * The interactions of a text that is not valid YAML, one at a time, so that a mistake in one of them costs no
 * other. An interaction begins with a dash at the list's indent. `undefined` for a text that is not a list.
 */
export function splitBroken({ start, text }: YamlSlice): YamlSlice[] | undefined {
  const key = listKey.exec(text);
  const from = key ? key.index + key[0].length + 1 : 0;
  const first = /^( *)- /m.exec(text.slice(from));
  if (!first || (!key && text.slice(0, first.index).trim() !== "")) return undefined;
  const dash = new RegExp(`^ {${first[1]?.length ?? 0}}- `, "gm");
  dash.lastIndex = from;
  const begins = [...text.matchAll(dash)].map(({ index }) => index).filter((index) => index >= from);
  if (begins.length < 2) return undefined;
  const end = text.length - lengthAfter(text.slice(begins.at(-1)));
  return begins.map((begin, index) => ({
    start: start + begin,
    text: text.slice(begin, begins[index + 1] ?? end),
    isList: true,
  }));
}
