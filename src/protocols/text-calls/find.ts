import { pushAll } from "../../reading/lists.ts";
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
/** Whether there is any token. The last opening matches any tag: it can only begin a declared tool. */
const anyToken = [new RegExp(tokens.slice(0, -1).join("|"), "m"), new RegExp(tokens.join("|"), "m")];
const pattern = outsideLiterals(tokens);
/** Every syntax contains one of these; most texts do not, and the other patterns are costly to compile. */
const anySyntax = /[<[{>\uff5c\u273f]|\w\(|Action/;

/**
 * Finds the tool calls that a model wrote as text, in text order. They do not overlap, except those of a
 * `multi_tool_use.parallel`. Pass only a model's own text: prompts, documents and tool results often quote
 * these syntaxes. Skips calls in fenced or inline code, block quotes, quoted strings, and reasoning before an
 * answer. Linear time.
 * @example
 * findTextCalls('<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>', { tools });
 */
export function findTextCalls(text: string, context: TextCallContext = {}): TextCall[] {
  if (!anySyntax.test(text)) return [];
  const page = openPage(text, context);
  const from = answerStart(page.plain);
  const calls: TextCall[] = [];
  if (anyToken[page.declaresTools ? 1 : 0]?.test(page.plain)) {
    walk(page.plain, pattern, from, (match) => {
      const opening = openings[tokenIndex(match)];
      const token = match.index + match[0].length;
      for (const syntax of opening?.syntaxes ?? []) {
        const drafts = readCalls(page, match.index, opening?.isHeader ? match.index : token, syntax);
        if (!drafts) continue;
        pushAll(
          calls,
          drafts.flatMap((draft) => checkedAgainstTools(page, draft, opening?.isSpecial === true)),
        );
        return drafts.at(-1)?.end;
      }
      return undefined;
    });
  }
  if (calls.length === 0)
    pushAll(
      calls,
      wholeMessage(page, from).flatMap((draft) => checkedAgainstTools(page, draft, false)),
    );
  const isTaught = taughtBy(context.systemText ?? "");
  return calls.filter((call) => !isTaught(call));
}

/** {@link teachesSyntax}, cached per syntax. */
function taughtBy(systemText: string): (call: TextCall) => boolean {
  const answers = new Map<string, boolean>();
  return (call) => {
    const syntax = call.family === "prompt-xml-tools" ? `<${call.name}>` : call.family;
    const answer = answers.get(syntax) ?? teachesSyntax(systemText, call);
    answers.set(syntax, answer);
    return answer;
  };
}

/** Placeholders that documentation writes for a name, and Command R's tool for calling none. */
const noName = /^(?:(?:your_|the_|my_)?(?:tool|func|function)?[_-]?name|tool|function|directly[_-]answer)$/i;

/** Checks a call against the declared tools and splits a parallel wrapper. */
function checkedAgainstTools(
  page: Page,
  { isWeak, isNameOnly, id, ...draft }: TextCallDraft,
  isSpecial: boolean,
): TextCall[] {
  const inner = splitParallelWrapper(draft.name, draft.arguments);
  if (inner.length > 0) {
    return inner.flatMap((call) =>
      checkedAgainstTools(page, { ...draft, ...call, family: "multi_tool_use", isWeak }, isSpecial),
    );
  }
  const name = declaredName(page, draft.name);
  const isDeclared = page.isDeclared(name);
  const isDoubtful = !isSpecial && (isNameOnly || (isWeak && page.declaresTools));
  if (!isDeclared && (!isToolName(name) || noName.test(name) || isDoubtful)) return [];
  const confidence = isSpecial ? "certain" : isDeclared ? "declared" : "likely";
  return [{ ...draft, name, ...(id === undefined ? {} : { id }), confidence }];
}

/** The declared tool that a name refers to, ignoring an affix. */
function declaredName(page: Page, name: string): string {
  const bare = name.replace(/^(?:functions?|tools?|default_api)[.:/]/, "");
  return [name, bare, bare.replace(/:\d{1,9}$/, "")].find((each) => page.isDeclared(each)) ?? name;
}

/** Calls in a syntax without a token: nothing else may follow `from`. */
function wholeMessage(page: Page, from: number): readonly TextCallDraft[] {
  const start = afterSpace(page.text, from);
  for (const syntax of bareSyntaxes) {
    const drafts = readCalls(page, start, start, syntax);
    if (drafts && afterSpace(page.text, drafts.at(-1)?.end ?? start) >= page.text.length) return drafts;
  }
  return [];
}
