import { readJsonCalls } from "./json-calls.ts";
import { afterSpace, type Draft, isToolName, matchAt, type Page, type Reading } from "./text-call.ts";
import { type Cursor, fromValue, gemma, readWritten, valueOf } from "./values.ts";

type PythonCall = Pick<Draft, "name" | "argumentsText" | "arguments" | "start"> & { readonly isCut: boolean };

/** Reads `name(key=value, …)`; values without a key take the names that the declared schema gives in order, and are refused without one. */
function readCall(page: Page, cursor: Cursor): PythonCall | undefined {
  const { text } = cursor;
  const start = afterSpace(text, cursor.at);
  const opened = matchAt(/([A-Za-z_][\w.-]{0,127})\(/y, text, start);
  const name = opened?.[1] ?? "";
  if (!opened || !(isToolName(name) || page.tools.isDeclared(name))) return undefined;
  const names = Object.keys(page.tools.parameters(name) ?? page.tools.parameters(lastPart(name)) ?? {});
  const entries: [string, unknown][] = [];
  const inside = start + opened[0].length;
  const cut = () => ({ name, argumentsText: text.slice(inside), arguments: undefined, start, isCut: true });
  cursor.at = inside;
  for (;;) {
    cursor.at += matchAt(/[\s,]*/y, text, cursor.at)?.[0].length ?? 0;
    if (cursor.at >= text.length) return cut();
    if (text[cursor.at] === ")") break;
    const keyed = matchAt(/([A-Za-z_]\w{0,127})\s{0,4}=(?!=)/y, text, cursor.at);
    const key = keyed?.[1] ?? names[entries.length];
    if (key === undefined) return undefined;
    cursor.at += keyed?.[0].length ?? 0;
    const value = readWritten(cursor);
    if (!value) return undefined;
    if (value.isCut) return cut();
    entries.push([key, valueOf(value)]);
  }
  cursor.at++;
  return { name, ...fromValue(Object.fromEntries(entries)), start, isCut: false };
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

/** What a syntax puts around its Python calls. */
export interface PythonEnvelope {
  readonly family: string;
  /** Sticky; absent: the syntax has no end token. */
  readonly close?: RegExp;
  /** The calls must stand in a list. */
  readonly isList?: boolean;
  /** `print(…)` and `result = …` may stand around a call. */
  readonly isCode?: boolean;
  /** The name's last part is the method by which the tool is called: `brave_search.call`. */
  readonly isMethod?: boolean;
  readonly isWeak?: boolean;
}

/** Reads Python calls at `at`, in a list or one after another, for a wrapper that began at `start`. */
export function readPythonCalls(page: Page, start: number, at: number, envelope: PythonEnvelope): Reading {
  const { family, close, isWeak = false } = envelope;
  const cursor: Cursor = { text: page.text, at: afterSpace(page.text, at) };
  const isList = page.text[cursor.at] === "[";
  if (envelope.isList && !isList) return undefined;
  if (isList) cursor.at++;
  const calls: PythonCall[] = [];
  let end = cursor.at;
  let isWhole = !isList;
  for (;;) {
    cursor.at += matchAt(/[\s,;]*/y, page.text, cursor.at)?.[0].length ?? 0;
    if (isList && page.text[cursor.at] === "]") {
      end = ++cursor.at;
      isWhole = true;
      break;
    }
    const wrapped = envelope.isCode
      ? matchAt(/(?:[A-Za-z_]\w{0,63}\s{0,4}=\s{0,4})?(print\()?/y, page.text, cursor.at)
      : undefined;
    cursor.at += wrapped?.[0].length ?? 0;
    const call = readCall(page, cursor);
    if (!call) break;
    calls.push(call);
    if (wrapped?.[1]) cursor.at += matchAt(/\s*\)?/y, page.text, cursor.at)?.[0].length ?? 0;
    end = call.isCut ? page.text.length : cursor.at;
    isWhole = !isList && !call.isCut;
    if (call.isCut) break;
  }
  if (calls.length === 0) return undefined;
  // A list that goes on with something else was no list of calls.
  if (isList && !isWhole && afterSpace(page.text, end) < page.text.length) return undefined;
  const behind = afterSpace(page.text, end);
  const closed = close && isWhole ? matchAt(close, page.plain, behind) : undefined;
  if (closed) end = behind + closed[0].length;
  const isClosed = isWhole && (close === undefined || closed !== undefined);
  const drafts = calls.map(
    (call, index): Draft => ({
      family,
      name: envelope.isMethod ? call.name.replace(/\.call$/, "") : call.name.replace(/^default_api\./, ""),
      argumentsText: call.argumentsText,
      arguments: call.arguments,
      start: index === 0 ? start : call.start,
      end: calls[index + 1]?.start ?? end,
      isClosed,
      isWeak,
    }),
  );
  return { calls: drafts, end };
}

/** Syntaxes whose token is followed by Python calls from some models and by JSON from others. */
export function readPythonOrJson(page: Page, start: number, at: number, envelope: PythonEnvelope): Reading {
  const { family, close } = envelope;
  const first = matchAt(/\s*(?:\[\s{0,8})?/y, page.text, at)?.[0].length ?? 0;
  if (page.text[at + first] === "{")
    return readJsonCalls(page, start, at, { family, ...(close ? { close } : {}) });
  return readPythonCalls(page, start, at, envelope);
}

/** Gemma: `call:NAME{key:value}`, strings between `<escape>` (FunctionGemma) or `<|"|>` (Gemma 4). */
export function readGemmaCall(page: Page, start: number, at: number, family: string, close: RegExp): Reading {
  const opened = matchAt(/\s*call:([^\s<>{}"']{1,128})\s{0,4}(?=\{)/y, page.text, at);
  const name = opened?.[1] ?? "";
  if (!opened || !(isToolName(name) || page.tools.isDeclared(name))) return undefined;
  const cursor: Cursor = { text: page.text, at: at + opened[0].length };
  const written = readWritten(cursor, gemma);
  if (!written) return undefined;
  const read = written.isCut
    ? { argumentsText: page.text.slice(written.start), arguments: undefined }
    : fromValue(valueOf(written));
  const behind = afterSpace(page.text, cursor.at);
  const closed = written.isCut ? undefined : matchAt(close, page.plain, behind);
  const end = closed ? behind + closed[0].length : cursor.at;
  return { calls: [{ family, name, ...read, start, end, isClosed: closed !== undefined }], end };
}
