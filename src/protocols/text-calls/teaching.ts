import { marks, openings, tokenPattern } from "./families.ts";
import { openPage, type TextCall } from "./text-call.ts";

/** Words before a token that forbid it. */
const forbidding = /\b(?:never|not|avoid|without|instead of|rather than)\b|n['’]t\b/i;

/**
 * Whether the system prompt teaches the syntax of `call` (ReAct, Cline, aider, a Hermes prompt by the
 * client). The syntax is then the protocol between this client and its model, not a leak. A prompt that only
 * forbids a syntax does not teach it.
 */
export function teachesSyntax(systemText: string, call: TextCall): boolean {
  const { plain } = openPage(systemText, {});
  const isTaught = (token: string | RegExp) => isSaid(plain, tokenPattern(token));
  const own = marks[call.family];
  if (own)
    return own.every((mark) => isTaught(typeof mark === "string" ? mark.replace("{}", call.name) : mark));
  const tokens = openings.filter(({ syntaxes }) => syntaxes.some(({ family }) => family === call.family));
  return tokens.some(({ token }) => isSaid(plain, token));
}

/** Whether a token occurs in a sentence that does not forbid it. */
function isSaid(text: string, token: string): boolean {
  for (const { index } of text.matchAll(new RegExp(token, "gm"))) {
    const before = text.slice(Math.max(0, index - 80), index);
    const sentence = before.slice(
      Math.max(before.lastIndexOf("\n"), before.lastIndexOf(". "), before.lastIndexOf("! ")) + 1,
    );
    if (!forbidding.test(sentence)) return true;
  }
  return false;
}
