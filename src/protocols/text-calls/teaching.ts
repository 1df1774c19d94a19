import { marks } from "./families.ts";
import { openPage, type TextCall } from "./text-call.ts";

/** Words in front of a token that forbid it. */
const forbids = /\b(?:never|not|avoid|without|instead of|rather than)\b|n['’]t\b/i;

/**
 * Whether the system prompt itself teaches the syntax of `call` (ReAct, Cline, aider, a Hermes prompt that the client wrote), so that it
 * is the protocol between this client and its model, and no leak. A prompt that only forbids the syntax does not teach it.
 */
export function teachesSyntax(systemText: string, call: TextCall): boolean {
  const wanted = marks[call.family];
  if (!wanted || systemText === "") return false;
  const { plain } = openPage(systemText, {});
  return wanted.every((mark) => {
    const text = typeof mark === "string" ? mark.replace("{}", call.name) : mark;
    return isSaid(plain, text);
  });
}

/** Whether a mark stands somewhere in a sentence that does not forbid it. */
function isSaid(text: string, mark: string | RegExp): boolean {
  const places =
    typeof mark === "string"
      ? occurrences(text, mark)
      : [...text.matchAll(new RegExp(mark, "g"))].map((match) => match.index);
  return places.some((at) => {
    const before = text.slice(Math.max(0, at - 80), at);
    return !forbids.test(
      before.slice(
        Math.max(before.lastIndexOf("\n"), before.lastIndexOf(". "), before.lastIndexOf("! ")) + 1,
      ),
    );
  });
}

function occurrences(text: string, mark: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + mark.length)) places.push(at);
  return places;
}
