import { findTextCalls } from "./find.ts";
import { answerStart, outsideLiterals, walk } from "./literals.ts";
import { type ControlToken, openPage, type TextCallContext } from "./text-call.ts";

/** Words that stand between `<|` and `|>` in the templates of a family, as they read with plain underscores. */
const vocabulary: Readonly<Record<string, string>> = {
  chatml: "im_start im_end im_sep endoftext endofprompt fim_prefix fim_middle fim_suffix",
  llama3:
    "begin_of_text end_of_text start_header_id end_header_id eot_id eom_id eot header_start header_end python_tag python_start python_end",
  harmony: "start end message channel constrain return call",
  deepseek:
    "begin_of_sentence end_of_sentence User Assistant tool_calls_begin tool_calls_end tool_call_begin tool_call_end tool_sep " +
    "tool_outputs_begin tool_outputs_end tool_output_begin tool_output_end",
  "kimi-k2":
    "tool_calls_section_begin tool_calls_section_end tool_call_argument_begin im_user im_assistant im_system im_middle",
  glm45: "user assistant system observation",
  lfm2: "tool_call_start tool_call_end tool_list_start tool_list_end",
  granite3: "tool_call /tool_call start_of_role end_of_role",
  "command-r7b":
    "START_ACTION END_ACTION START_THINKING END_THINKING START_RESPONSE END_RESPONSE START_TEXT END_TEXT START_TOOL_RESULT END_TOOL_RESULT " +
    "START_OF_TURN_TOKEN END_OF_TURN_TOKEN USER_TOKEN CHATBOT_TOKEN SYSTEM_TOKEN",
  "functionary-v2": "recipient content from stop",
  internlm2: "action_start action_end plugin interpreter",
  apertus: "tools_prefix tools_suffix",
  gigachat3: "role_sep message_sep",
};

const familyOfWord = new Map(
  Object.entries(vocabulary).flatMap(([family, words]) =>
    words.split(" ").map((word) => [word, family] as const),
  ),
);

/** Tokens of other shapes, each with its family. They are vocabulary too: wherever one stands, it is no prose. */
const special: readonly (readonly [family: string, token: string])[] = [
  ["deepseek", "</?\\|{1,2}DSML\\|{1,2}[^<>\\n]{0,160}>"],
  ["mistral", "\\[/?(?:TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|TOOL_CONTENT)\\]"],
  [
    "gemma",
    "<(?:start|end)_(?:of_turn|function_call|function_response)>|<\\|tool_(?:call|response)>|<tool_(?:call|response)\\|>",
  ],
  ["minimax-m2", "</?minimax:tool_call>"],
  ["seed-oss", "</?seed:tool_call>"],
  ["longcat", "</?longcat_(?:tool_call|arg_key|arg_value)>"],
  ["step3", "</?steptml:(?:invoke|parameter)\\b[^<>\\n]{0,160}>"],
  ["qwen-agent", "✿(?:FUNCTION|ARGS|RESULT|RETURN)✿"],
];

/** Tags that people write about, too: left over only where no sentence would have them. */
const plainTags: readonly (readonly [family: string, tag: string])[] = [
  ["hermes", "</?tool_(?:call|response)>"],
  ["qwen3-coder", "</(?:function|parameter)>|<(?:function|parameter)=[^<>\\n]{1,128}>"],
  ["glm45", "</?arg_(?:key|value)>"],
  ["minimax-m1", "</?tool_calls>"],
  ["claude-legacy", "</?(?:[a-z]{1,12}:)?(?:function_calls|function_results)>|</(?:[a-z]{1,12}:)?invoke>"],
  ["nemotron-json", "</?TOOLCALL>"],
  ["reasoning", "</(?:seed:)?think(?:ing)?>|\\[/THINK\\]"],
];

/** Most of a token at the very end of the text: the rest was swallowed, or never came. */
const cutToken = "<\\|{1,2}[A-Za-z][\\w |]{2,39}(?![^])";
const words = `<\\|{1,2}(?:${[...familyOfWord.keys()].join("|").replaceAll("_", "[_ ]")})\\|{1,2}>`;
const tokens = [words, ...[...special, ...plainTags].map(([, token]) => token), cutToken];
const quick = new RegExp(tokens.join("|"));
const pattern = outsideLiterals(tokens);

/**
 * Template tokens that stand in a model's text (or in the name or a decoded argument value of a call) without being part of a call that
 * {@link findTextCalls} returns for the same context, in order. Tokens in code, block quotes and quoted strings are not returned, nor
 * are plain tags such as `<tool_call>` within a sentence. Takes time in proportion to the text.
 */
export function findControlTokens(text: string, context: TextCallContext = {}): ControlToken[] {
  const { plain } = openPage(text, {});
  const found: ControlToken[] = [];
  const add = (family: string, start: number, end: number) => {
    found.push({ token: text.slice(start, end), family, start, end });
  };
  const head = tokenTail(plain);
  if (head) add(head.family, 0, head.length);
  if (!quick.test(plain)) return found;

  const from = answerStart(plain);
  const closer = /(?:<\/(?:seed:)?think(?:ing)?>|\[\/THINK\])$/.exec(plain.slice(0, from));
  const firstThought = plain.search(/<(?:seed:)?think|\[THINK\]/);
  const isThoughtOpen = (at: number) => firstThought >= 0 && firstThought < at;
  if (closer && !isThoughtOpen(from)) add("reasoning", closer.index, from);

  const calls = findTextCalls(text, context);
  let next = 0;
  walk(plain, pattern, Math.max(from, head?.length ?? 0), (match) => {
    const [token] = match;
    const start = match.index;
    const end = start + token.length;
    while (calls[next] && (calls[next]?.end ?? 0) <= start) next++;
    const call = calls[next];
    if (call && call.start <= start) return call.end;
    const group = match.findIndex((each, index) => index > 0 && each !== undefined) - 2;
    const family =
      group < 0
        ? familyOfWord.get(token.replace(/^<\|+|\|+>$/g, "").replaceAll(" ", "_"))
        : ([...special, ...plainTags][group]?.[0] ?? familyOfStart(token));
    if (family === undefined) return end;
    const isPlain = group >= special.length && group < special.length + plainTags.length;
    if (
      isPlain &&
      !(family === "reasoning"
        ? !isThoughtOpen(start) && isLeftOver(plain, start, end)
        : isLeftOver(plain, start, end))
    ) {
      return end;
    }
    add(family, start, end);
    return end;
  });
  return found;
}

/** Whether a tag stands where no sentence would have it: alone on its line, or right behind the last word of one. */
function isLeftOver(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 200), start);
  const after = text.slice(end, end + 200);
  const left = before.slice(before.lastIndexOf("\n") + 1);
  const right = /^[^\n]*/.exec(after)?.[0] ?? "";
  const isLineEnd = isOnlyTags(right) && right.length < 200;
  const isLineStart = isOnlyTags(left) && left.length < 200;
  return isLineEnd && (isLineStart || /\S$/.test(left));
}

function isOnlyTags(text: string): boolean {
  return text.replace(/<[^<>\n]{1,160}>/g, "").trim() === "";
}

const spelled = [
  ...[...familyOfWord].map(([word, family]) => ({ family, token: `<|${word}|>` })),
  ...["tool_calls", "function_calls", "invoke", "parameter"].map((word) => ({
    family: "deepseek",
    token: `<|DSML|${word}>`,
  })),
];

function familyOfStart(token: string): string | undefined {
  const start = token.replaceAll("||", "|").replaceAll(" ", "_");
  return spelled.find((each) => each.token.startsWith(start))?.family;
}

/** The rest of a token at the very beginning of the text, whose first half went out with the chunk before. */
function tokenTail(plain: string): { family: string; length: number } | undefined {
  const [tail] = /^[\w ]{0,30}\|{1,2}[\w |]{0,30}>/.exec(plain.slice(0, 80)) ?? [];
  if (tail === undefined || tail.length < 5) return undefined;
  const end = tail.replaceAll("||", "|").replaceAll(" ", "_");
  const family = spelled.find((each) => each.token.endsWith(end))?.family;
  return family === undefined ? undefined : { family, length: tail.length };
}
