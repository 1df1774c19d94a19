import { bareSyntaxes, openings } from "./families.ts";
import { splitParallelWrapper } from "./json.ts";
import { answerStart, outsideLiterals, tokenIndex, walk } from "./literals.ts";
import { readCalls } from "./reading.ts";
import { teachesSyntax } from "./teaching.ts";
import {
  afterSpace,
  isToolName,
  openPage,
  type Page,
  type TextCall,
  type TextCallContext,
  type TextCallDraft,
} from "./text-call.ts";

const tokens = openings.map(({ token }) => token);
/** Whether any token is there at all. The last opening is any tag: it can only begin a declared tool. */
const quick = [new RegExp(tokens.slice(0, -1).join("|"), "m"), new RegExp(tokens.join("|"), "m")];
const pattern = outsideLiterals(tokens);
/** Every syntax has one of these; most texts have none, and the patterns for the rest are costly to compile. */
const anySyntax = /[<[{>\uff5c\u273f]|\w\(|Action/;

/**
 * The tool calls that a model wrote as text, in order of their place; none overlap, except those of a `multi_tool_use.parallel`.
 * The text is to be a model's own: prompts, documents and tool results quote these syntaxes all the time. Calls in fenced or
 * inline code, block quotes and quoted strings are not returned, nor are those within reasoning in front of an answer.
 * Takes time in proportion to the text.
 *
 * @example
 * findTextCalls('<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>', { tools });
 */
export function findTextCalls(text: string, context: TextCallContext = {}): TextCall[] {
  if (!anySyntax.test(text)) return [];
  const page = openPage(text, context);
  const from = answerStart(page.plain);
  const calls: TextCall[] = [];
  if (quick[page.declaresTools ? 1 : 0]?.test(page.plain)) {
    walk(page.plain, pattern, from, (match) => {
      const opening = openings[tokenIndex(match)];
      const token = match.index + match[0].length;
      for (const syntax of opening?.syntaxes ?? []) {
        const drafts = readCalls(page, match.index, opening?.isHeader ? match.index : token, syntax);
        if (!drafts) continue;
        calls.push(...drafts.flatMap((draft) => settle(page, draft, opening?.isSpecial === true)));
        return drafts.at(-1)?.end;
      }
      return undefined;
    });
  }
  if (calls.length === 0)
    calls.push(...wholeMessage(page, from).flatMap((draft) => settle(page, draft, false)));
  const isTaught = taughtBy(context.systemText ?? "");
  return calls.filter((call) => !isTaught(call));
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

/** Weighs a call against the declared tools; takes a parallel wrapper apart. */
function settle(
  page: Page,
  { isWeak, isNameOnly, id, ...draft }: TextCallDraft,
  isSpecial: boolean,
): TextCall[] {
  const inner = splitParallelWrapper(draft.name, draft.arguments);
  if (inner.length > 0) {
    return inner.flatMap((call) =>
      settle(page, { ...draft, ...call, family: "multi_tool_use", isWeak }, isSpecial),
    );
  }
  const name = declaredName(page, draft.name);
  const isDeclared = page.isDeclared(name);
  const isDoubtful = !isSpecial && (isNameOnly || (isWeak && page.declaresTools));
  if (!isDeclared && (!isToolName(name) || noName.test(name) || isDoubtful)) return [];
  const confidence = isSpecial ? "certain" : isDeclared ? "declared" : "likely";
  return [{ ...draft, name, ...(id === undefined ? {} : { id }), confidence }];
}

/** The declared tool that is meant, when the name is one of them but for an affix. */
function declaredName(page: Page, name: string): string {
  const bare = name.replace(/^(?:functions?|tools?|default_api)[.:/]/, "");
  return [name, bare, bare.replace(/:\d{1,9}$/, "")].find((each) => page.isDeclared(each)) ?? name;
}

/** Calls in a syntax that has no token: nothing else may stand behind `from`. */
function wholeMessage(page: Page, from: number): readonly TextCallDraft[] {
  const start = afterSpace(page.text, from);
  for (const syntax of bareSyntaxes) {
    const drafts = readCalls(page, start, start, syntax);
    if (drafts && afterSpace(page.text, drafts.at(-1)?.end ?? start) >= page.text.length) return drafts;
  }
  return [];
}
