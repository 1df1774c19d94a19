import { callsByName } from "./json.ts";
import {
  elementItems,
  jsonItems,
  type Named,
  namedItems,
  type Parameter,
  pythonItems,
  type Syntax,
} from "./reading.ts";
import { gemma } from "./values.ts";

/** A token that can begin a call. */
interface Opening {
  /** Matches in the text with plain bars, on any line (`m`). No groups, and nothing to backtrack over but a few characters. */
  readonly token: string;
  /** The token is of a model's vocabulary and of nothing else, so that whatever reads as a call behind it is one. */
  readonly isSpecial: boolean;
  /** The token is part of the first call's header. */
  readonly isHeader: boolean;
  /** The first that can be read is it. */
  readonly syntaxes: readonly Syntax[];
}

const opening =
  (isSpecial: boolean, isHeader: boolean) =>
  (token: string, ...syntaxes: readonly Syntax[]): Opening => ({ token, isSpecial, isHeader, syntaxes });
const special = opening(true, false);
const specialHeader = opening(true, true);
const tag = opening(false, false);
const tagHeader = opening(false, true);

const json = (family: string, close?: RegExp, more: Partial<Syntax> = {}): Syntax => ({
  family,
  items: jsonItems(),
  ...(close ? { close } : {}),
  ...more,
});
const python = (family: string, close?: RegExp, more: Partial<Syntax> = {}): Syntax => ({
  ...json(family, close, more),
  items: pythonItems,
});
const named = (family: string, syntax: Named, more: Partial<Syntax> = {}): Syntax => ({
  family,
  items: namedItems(syntax),
  ...more,
});
const optional = { isCloseOptional: true };
const weak = { isWeak: true };

/** `<function=NAME>` with `<parameter=KEY>` children, or with JSON (where Groq's Llama loses the `>`). */
const functionHeader = /<function=["']?(?<name>[^\s<>{}"']{1,128})["']?[ \t]{0,8}(?:>|(?=\{))/y;
const functionJson: Named = {
  header: new RegExp(`${functionHeader.source}(?=\\s{0,20}\\{)`, "y"),
  close: /<\/?function>/y,
};
const functionTags: Named = {
  header: functionHeader,
  notation: "none",
  parameter: {
    open: /\s*<parameter=([^>\n]{1,128})>/y,
    close: /<\/parameter>/g,
    stop: /<parameter=|<\/function>|<\/(?:seed:)?tool_call>/g,
  },
  close: /<\/function>/y,
};

/** `<invoke name="NAME">` with `<parameter name="KEY">` children, or with JSON. */
function invoke(prefix: string, before = "", after = ""): Named {
  const wrapper = "(?:function_calls|tool_calls?|calls)";
  const attribute = `name=["'](?<name>[^"'<>\\n]{1,128})["']`;
  const parameter: Parameter = {
    open: new RegExp(
      `\\s*<${prefix}parameter\\s+${attribute.replace("?<name>", "")}(?:\\s+string=["'](true|false)["'])?[^>\\n]{0,80}>`,
      "y",
    ),
    close: new RegExp(`</${prefix}parameter>`, "g"),
    stop: new RegExp(`<${prefix}parameter\\s|</${prefix}(?:invoke|${wrapper})>`, "g"),
  };
  const header = new RegExp(`${before}<${prefix}invoke\\s+${attribute}[^>\\n]{0,80}>`, "y");
  return { header, parameter, close: new RegExp(`</${prefix}invoke>${after}`, "y") };
}
/** Also with doubled bars, and with a space behind them (V4.1). */
const dsmlBars = "\\|{1,2}DSML\\|{1,2} ?";
const dsml = invoke(dsmlBars);
const dsmlClose = new RegExp(`</${dsmlBars}(?:function_calls|tool_calls|calls)>`, "y");
/** MiniMax has its namespace on the wrapper only; Step-3 and Claude have one on every tag. */
const namespaced = invoke("(?:[a-z]{1,12}:)?");

/** GLM and LongCat: the name, then `<arg_key>` and `<arg_value>` in turn. */
const keyValues = (prefix: string): Named => ({
  header: /(?<name>[^\s<>{}"'`[\]]{1,128})/y,
  notation: "none",
  parameter: {
    open: new RegExp(`\\s*<${prefix}arg_key>([^<>]{1,200})</${prefix}arg_key>\\s*<${prefix}arg_value>`, "y"),
    close: new RegExp(`</${prefix}arg_value>`, "g"),
    stop: new RegExp(`<${prefix}arg_key>|</${prefix}tool_call>`, "g"),
  },
  close: new RegExp(`</${prefix}tool_call>`, "y"),
});

/** DeepSeek, Kimi and Step-3 have a section of calls, each with a header and a separator. */
const callBegin = "(?:<\\|{1,2}tool[_ ]call[_ ]begin\\|{1,2}>\\s{0,8})?";
const callEnd = "<\\|{1,2}tool[_ ]call[_ ]end\\|{1,2}>";
const separator = "\\s{0,8}<\\|{1,2}tool[_ ]sep\\|{1,2}>";
const callName = "(?<name>[^\\s<>{}`]{1,128})";
const sectionEnd = /<\|{1,2}tool[_ ]calls[_ ](?:section[_ ])?end\|{1,2}>/y;
const sectionCall = (header: string): Named => ({
  header: new RegExp(callBegin + header, "y"),
  close: new RegExp(callEnd, "y"),
  raw: new RegExp(callEnd, "g"),
});
const section = { close: sectionEnd, ...optional };
const sections: readonly Syntax[] = [
  named(
    "kimi-k2",
    sectionCall(
      "(?=(?<id>[^\\s<]{1,160}))(?:functions\\.)?(?<name>[^\\s<:]{1,128})(?::\\d{1,9})?\\s{0,8}" +
        "<\\|{1,2}tool[_ ]call[_ ]argument[_ ]begin\\|{1,2}>",
    ),
    section,
  ),
  named(
    "step3",
    invoke("steptml:", `${callBegin}function${separator}\\s{0,8}`, `(?:\\s{0,8}${callEnd})?`),
    section,
  ),
  named(
    "deepseek-v3",
    sectionCall(`function${separator}\\s{0,8}${callName}\\s{0,8}(?=\`{3}|\\{|$)`),
    section,
  ),
  named("deepseek-v31", sectionCall(callName + separator), section),
];

const notInHeader = "(?!<\\|(?:message|end|call|return)\\|>)";
const harmony = named(
  "harmony",
  {
    // The recipient stands in the role's or in the channel's part; leaks lose some or all of the tokens.
    header: new RegExp(
      `(?:${notInHeader}[^{\\n]){0,200}?to=(?!assistant|user\\b|all\\b)(?<name>[^\\s<{]{1,128})` +
        `(?:${notInHeader}[^{]){0,120}(?:<\\|message\\|>|(?=\\{))`,
      "y",
    ),
    raw: /<\|(?:call|end|return)\|>/g,
    isText: true,
  },
  { close: /<\|(?:call|end|return)\|>/y, affix: /^functions\.(?=.)/, ...optional },
);
const mistral = named("mistral-v11", {
  header:
    /(?<name>[^\s<>{}"'[\]]{1,128})\s{0,4}(?:\[CALL_ID\]\s{0,4}(?<id>[\w-]{1,64})\s{0,4})?(?:\[ARGS\]|(?=\s{0,4}\{))/y,
});
const react = {
  header: /Action:[ \t]{0,8}(?<name>[^\s"'`<>{}()]{1,128})[ \t]{0,8}\r?\n[ \t]{0,8}Action Input:/y,
  raw: /\r?\n|(?![\s\S])/g,
  isText: true,
};
const gemmaCall: Named = { header: /call:(?<name>[^\s<>{}"']{1,128})\s{0,4}(?=\{)/y, notation: gemma };
const functionCalls = /<\/(?:[a-z]{1,12}:)?function_calls>/y;

/** Syntax as servers' parsers read it (vLLM, SGLang, mlx-lm, Ollama, llama.cpp). The first that matches at a place wins. */
export const openings: readonly Opening[] = [
  tag(
    "<tool_call>",
    json("hermes", /<\/tool_call>/y),
    named("llama3-function-tag", functionJson, { close: /<\/tool_call>/y }),
    named("qwen3-coder", functionTags, { close: /<\/tool_call>/y }),
    named("glm45", keyValues("")),
  ),
  // The end of a wrapper whose begin was lost belongs to the call all the same.
  tagHeader(
    "<function=",
    named("llama3-function-tag", functionJson),
    named("qwen3-coder", functionTags, { close: /<\/tool_call>/y, ...optional }),
  ),
  special("<seed:tool_call>", named("seed-oss", functionTags, { close: /<\/seed:tool_call>/y })),
  special(
    "<longcat_tool_call>",
    json("longcat", /<\/longcat_tool_call>/y),
    named("longcat", keyValues("longcat_")),
  ),
  special("\\[TOOL_CALLS\\]", json("mistral-v3"), mistral),
  special(
    "<\\|python_tag\\|>",
    json("llama3-json", /<\|e[om][tm]_id\|>/y, optional),
    python("llama3-builtin", /<\|e[om][tm]_id\|>/y, { affix: /\.call$/, ...optional }),
  ),
  special("<\\|python_start\\|>", python("pythonic", /<\|python_end\|>/y)),
  special(
    "<\\|tool_call_start\\|>",
    json("lfm2", /<\|tool_call_end\|>/y),
    python("lfm2", /<\|tool_call_end\|>/y),
  ),
  special(`<${dsmlBars}function_calls>`, named("deepseek-v32", dsml, { close: dsmlClose })),
  special(`<${dsmlBars}(?:tool_)?calls>`, named("deepseek-v4", dsml, { close: dsmlClose })),
  specialHeader(`<${dsmlBars}invoke `, named("deepseek-v32", dsml, { close: dsmlClose, ...optional })),
  special("<minimax:tool_call>", named("minimax-m2", namespaced, { close: /<\/minimax:tool_call>/y })),
  specialHeader("<steptml:invoke ", named("step3", namespaced)),
  tag(
    "<(?:[a-z]{1,12}:)?function_calls>",
    named("claude-legacy", namespaced, { close: functionCalls }),
    python("olmo3", functionCalls),
  ),
  tagHeader(
    "<(?:[a-z]{1,12}:)?invoke ",
    named("claude-legacy", namespaced, { close: functionCalls, ...optional }),
  ),
  special("<\\|{1,2}tool[_ ]calls[_ ](?:section[_ ])?begin\\|{1,2}>", ...sections),
  specialHeader("<\\|{1,2}tool[_ ]call[_ ]begin\\|{1,2}>", ...sections),
  tag("<tool_calls>", json("minimax-m1", /<\/tool_calls>/y)),
  special("<\\|tool_call\\|>(?=[^<]{0,400}<\\|/tool_call\\|>)", json("phi-4", /<\|\/tool_call\|>/y)),
  special("<\\|tool_call\\|>", json("granite3", /<\|\/tool_call\|>/y, optional)),
  special("<\\|tool_call>", named("gemma4", gemmaCall, { close: /<tool_call\|>/y })),
  special("<start_function_call>", named("functiongemma", gemmaCall, { close: /<end_function_call>/y })),
  tag("<function_call>", json("granite-20b-fc", /<\/function_call>/y, optional)),
  tag("<TOOLCALL>", json("nemotron-json", /<\/TOOLCALL>/y)),
  special("<\\|START_ACTION\\|>", json("command-r7b", /<\|END_ACTION\|>/y)),
  special("<\\|action_start\\|>\\s{0,8}(?:<\\|plugin\\|>)?", json("internlm2", /<\|action_end\|>/y)),
  special("<\\|tools_prefix\\|>", json("apertus", /<\|tools_suffix\|>/y, { items: jsonItems(callsByName) })),
  special("function call<\\|role_sep\\|>", json("gigachat3")),
  special(
    "<\\|recipient\\|>",
    named("functionary-v2", { header: /(?!all\b)(?<name>[^\s<>{}"']{1,128})\s{0,8}<\|content\|>/y }),
  ),
  tagHeader(
    "(?<!>)>>>(?=[A-Za-z_])",
    named("functionary-v3.2", { header: />>>(?<name>[^\s<>{}"'()]{1,128})[ \t]{0,8}\r?\n(?=\{)/y }, weak),
  ),
  specialHeader("<\\|start\\|>assistant", harmony),
  specialHeader("<\\|channel\\|>", harmony),
  specialHeader("assistant(?:commentary|analysis) to=", harmony),
  specialHeader("(?:(?:commentary|analysis) )?to=(?:functions|multi_tool_use)\\.", harmony),
  tag("functools(?=\\[)", json("firefunction", undefined, weak)),
  tagHeader(
    "✿FUNCTION✿[:：]",
    named("qwen-agent", {
      header: /✿FUNCTION✿[:：][ \t]{0,8}(?<name>[^\s<>{}"'✿]{1,128})\s{0,8}✿ARGS✿[:：]/y,
    }),
  ),
  tag("^Action:[ \\t]{0,8}(?=`{3})", json("command-r", undefined, weak)),
  tagHeader("^Action:[ \\t]{0,8}(?=\\w)", named("react", react, weak)),
  tag(
    "^[ \\t]{0,8}`{3}tool_code[ \\t]{0,8}\\r?\\n",
    python("gemma-tool-code", /`{3}/y, { affix: /^default_api\./, ...weak }),
  ),
  tagHeader(
    "(?:print\\()?default_api\\.(?=\\w)",
    python("gemma-tool-code", undefined, { affix: /^default_api\./, ...weak }),
  ),
  tagHeader("<[A-Za-z_][\\w-]{0,63}>", { family: "prompt-xml-tools", items: elementItems }),
];

/** Calls that are a whole message, and no token of their own says so: Python, Groq's `failed_generation`, Mistral without its token. */
export const bareSyntaxes: readonly Syntax[] = [
  python("pythonic", undefined, weak),
  named(
    "llama3-function-tag",
    { header: /(?<name>[A-Za-z_][\w.-]{0,127})(?=\{)/y, close: /<\/function>/y },
    weak,
  ),
  named("mistral-v11", { header: /(?<name>[A-Za-z_][\w.-]{0,127})\[ARGS\]/y }, weak),
];

/** What a system prompt contains that teaches a syntax, where that is not the token that begins it. `{}` stands for the tool's name. */
export const marks: Readonly<Record<string, readonly string[]>> = {
  "qwen3-coder": ["<function="],
  glm45: ["<arg_key>"],
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
