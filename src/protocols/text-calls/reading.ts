/** Parses calls after a begin token. The table in `families.ts` assigns each family its syntax. */

import { pushAll } from "../../reading/lists.ts";
import { fields } from "../../reading/values.ts";
import { argumentsOf, callsIn } from "./json.ts";
import { afterSpace, behind, isToolName, matchAt, type Page, type TextCallDraft } from "./text-call.ts";
import {
  type Arguments,
  asArguments,
  fromValue,
  keywords,
  type Notation,
  readWritten,
  spell,
} from "./values.ts";

/** A call without its wrapper's additions. */
interface Item extends Arguments, Pick<TextCallDraft, "name" | "id" | "start" | "end"> {
  readonly family?: string;
  readonly isWeak?: boolean;
  /** Complete, including its own end token. */
  readonly isWhole: boolean;
  readonly isNameOnly?: boolean;
}

/** Reads the calls that begin at `at`, which is not white space; empty if there are none. */
export type ItemReader = (page: Page, at: number) => readonly Item[];

/** A family's syntax after its begin token. */
export interface Syntax {
  readonly family: string;
  readonly items: ItemReader;
  /** Sticky: the wrapper's end token. Absent: none exists, or it ends the turn. */
  readonly close?: RegExp | undefined;
  /** The closing token belongs to an optional wrapper. */
  readonly isCloseOptional?: boolean;
  /** The affix that the syntax adds to a tool's name. */
  readonly affix?: RegExp;
  readonly isWeak?: boolean;
}

/** Reads the items of a wrapper that begins at `start`, and its end; `undefined` if there are none. */
export function readCalls(
  page: Page,
  start: number,
  from: number,
  syntax: Syntax,
): readonly TextCallDraft[] | undefined {
  const { family, close, affix, isWeak = false } = syntax;
  const items: Item[] = [];
  const fenced = behind(/\s*`{3}\w*\s/y, page.text, from);
  let end = from;
  for (let at = afterSpace(page.text, fenced); ; at = behind(/[\s,;]*/y, page.text, end)) {
    const more = syntax.items(page, at);
    pushAll(items, more);
    end = more.at(-1)?.end ?? end;
    if (more.at(-1)?.isWhole !== true) break;
  }
  if (items.length === 0) return undefined;
  const isWhole = items.every((item) => item.isWhole);
  const isKnown = items.every((item) => item.arguments !== undefined);
  // Models often close one bracket too many.
  const tail = behind(fenced > from ? /\s*[}\]]{0,3}\s*`{0,3}/y : /\s*[}\]]{0,3}/y, page.text, end);
  const closed = close && isKnown ? matchAt(close, page.plain, afterSpace(page.text, tail)) : undefined;
  if (closed) end = closed.index + closed[0].length;
  else if (fenced > from && isWhole) end = tail;
  return items.map(({ isWhole: _, isNameOnly = false, ...item }, index) => ({
    family,
    isWeak,
    ...item,
    name: affix ? item.name.replace(affix, "") : item.name,
    start: index === 0 ? start : item.start,
    end: items[index + 1]?.start ?? end,
    isClosed: closed !== undefined || (isWhole && (close === undefined || syntax.isCloseOptional === true)),
    isNameOnly,
  }));
}

/** Calls as JSON objects, or lists of them. */
export function jsonItems(select = callsIn): ItemReader {
  return (page, at) => {
    if (!/[[{]/.test(page.text[at] ?? "")) return [];
    const written = readWritten(page.text, at);
    const calls = (written ? select(written) : []).filter(({ name }) => canName(page, name));
    return calls.map(({ node, written: value, ...call }, index) => ({
      ...call,
      ...argumentsOf(page.text, node, value),
      start: node.start,
      end: calls[index + 1]?.node.start ?? written?.end ?? at,
      isWhole: written?.isCut === false,
    }));
  };
}

/** Python calls: `name(key=value)`, alone or in a list, possibly in `print(…)` or after `result = …`. */
export const pythonItems: ItemReader = (page, at) => {
  const { text } = page;
  const isList = text[at] === "[";
  const items: Item[] = [];
  for (let start = isList ? at + 1 : at; ; ) {
    start = behind(/[\s,]*/y, text, start);
    const last = items.at(-1);
    if (isList && last && text[start] === "]") return [...items.slice(0, -1), { ...last, end: start + 1 }];
    const opened = matchAt(
      /(?:[A-Za-z_]\w{0,63}\s{0,4}=\s{0,4})?(print\()?([A-Za-z_][\w.-]{0,127})(?=\()/y,
      text,
      start,
    );
    const [whole = "", print, name = ""] = opened ?? [];
    const written = canName(page, name) ? readWritten(text, start + whole.length, keywords) : undefined;
    if (!written) return [];
    const read = written.isCut ? asArguments(text, written) : fromValue(spell(written));
    const end = print ? behind(/\s*\)/y, text, written.end) : written.end;
    items.push({ name, ...read, start, end, isWhole: !written.isCut });
    if (!isList || written.isCut) return items;
    start = end;
  }
};

/**
 * How a syntax writes a parameter: its opening (sticky; groups: the key, and whether the value is a string if
 * the syntax says so), its end, and a fallback end. In strings, `KEY` and `NAME` are placeholders. The value
 * is raw text.
 */
type Parameter = readonly [open: RegExp, close: RegExp | string, stop: RegExp | string];

/** One call with a header that names the tool. */
export interface Named {
  /** Sticky, with plain bars; groups `name` and optionally `id`. */
  readonly header: RegExp;
  /** The arguments may be a single value in this notation. */
  readonly notation?: Notation;
  readonly parameter?: Parameter;
  /** Accepts declared names and keys only, because the header could be anything. */
  readonly isForDeclared?: boolean;
  /** Without arguments the call looks like prose about it. */
  readonly isProseLike?: boolean;
  /** Sticky: the call's own end token. */
  readonly close?: RegExp;
  /** Arguments that do not parse are taken verbatim up to here: the header is unmistakably a call. */
  readonly raw?: RegExp;
}

/** Calls with separate name and arguments. */
export function namedItems(syntax: Named): ItemReader {
  return (page, at) => {
    const opened = matchAt(syntax.header, page.plain, at);
    const { name = "", id } = opened?.groups ?? {};
    if (!opened || !canName(page, name) || (syntax.isForDeclared && !page.isDeclared(name))) return [];
    const read = readArguments(page, name, afterSpace(page.text, at + opened[0].length), syntax);
    if (!read) return [];
    const { end: inside, isCut, isNameOnly = false, ...written } = read;
    const tail = afterSpace(page.text, inside);
    const closed = isCut || !syntax.close ? tail : behind(syntax.close, page.plain, tail);
    if (isNameOnly && !isCut && closed === tail) return [];
    return [
      {
        name,
        id,
        ...written,
        start: at,
        end: closed > tail ? closed : inside,
        isWhole: !isCut && (!syntax.close || closed > tail),
        isNameOnly: isNameOnly && (isCut || syntax.isProseLike === true),
      },
    ];
  };
}

type Read = Arguments & { readonly end: number; readonly isCut: boolean; readonly isNameOnly?: boolean };

function readArguments(page: Page, name: string, at: number, syntax: Named): Read | undefined {
  const { text } = page;
  const cut = { arguments: undefined, end: text.length, isCut: true };
  if (at >= text.length) return { ...cut, argumentsText: "", isNameOnly: true };
  const fenced = behind(/`{3}\w*\s+/y, text, at);
  const written =
    syntax.notation && /[[{]/.test(text[fenced] ?? "")
      ? readWritten(text, fenced, syntax.notation)
      : undefined;
  if (written) {
    const end = fenced > at ? behind(/\s*`{3}/y, text, written.end) : written.end;
    return { ...asArguments(text, written), end, isCut: written.isCut };
  }
  if (syntax.parameter)
    return readParameters(page, name, at, syntax) ?? { ...cut, argumentsText: text.slice(at) };
  const end = syntax.raw && page.find(syntax.raw, at)?.start;
  if (end === undefined) return undefined;
  return { argumentsText: text.slice(at, end).trim(), arguments: undefined, end, isCut: false };
}

/** The parameters from `at` on; `undefined` if the text ends within one. */
function readParameters(
  page: Page,
  name: string,
  at: number,
  { parameter, isForDeclared }: Named,
): Read | undefined {
  const [open, ...ends] = parameter ?? [/$^/y];
  const schemas = page.parameters(name);
  const values: [string, unknown][] = [];
  for (let end = at; ; ) {
    const opened = matchAt(open, page.plain, end);
    const key = opened?.[1]?.trim() ?? "";
    if (!opened || (isForDeclared && !Object.hasOwn(schemas, key))) {
      return { ...fromValue(Object.fromEntries(values)), end, isCut: false, isNameOnly: values.length === 0 };
    }
    const from = end + opened[0].length;
    const [close, stop] = ends.map((pattern) => {
      const token = typeof pattern === "string" ? pattern.replace("KEY", key).replace("NAME", name) : pattern;
      return page.find(token, from);
    });
    const to = Math.min(close?.start ?? Infinity, stop?.start ?? Infinity);
    if (to === Infinity) return undefined;
    const value = withoutOuterBreaks(page.text.slice(from, to));
    const isString = opened[2] === undefined ? canBeString(schemas[key]) : opened[2] === "true";
    values.push([key, isString ? value : valueIn(value)]);
    end = close?.start === to ? close.end : to;
  }
}

/** Templates put a value on separate lines. */
function withoutOuterBreaks(text: string): string {
  const start = text.startsWith("\r\n") ? 2 : text.startsWith("\n") ? 1 : 0;
  const tail = text.endsWith("\r\n") ? 2 : text.endsWith("\n") ? 1 : 0;
  return text.slice(start, Math.max(start, text.length - tail));
}

function valueIn(text: string): unknown {
  const source = text.trim();
  const written = readWritten(source, 0);
  return written && !written.isCut && written.end === source.length
    ? asArguments(source, written).arguments
    : text;
}

/** XML has no types; a value stays a string as long as the schema allows one. */
function canBeString(schema: unknown): boolean {
  const { type, anyOf, oneOf = anyOf, enum: values } = fields(schema);
  if (type !== undefined) return Array.isArray(type) ? type.includes("string") : type === "string";
  if (Array.isArray(oneOf)) return oneOf.some(canBeString);
  return Array.isArray(values) ? values.some((value) => typeof value === "string") : true;
}

/** Checks that a name is possible before reading on: hostile text could make a late failure frequent. */
function canName(page: Page, name: string): boolean {
  return isToolName(name) || page.isDeclared(name);
}
