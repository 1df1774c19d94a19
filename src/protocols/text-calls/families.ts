import { bareCalls, byName } from "./json.ts";
import { type ItemReader, jsonItems, type Named, namedItems, pythonItems, type Syntax } from "./reading.ts";
import { gemma, literal } from "./values.ts";

/** A token that can begin a call. */
interface Opening {
  /** Matches in the text with plain bars, on any line (`m`). No groups, and hardly any backtracking. */
  readonly token: string;
  /** The token belongs to a model's vocabulary only, so anything after it that parses as a call is one. */
  readonly isSpecial: boolean;
  /** The token is part of the first call's header. */
  readonly isHeader: boolean;
  /** The first syntax that parses wins. */
  readonly syntaxes: readonly Syntax[];
}

type Token = string | RegExp;

/** The pattern for a token as written. Leaks double its bars and turn underscores into spaces. */
export function tokenPattern(token: Token): string {
  if (typeof token !== "string") return token.source;
  const spaced = token.replace(/[[\](){}.*+?^$\\]/g, "\\$&").replaceAll("_", "[_ ]");
  return spaced.replaceAll("|", "\\|{1,2}");
}

const opening =
  (isSpecial: boolean, isHeader = false) =>
  (token: Token, ...syntaxes: readonly Syntax[]): Opening => {
    return { token: tokenPattern(token), isSpecial, isHeader, syntaxes };
  };
const special = opening(true);
const specialHeader = opening(true, true);
const tag = opening(false);
const tagHeader = opening(false, true);

const syntax = (family: string, items: ItemReader, end?: Token, more: Partial<Syntax> = {}): Syntax => {
  return {
    family,
    items,
    close: end === undefined ? undefined : new RegExp(tokenPattern(end), "y"),
    ...more,
  };
};
const json = (family: string, end?: Token, more?: Partial<Syntax>) => syntax(family, jsonItems(), end, more);
const python = (family: string, end?: Token, more?: Partial<Syntax>) =>
  syntax(family, pythonItems, end, more);
const named = (family: string, call: Named, end?: Token, more?: Partial<Syntax>) =>
  syntax(family, namedItems(call), end, more);
const optional = { isCloseOptional: true };
const weak = { isWeak: true };

/** Patterns with parts, which are themselves patterns. */
const pattern =
  (flags: string) =>
  (strings: TemplateStringsArray, ...parts: string[]) =>
    new RegExp(String.raw(strings, ...parts), flags);
const sticky = pattern("y");
const global = pattern("g");

/**
 * `<function=NAME>` with JSON, or with `<parameter=KEY>` children. Groq's Llama may lose the `>`, or write
 * `=`, `,`, `[]` or a bracket in its place.
 */
const functionJson: Named = {
  header: /<function=["']?(?<name>[^\s<>{}"'=,([]{1,128})["']?[ \t]{0,8}(?:\[\]|[>=,(]){0,3}(?=\s{0,20}\{)/y,
  notation: literal,
  close: /\)?<\/?function>/y,
};
const functionTags: Named = {
  header: /<function=["']?(?<name>[^\s<>{}"']{1,128})["']?[ \t]{0,8}>/y,
  parameter: [
    /\s*<parameter=([^>\n]{1,128})>/y,
    /<\/parameter>/g,
    /<parameter=|<\/function>|<\/(?:seed:)?tool_call>/g,
  ],
  close: /<\/function>/y,
};

/** `<invoke name="NAME">` with `<parameter name="KEY">` children, or with JSON. */
const invoke = (prefix: string, before = "", after = ""): Named => ({
  header: sticky`${before}<${prefix}invoke\s+name=["'](?<name>[^"'<>\n]{1,128})["'][^>\n]{0,80}>`,
  notation: literal,
  parameter: [
    sticky`\s*<${prefix}parameter\s+name=["']([^"'<>\n]{1,128})["'](?:\s+string=["'](true|false)["'])?[^>\n]{0,80}>`,
    global`</${prefix}parameter>`,
    global`<${prefix}parameter\s|</${prefix}(?:invoke|function_calls|tool_calls?|calls)>`,
  ],
  close: sticky`</${prefix}invoke>${after}`,
});
/** V4.1 has a space after the bars. */
const dsml = invoke("\\|{1,2}DSML\\|{1,2} ?");
const dsmlEnd = /<\/\|{1,2}DSML\|{1,2} ?(?:function_calls|tool_calls|calls)>/;
/** MiniMax puts its namespace on the wrapper only; Step-3 and Claude put one on every tag. */
const namespaced = invoke("(?:[a-z]{1,12}:)?");
const namespacedEnd = /<\/(?:[a-z]{1,12}:)?function_calls>/;

/** GLM and LongCat: the name, then alternating `<arg_key>` and `<arg_value>`; GLM may write `\\n` between. */
const keyValues = (prefix: string): Named => ({
  header: /(?<name>[^\s<>{}"'`[\]\\]{1,128})/y,
  isProseLike: true,
  parameter: [
    sticky`(?:\s|\\n)*<${prefix}arg_key>([^<>]{1,200})</${prefix}arg_key>(?:\s|\\n)*<${prefix}arg_value>`,
    global`</${prefix}arg_value>`,
    global`<${prefix}arg_key>|</${prefix}tool_call>`,
  ],
  close: sticky`</${prefix}tool_call>`,
});

/** DeepSeek, Kimi, Step-3: a section of calls, each with header and separator; its begin may be lost. */
const sectionBegin = String.raw`<\|{1,2}tool[_ ]calls[_ ](?:section[_ ])?begin\|{1,2}>`;
const begins = String.raw`(?:${sectionBegin}\s{0,8})?(?:${tokenPattern("<|tool_call_begin|>")}\s{0,8})?`;
const callEnd = tokenPattern("<|tool_call_end|>");
const separator = String.raw`\s{0,8}${tokenPattern("<|tool_sep|>")}\s{0,8}`;
const sectionOf = (family: string, call: Named) =>
  named(family, call, /<\|{1,2}tool[_ ]calls[_ ](?:section[_ ])?end\|{1,2}>/, optional);
const sectionCall = { notation: literal, close: sticky`${callEnd}`, raw: global`${callEnd}` };
const kimi = sticky`${begins}(?=(?<id>[^\s<]{1,160}))(?:functions\.)?(?<name>[^\s<:]{1,128})(?::\d{1,9})?\s{0,8}${tokenPattern("<|tool_call_argument_begin|>")}`;
/** The name stands before the first token that is left. */
const kimiRest = sticky`(?<=(?<![\w.-])(?<id>(?:functions\.)?(?<name>[\w.-]{1,128}):\d{1,9}))${tokenPattern("<|tool_call_argument_begin|>")}`;
const sections = [
  sectionOf("kimi-k2", { ...sectionCall, header: kimi }),
  sectionOf("step3", invoke("steptml:", `${begins}function${separator}`, `(?:\\s{0,8}${callEnd})?`)),
  sectionOf("deepseek-v3", {
    ...sectionCall,
    header: sticky`${begins}function${separator}(?<name>[^\s<>{}${"`"}]{1,128})\s{0,8}(?=${"`"}{3}|\{|$)`,
  }),
  sectionOf("deepseek-v31", {
    ...sectionCall,
    header: sticky`${begins}(?<name>[^\s<>{}]{1,128})${separator}`,
  }),
];

/** Kimi K3; a leak may have lost the `<|close|>` after a value. */
const kimi3: Named = {
  header:
    /<\|open\|>(?:tools(?:<\|sep\|><\|open\|>)?)?call tool="(?<name>[^"<>\n]{1,128})"[^<>\n]{0,80}<\|sep\|>/y,
  parameter: [
    /\s*<\|open\|>argument key="([^"<>\n]{1,128})"[^<>\n]{0,80}<\|sep\|>/y,
    /(?:<\|close\|>)?argument<\|sep\|>/g,
    /<\|open\|>|<\|close\|>(?:call|tools)/g,
  ],
  close: /\s*(?:<\|close\|>)?call<\|sep\|>/y,
};
const kimi3End = /(?:<\|close\|>)?tools(?:message)?(?:<\|sep\|>)?/;

/** The recipient is in the role or in the channel; leaked text lacks some or all of the tokens. */
const inHeader = String.raw`(?!<\|(?:message|end|call|return)\|>)[^{`;
const recipient = String.raw`to=(?!assistant|user\b|all\b)(?<name>[^\s<{]{1,128})(?=[\s<{])`;
const harmony: Named = {
  header: sticky`(?:(?!to=)${inHeader}\n]){0,200}${recipient}(?:${inHeader}]){0,120}(?:<\|message\|>|(?=\{))`,
  notation: literal,
  raw: /<\|(?:call|end|return)\|>/g,
};
/** Names before JSON. */
const before = (header: RegExp, more: Partial<Named> = {}): Named => ({ header, notation: literal, ...more });
const mistral = before(
  /(?<name>[^\s<>{}"'[\]]{1,128})\s{0,4}(?:\[CALL_ID\]\s{0,4}(?<id>[\w-]{1,64})\s{0,4})?(?:\[ARGS\]|(?=\s{0,4}\{))/y,
);
const functionaryV2 = before(/(?!all\b)(?<name>[^\s<>{}"']{1,128})\s{0,8}<\|content\|>/y);
const functionaryV3 = before(/>>>(?<name>[^\s<>{}"'()]{1,128})[ \t]{0,8}\r?\n(?=\{)/y);
const qwenAgent = before(/✿FUNCTION✿[:：][ \t]{0,8}(?<name>[^\s<>{}"'✿]{1,128})\s{0,8}✿ARGS✿[:：]/y);
const react = before(
  /Action:[ \t]{0,8}(?<name>[^\s"'`<>{}()]{1,128})[ \t]{0,8}\r?\n[ \t]{0,8}Action Input:/y,
  { raw: /\r?\n|(?![\s\S])/g },
);
/** @see https://github.com/waybarrios/vllm-mlx/pull/15 */
const calling = before(/\[Calling tool: (?<name>[^\s<>{}"'()]{1,128})\((?=\s{0,8}\{)/y, { close: /\)\]/y });
/**
 * MiniMax with a lost namespace, in arrows and options: `{tool => "ls", args => { --path "." }}`.
 * @see https://github.com/Mintplex-Labs/anything-llm/issues/4675
 */
const arrows: Named = {
  header:
    /\{\s{0,8}tool\s{0,4}=>\s{0,4}["“](?<name>[^\s"”<>{}]{1,128})["”],?\s{0,8}args\s{0,4}=>\s{0,4}(?=\{)/y,
  parameter: [
    /(?:\{)?\s{0,8}(?:--|[–—])([\w.-]{1,128})[ \t]{1,8}["“]?/y,
    /["”]?\s{0,8}(?=(?:--|[–—])[A-Za-z]|\}\s{0,8}\})/g,
    /\[\/TOOL_CALL\]/g,
  ],
  close: /\{?\s{0,8}\}\s{0,8}\}/y,
};
const gemmaCall: Named = { header: /call:(?<name>[^\s<>{}"']{1,128})\s{0,4}(?=\{)/y, notation: gemma };
/** `<read_file><path>x</path></read_file>`: the element is the tool, its children are the parameters. */
/** A model puts its thoughts into such tags; only parameters in them make a call of a tool of that name. */
const element: Named = {
  header: /<(?!think(?:ing)?>\s{0,16}(?!\s|<[A-Za-z_]))(?<name>[A-Za-z_][\w-]{0,63})>/y,
  parameter: [/\s*<([\w-]{1,64})>/y, "</KEY>", "</NAME>"],
  isForDeclared: true,
  close: /<\/[\w-]{1,64}>/y,
};
const defaultApi = { affix: /^default_api\./, ...weak };

/** Syntaxes as the parsers of vLLM, SGLang, mlx-lm, Ollama and llama.cpp read them. The first match wins. */
export const openings: readonly Opening[] = [
  tag(
    "<tool_call>",
    json("hermes", "</tool_call>"),
    named("llama3-function-tag", functionJson, "</tool_call>"),
    named("qwen3-coder", functionTags, "</tool_call>"),
    named("glm45", keyValues("")),
  ),
  // The end tag of a wrapper belongs to the call even if the begin tag was lost.
  tagHeader(
    "<function=",
    named("llama3-function-tag", functionJson),
    named("qwen3-coder", functionTags, "</tool_call>", optional),
  ),
  special("<seed:tool_call>", named("seed-oss", functionTags, "</seed:tool_call>")),
  special(
    "<longcat_tool_call>",
    json("longcat", "</longcat_tool_call>"),
    named("longcat", keyValues("longcat_")),
  ),
  special("[TOOL_CALLS]", json("mistral-v3"), named("mistral-v11", mistral)),
  special(
    "<|python_tag|>",
    json("llama3-json", /<\|e[om][tm]_id\|>/, optional),
    python("llama3-builtin", /<\|e[om][tm]_id\|>/, { affix: /\.call$/, ...optional }),
  ),
  special(
    "<|python_start|>",
    json("llama3-json", "<|python_end|>", optional),
    python("pythonic", "<|python_end|>"),
  ),
  special("<|tool_call_start|>", json("lfm2", "<|tool_call_end|>"), python("lfm2", "<|tool_call_end|>")),
  special(/<\|{1,2}DSML\|{1,2} ?function_calls>/, named("deepseek-v32", dsml, dsmlEnd)),
  special(/<\|{1,2}DSML\|{1,2} ?(?:tool_)?calls>/, named("deepseek-v4", dsml, dsmlEnd)),
  specialHeader(/<\|{1,2}DSML\|{1,2} ?invoke /, named("deepseek-v32", dsml, dsmlEnd, optional)),
  special("<minimax:tool_call>", named("minimax-m2", namespaced, "</minimax:tool_call>")),
  specialHeader("<steptml:invoke ", named("step3", namespaced)),
  tag(
    /<(?:[a-z]{1,12}:)?function_calls>/,
    named("claude-legacy", namespaced, namespacedEnd),
    python("olmo3", namespacedEnd),
  ),
  tagHeader(/<(?:[a-z]{1,12}:)?invoke /, named("claude-legacy", namespaced, namespacedEnd, optional)),
  specialHeader(/<\|{1,2}tool[_ ]calls?[_ ](?:section[_ ])?begin\|{1,2}>/, ...sections),
  // A parser that looks for the begin tokens takes them away and leaves the rest.
  specialHeader("<|tool_call_argument_begin|>", sectionOf("kimi-k2", { ...sectionCall, header: kimiRest })),
  specialHeader(
    /<\|open\|>(?:tools(?:<\|sep\|><\|open\|>)?)?call tool="/,
    named("kimi-k3", kimi3, kimi3End, optional),
  ),
  tag("<tool_calls>", json("minimax-m1", "</tool_calls>")),
  special(/<\|tool_call\|>(?=[^<]{0,400}<\|\/tool_call\|>)/, json("phi-4", "<|/tool_call|>")),
  special("<|tool_call|>", json("granite3", "<|/tool_call|>", optional)),
  special("<|tool_call>", named("gemma4", gemmaCall, "<tool_call|>")),
  // A parser that takes special tokens away leaves the rest.
  tagHeader(/(?<![\w:/-])call:(?=[A-Za-z_][\w.-]{0,127}\{)/, named("gemma4", gemmaCall, undefined, weak)),
  special("<start_function_call>", named("functiongemma", gemmaCall, "<end_function_call>")),
  // The same tags enclose the definitions of tools, which have no arguments.
  tag(
    /<tools>(?=\s{0,8}\[?\s{0,8}\{\s{0,8}"name"\s{0,4}:\s{0,4}"[^"\n]{1,128}"\s{0,4},\s{0,8}"arguments")/,
    json("qwen2.5-coder", "</tools>"),
  ),
  tagHeader(/\[Calling tool: (?=\w)/, named("qwen3-bracket", calling)),
  tag("<function_call>", json("granite-20b-fc", "</function_call>", optional)),
  // The fine-tunes on Glaive's data; some put the object into the tag.
  tag(/<functioncall(?:>|(?= {0,2}\{))/, json("glaive", /(?:<\/functioncall)?>|<\|endoftext\|>/, optional)),
  tag("<TOOLCALL>", json("nemotron-json", "</TOOLCALL>")),
  special("<|START_ACTION|>", json("command-r7b", "<|END_ACTION|>")),
  special(/<\|action_start\|>\s{0,8}(?:<\|plugin\|>)?/, json("internlm2", "<|action_end|>")),
  special("<|tools_prefix|>", json("apertus", "<|tools_suffix|>", { items: jsonItems(byName) })),
  special("function call<|role_sep|>", json("gigachat3")),
  special("<|recipient|>", named("functionary-v2", functionaryV2)),
  tagHeader(
    /(?<!>)>>>(?=[\w.-]{1,128}[ \t]{0,8}\r?\n\{)/,
    named("functionary-v3.2", functionaryV3, undefined, weak),
  ),
  specialHeader(
    /<\|start\|>assistant|<\|channel\|>|assistant(?:commentary|analysis) to=|to=(?:functions|multi_tool_use)\./,
    named("harmony", harmony, /<\|(?:call|end|return)\|>/, { affix: /^functions\.(?=.)/, ...optional }),
  ),
  tag("[TOOL_CALL]", named("minimax-arrow", arrows, "[/TOOL_CALL]"), json("minimax-arrow", "[/TOOL_CALL]")),
  tag(/functools(?=\[)/, json("firefunction", undefined, weak)),
  tagHeader(/✿FUNCTION✿[:：]/, named("qwen-agent", qwenAgent)),
  tag(/^Action:[ \t]{0,8}(?=`{3})/, json("command-r", undefined, weak)),
  tagHeader(/^Action:[ \t]{0,8}(?=\w)/, named("react", react, undefined, weak)),
  tag(/^[ \t]{0,8}`{3}tool_code(?:[ \t]{0,8}\r?\n)?/, python("gemma-tool-code", "```", defaultApi)),
  tagHeader(/(?:print\()?default_api\.(?=\w)/, python("gemma-tool-code", undefined, defaultApi)),
  tagHeader(/<[A-Za-z_][\w-]{0,63}>/, named("prompt-xml-tools", element)),
];

/** Calls without a token: valid only as a whole message. A closing tag may remain without its opening tag. */
export const bareSyntaxes: readonly Syntax[] = [
  syntax("openai-json-leak", jsonItems(bareCalls), "</tool_call>", optional),
  python("pythonic", undefined, weak),
  // Groq's `failed_generation`, and Mistral without its first token.
  named("llama3-function-tag", before(/(?<name>[A-Za-z_][\w.-]{0,127})(?=\{)/y, { close: /<\/function>/y })),
  named("mistral-v11", before(/(?<name>[A-Za-z_][\w.-]{0,127})\[ARGS\]/y)),
];

/** Text in a system prompt that teaches a syntax, if not its begin token. `{}`: the tool's name. */
export const marks: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  "qwen3-coder": ["<function="],
  glm45: ["<arg_key>"],
  pythonic: [/\[\w{1,64}\(/],
  react: ["Action Input"],
  "command-r": ["Action:", "tool_name"],
  "gemma-tool-code": ["tool_code"],
  "prompt-xml-tools": ["<{}>"],
  "llama3-json": ['"name"', '"parameters"'],
  "openai-json-leak": ['"name"', '"arguments"'],
  xlam: ['"name"', '"arguments"'],
  "minja-generic": ['"tool_call"'],
  multi_tool_use: ["multi_tool_use"],
};
