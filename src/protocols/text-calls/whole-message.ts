import { readBareJson } from "./json-calls.ts";
import { readPythonCalls } from "./python-calls.ts";
import { afterSpace, type Draft, matchAt, type Page } from "./text-call.ts";
import { readHeadlessFunction } from "./token-calls.ts";

/** Closing tags whose opening one was swallowed as a special token. */
const strayCloser = /<\/(?:tool_call|function_call|tool_calls)>$/;

/**
 * Calls in the syntaxes that have no token of their own: bare JSON, Python lists. They are calls only when nothing else stands behind
 * `from`, except a fence around the whole and a closing tag behind it.
 */
export function wholeMessageCalls(page: Page, from: number): Draft[] {
  const whole = { start: afterSpace(page.text, from), end: page.text.trimEnd().length };
  const { start, end } = withoutFence(page.text, whole);
  if (start >= end) return [];
  const calls = readBare(page, start, end);
  // The fence goes with the calls.
  return calls.map((call, index) => ({
    ...call,
    start: index === 0 ? whole.start : call.start,
    end: index === calls.length - 1 ? whole.end : call.end,
  }));
}

function readBare(page: Page, start: number, end: number): Draft[] {
  const { text } = page;
  if (/[[{]/.test(text[start] ?? "")) {
    const closer = strayCloser.exec(text.slice(Math.max(start, end - 20), end))?.[0] ?? "";
    const calls = readBareJson(page, start, text.slice(0, end - closer.length).trimEnd().length);
    if (calls.length > 0) return calls.map((call) => (closer === "" ? call : { ...call, family: "hermes" }));
  }
  const isList = text[start] === "[";
  if (!isList && !matchAt(/[A-Za-z_][\w.-]{0,127}[({]/y, text, start)) return [];
  const python = readPythonCalls(page, start, start, { family: "pythonic", isWeak: true });
  if (python && afterSpace(text, python.end) >= end) {
    // Without the list a call is written like any code.
    return isList || python.calls.every(({ name }) => page.tools.isDeclared(name)) ? [...python.calls] : [];
  }
  return readHeadlessFunction(page, start, end);
}

function withoutFence(
  text: string,
  { start, end }: { start: number; end: number },
): { start: number; end: number } {
  const opened = matchAt(/`{3,}[\w-]*[ \t]*\r?\n?/y, text, start);
  if (!opened || !text.slice(start + 3, end).endsWith("```")) return { start, end };
  const inside = text.slice(start + opened[0].length, end).replace(/`{3,}$/, "");
  const from = start + opened[0].length;
  return { start: afterSpace(text, from), end: from + inside.trimEnd().length };
}
