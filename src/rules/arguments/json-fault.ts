import { isJson } from "../../reading/parse.ts";

/** What is wrong with a text that ought to be one JSON value and is not. */
export interface JsonFault {
  /** `cut`: it breaks off. `glued`: several values in a row. `prefixed`: a value within a fence or behind a word. `broken`: anything else. */
  readonly kind: "cut" | "glued" | "prefixed" | "broken";
  /** How many whole values stand in it. */
  readonly values: number;
}

/** What stands before the value: a fence with or without a language, or only the language that a fence had. */
const prefix = /^\s*(?:`{3,}[ \t]*\w{0,20}|json(?=\s*[[{]))/;

/** What stands within a fence, or behind a prefix; `undefined` when there is none. */
function unfenced(text: string): string | undefined {
  const opening = prefix.exec(text)?.[0];
  if (opening === undefined) return undefined;
  const inner = text.slice(opening.length).trim();
  return inner.endsWith("```") ? inner.slice(0, inner.indexOf("```", inner.length - 3)) : inner;
}

/** Tells how a text fails to be JSON. Reads it once. */
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

/** Where the object or list ends that begins at `from`; `undefined` when it is none, or does not end. */
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

/** Whether more text could make JSON of it: what is there is right as far as it goes. */
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

/** Tries the few ways in which a value that breaks off between two tokens can go on. */
function isPrefix(text: string, closers: readonly string[]): boolean {
  const rest = [...closers].reverse().join("");
  const bare = text
    .trimEnd()
    .replace(/(?<=[\s,:[{])(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|-|-?\d+\.|-?\d+[eE][+-]?)$/, "0");
  return ["", "0", '"":0', ":0"].some((middle) => isJson(`${bare}${middle}${rest}`));
}
