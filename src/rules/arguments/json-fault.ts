import { isJson } from "../../reading/parse.ts";

/** Why a text is not one JSON value. */
export interface JsonFault {
  /** `cut`: ends too early. `glued`: several values. `prefixed`: fenced or after a word. `broken`: other. */
  readonly kind: "cut" | "glued" | "prefixed" | "broken";
  /** The number of complete values in the text. */
  readonly values: number;
}

/** The text before the value: a fence with or without a language, or only the language. */
const prefix = /^\s*(?:`{3,}[ \t]*\w{0,20}|json(?=\s*[[{]))/;

/** The content of a fence, or the text after a prefix; `undefined` if there is neither. */
function unfenced(text: string): string | undefined {
  const opening = prefix.exec(text)?.[0];
  if (opening === undefined) return undefined;
  const inner = text.slice(opening.length).trim();
  return inner.endsWith("```") ? inner.slice(0, inner.indexOf("```", inner.length - 3)) : inner;
}

/** Classifies a text that is not valid JSON. Linear in the text. */
export function faultOf(text: string): JsonFault {
  const inner = unfenced(text);
  if (inner !== undefined && isJson(inner)) return { kind: "prefixed", values: 1 };
  const values: string[] = [];
  let at = afterSpace(text, 0);
  while (at < text.length) {
    const end = valueEnd(text, at);
    if (end === undefined)
      return { kind: values.length === 0 && isOpenEnded(text) ? "cut" : "broken", values: values.length };
    values.push(text.slice(at, end));
    at = afterSpace(text, end);
  }
  return values.length > 1 && values.every(isJson)
    ? { kind: "glued", values: values.length }
    : { kind: "broken", values: values.length };
}

function afterSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text[at] ?? "")) at++;
  return at;
}

/** The end of the object or array that begins at `from`; `undefined` if there is none, or no end. */
function valueEnd(text: string, from: number): number | undefined {
  if (text[from] !== "{" && text[from] !== "[") return undefined;
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      at = stringEnd(text, at);
    } else if (char === "{" || char === "[") depth++;
    else if ((char === "}" || char === "]") && --depth === 0) return at + 1;
  }
  return undefined;
}

function stringEnd(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

/** Whether the text could become JSON if it continued. */
function isOpenEnded(text: string): boolean {
  const closers: string[] = [];
  let at = 0;
  for (; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      const end = stringEnd(text, at);
      if (end >= text.length) return isPrefix(`${text.slice(0, at)}""`, closers);
      at = end;
    } else if (char === "{") closers.push("}");
    else if (char === "[") closers.push("]");
    else if (char === "}" || char === "]") closers.pop();
  }
  return isPrefix(text, closers);
}

/** Tries the few possible continuations of a value that breaks off between two tokens. */
function isPrefix(text: string, closers: readonly string[]): boolean {
  const rest = [...closers].reverse().join("");
  const bare = text
    .trimEnd()
    .replace(/(?<=[\s,:[{])(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|-|-?\d+\.|-?\d+[eE][+-]?)$/, "0");
  return ["", "0", '"":0', ":0"].some((middle) => isJson(`${bare}${middle}${rest}`));
}
