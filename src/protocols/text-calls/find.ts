import { openings } from "./families.ts";
import { answerStart, outsideLiterals, walk } from "./literals.ts";
import { teachesSyntax } from "./teaching.ts";
import {
  type Draft,
  isToolName,
  openPage,
  type Page,
  type TextCall,
  type TextCallContext,
} from "./text-call.ts";
import { wholeMessageCalls } from "./whole-message.ts";

const always = openings.filter(({ isForDeclared }) => !isForDeclared);

/** A quick look whether any token is there at all, and the pattern that finds it outside of literals. */
const searches = [openings, always].map((list) => ({
  list,
  quick: new RegExp(list.map(({ token }) => token).join("|"), "m"),
  pattern: outsideLiterals(list.map(({ token }) => token)),
}));

/**
 * The tool calls that a model wrote as text, in order of their place; none overlap, except those of a `multi_tool_use.parallel`. The text is
 * to be a model's own: prompts, documents and tool results quote these syntaxes all the time. Calls in fenced or inline code, block
 * quotes and quoted strings are not returned, nor are those within reasoning in front of an answer. Takes time in proportion to the text.
 *
 * @example
 * findTextCalls('<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>', { tools });
 */
export function findTextCalls(text: string, context: TextCallContext = {}): TextCall[] {
  const page = openPage(text, context);
  const from = answerStart(page.plain);
  const search = searches[page.tools.areDeclared ? 0 : 1];
  const drafts: (Draft & { isSpecial: boolean })[] = [];
  if (search?.quick.test(page.plain)) {
    walk(page.plain, search.pattern, from, (match) => {
      const opening = search.list[match.findIndex((group, index) => index > 0 && group !== undefined) - 1];
      const reading = opening?.read(page, { start: match.index, end: match.index + match[0].length });
      for (const call of reading?.calls ?? [])
        drafts.push({ ...call, isSpecial: opening?.isSpecial === true });
      return reading?.end;
    });
  }
  if (drafts.length === 0) {
    for (const call of wholeMessageCalls(page, from)) drafts.push({ ...call, isSpecial: false });
  }
  const isTaught = taughtBy(context.systemText ?? "");
  return drafts.flatMap((draft) => settle(page, draft)).filter((call) => !isTaught(call));
}

/** {@link teachesSyntax}, asked once for each syntax. */
function taughtBy(systemText: string): (call: TextCall) => boolean {
  const answers = new Map<string, boolean>();
  return (call) => {
    const syntax = call.family === "prompt-xml-tools" ? `<${call.name}>` : call.family;
    const answer = answers.get(syntax) ?? teachesSyntax(systemText, call);
    answers.set(syntax, answer);
    return answer;
  };
}

/** What documentation writes where a name goes, and Command R's tool for calling none. */
const noName = /^(?:(?:your_|the_|my_)?(?:tool|func|function)?[_-]?name|tool|function|directly[_-]answer)$/i;

/** Weighs a call against the declared tools. */
function settle(
  page: Page,
  { isSpecial, isWeak = false, id, ...draft }: Draft & { isSpecial: boolean },
): TextCall[] {
  const name = declaredName(page, draft.name) ?? draft.name;
  const isDeclared = page.tools.isDeclared(name);
  if (!isDeclared && (!isToolName(name) || noName.test(name) || (isWeak && page.tools.areDeclared)))
    return [];
  const confidence = isSpecial ? "certain" : isDeclared ? "declared" : "likely";
  return [{ ...draft, name, ...(id === undefined ? {} : { id }), confidence }];
}

/** The declared tool that is meant, when the name is one of them but for an affix. */
function declaredName({ tools }: Page, name: string): string | undefined {
  const bare = name.replace(/^(?:functions?|tools?|default_api)[.:/]/, "");
  return [name, bare, bare.replace(/:\d{1,9}$/, "")].find((candidate) => tools.isDeclared(candidate));
}
