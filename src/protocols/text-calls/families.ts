import { callsByName, type Envelope, readJsonCalls } from "./json-calls.ts";
import { type PythonEnvelope, readGemmaCall, readPythonCalls, readPythonOrJson } from "./python-calls.ts";
import { matchAt, type Page, type Reading, type Span } from "./text-call.ts";
import {
  readBareMistral,
  readFunctionaryV2,
  readFunctionaryV3,
  readHarmony,
  readMistral,
  readQwenAgent,
  readReact,
  readSection,
} from "./token-calls.ts";
import {
  dsml,
  namespaced,
  readFunctionTags,
  readInvokes,
  readLongcat,
  readToolCallTag,
  readToolElement,
} from "./xml-calls.ts";

/** A token that can begin a call, and how to read on from there. */
interface Opening {
  /** Matches in the text with plain bars. No groups; no more than a few characters to backtrack over. */
  readonly token: string;
  /** The token belongs to a model's vocabulary and to nothing else, so that whatever reads as a call is one. */
  readonly isSpecial?: boolean;
  /** The syntax is one that only a declared tool's name can begin. */
  readonly isForDeclared?: boolean;
  readonly read: (page: Page, span: Span) => Reading;
}

const json =
  (envelope: Envelope) =>
  (page: Page, { start, end }: Span) =>
    readJsonCalls(page, start, end, envelope);

const python =
  (envelope: PythonEnvelope) =>
  (page: Page, { start, end }: Span) =>
    readPythonOrJson(page, start, end, envelope);

const gemma =
  (family: string, close: RegExp) =>
  (page: Page, { start, end }: Span) =>
    readGemmaCall(page, start, end, family, close);

const invokes =
  (family: string, dialect: typeof dsml, isOpened: boolean) =>
  (page: Page, { start, end }: Span) =>
    readInvokes(page, start, isOpened ? end : start, family, dialect, isOpened);

/** The first opening that matches at a place wins. Syntax as servers' parsers read it (vLLM, SGLang, mlx-lm, Ollama, llama.cpp). */
export const openings: readonly Opening[] = [
  { token: "<tool_call>", read: readToolCallTag },
  { token: "<function=", read: (page, { start }) => readFunctionTags(page, start, start, "qwen3-coder") },
  {
    token: "<seed:tool_call>",
    isSpecial: true,
    read: (page, { start, end }) => readFunctionTags(page, start, end, "seed-oss", /<\/seed:tool_call>/y),
  },
  { token: "<longcat_tool_call>", isSpecial: true, read: readLongcat },
  { token: "\\[TOOL_CALLS\\]", isSpecial: true, read: readMistral },
  { token: "\\[ARGS\\](?=\\s{0,4}\\{)", isSpecial: true, read: readBareMistral },
  {
    token: "<\\|python_tag\\|>",
    isSpecial: true,
    read: (page, { start, end }) =>
      matchAt(/\s*[[{]/y, page.text, end)
        ? readJsonCalls(page, start, end, {
            family: "llama3-json",
            close: /<\|e[om][tm]_id\|>/y,
            isCloseOptional: true,
          })
        : readPythonCalls(page, start, end, { family: "llama3-builtin", isMethod: true }),
  },
  {
    token: "<\\|python_start\\|>",
    isSpecial: true,
    read: python({ family: "pythonic", close: /<\|python_end\|>/y }),
  },
  {
    token: "<\\|tool_call_start\\|>",
    isSpecial: true,
    read: python({ family: "lfm2", close: /<\|tool_call_end\|>/y }),
  },
  {
    token: "<(?:[a-z]{1,12}:)?function_calls>",
    read: (page, { start, end }) =>
      readInvokes(page, start, end, "claude-legacy", namespaced, true) ??
      readPythonCalls(page, start, end, { family: "olmo3", close: /<\/function_calls>/y }),
  },
  {
    token: "<\\|{1,2}DSML\\|{1,2} ?function_calls>",
    isSpecial: true,
    read: invokes("deepseek-v32", dsml, true),
  },
  {
    token: "<\\|{1,2}DSML\\|{1,2} ?(?:tool_)?calls>",
    isSpecial: true,
    read: invokes("deepseek-v4", dsml, true),
  },
  { token: "<\\|{1,2}DSML\\|{1,2} ?invoke ", isSpecial: true, read: invokes("deepseek-v32", dsml, false) },
  { token: "<minimax:tool_call>", isSpecial: true, read: invokes("minimax-m2", namespaced, true) },
  { token: "<steptml:invoke ", isSpecial: true, read: invokes("step3", namespaced, false) },
  { token: "<(?:[a-z]{1,12}:)?invoke ", read: invokes("claude-legacy", namespaced, false) },
  { token: "<\\|{1,2}tool[_ ]calls[_ ](?:section[_ ])?begin\\|{1,2}>", isSpecial: true, read: readSection },
  {
    token: "<\\|{1,2}tool[_ ]call[_ ]begin\\|{1,2}>",
    isSpecial: true,
    read: (page, { start }) => readSection(page, { start, end: start }),
  },
  { token: "<tool_calls>", read: json({ family: "minimax-m1", close: /<\/tool_calls>/y }) },
  {
    token: "<\\|tool_call\\|>",
    isSpecial: true,
    read: (page, span) => {
      const phi = json({ family: "phi-4", close: /<\|\/tool_call\|>/y })(page, span);
      return phi?.calls.at(-1)?.isClosed ? phi : json({ family: "granite3" })(page, span);
    },
  },
  { token: "<\\|tool_call>", isSpecial: true, read: gemma("gemma4", /<tool_call\|>/y) },
  { token: "<start_function_call>", isSpecial: true, read: gemma("functiongemma", /<end_function_call>/y) },
  {
    token: "<function_call>",
    read: json({ family: "granite-20b-fc", close: /<\/function_call>/y, isCloseOptional: true }),
  },
  { token: "<TOOLCALL>", read: json({ family: "nemotron-json", close: /<\/TOOLCALL>/y }) },
  {
    token: "<\\|START_ACTION\\|>",
    isSpecial: true,
    read: json({ family: "command-r7b", close: /<\|END_ACTION\|>/y }),
  },
  {
    token: "<\\|action_start\\|>\\s{0,8}(?:<\\|plugin\\|>)?",
    isSpecial: true,
    read: json({ family: "internlm2", close: /<\|action_end\|>/y }),
  },
  {
    token: "<\\|tools_prefix\\|>",
    isSpecial: true,
    read: json({ family: "apertus", close: /<\|tools_suffix\|>/y, calls: callsByName }),
  },
  { token: "function call<\\|role_sep\\|>", isSpecial: true, read: json({ family: "gigachat3" }) },
  { token: "<\\|recipient\\|>", isSpecial: true, read: readFunctionaryV2 },
  { token: "(?<!>)>>>(?=[A-Za-z_])", read: readFunctionaryV3 },
  { token: "<\\|start\\|>assistant", isSpecial: true, read: readHarmony },
  { token: "<\\|channel\\|>", isSpecial: true, read: readHarmony },
  { token: "assistant(?:commentary|analysis) to=", isSpecial: true, read: readHarmony },
  {
    token: "(?:(?:commentary|analysis) )?to=(?:functions|multi_tool_use)\\.",
    isSpecial: true,
    read: readHarmony,
  },
  { token: "functools(?=\\[)", read: json({ family: "firefunction", isWeak: true }) },
  { token: "✿FUNCTION✿[:：]", read: readQwenAgent },
  { token: "^Action:[ \\t]{0,8}(?=`{3})", read: json({ family: "command-r", isWeak: true }) },
  { token: "^Action:[ \\t]{0,8}(?=\\w)", read: readReact },
  {
    token: "^[ \\t]{0,8}`{3}tool_code[ \\t]{0,8}\\r?\\n",
    read: (page, { start, end }) =>
      readPythonCalls(page, start, end, {
        family: "gemma-tool-code",
        close: /`{3}/y,
        isCode: true,
        isWeak: true,
      }),
  },
  {
    token: "(?:print\\()?default_api\\.(?=\\w)",
    read: (page, { start }) =>
      readPythonCalls(page, start, start, { family: "gemma-tool-code", isCode: true, isWeak: true }),
  },
  { token: "<[A-Za-z_][\\w-]{0,63}>", isForDeclared: true, read: readToolElement },
];

/**
 * What a system prompt that teaches a family's syntax contains: all of the marks. The keys are the families that
 * {@link TextCall.family} can name. `{}` stands for the name of the tool.
 */
export const marks: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  hermes: ["<tool_call>"],
  "qwen3-coder": ["<function=", "<parameter="],
  "seed-oss": ["<seed:tool_call>"],
  glm45: ["<arg_key>"],
  longcat: ["<longcat_tool_call>"],
  "mistral-v3": ["[TOOL_CALLS]"],
  "mistral-v11": ["[TOOL_CALLS]"],
  "llama3-json": ['"name"', '"parameters"'],
  "llama3-builtin": [".call("],
  "llama3-function-tag": ["<function="],
  pythonic: [/\[\w{1,64}\(/],
  lfm2: ["<|tool_call_start|>"],
  olmo3: ["<function_calls>"],
  "deepseek-v3": ["<|tool_calls_begin|>"],
  "deepseek-v31": ["<|tool_calls_begin|>"],
  "deepseek-v32": ["DSML"],
  "deepseek-v4": ["DSML"],
  "kimi-k2": ["<|tool_calls_section_begin|>"],
  "minimax-m1": ["<tool_calls>"],
  "minimax-m2": ["<minimax:tool_call>"],
  "claude-legacy": [/<(?:[a-z]{1,12}:)?invoke /],
  step3: ["<steptml:"],
  granite3: ["<|tool_call|>"],
  "granite-20b-fc": ["<function_call>"],
  "command-r": ["Action:", "tool_name"],
  "command-r7b": ["<|START_ACTION|>"],
  "functionary-v3.2": [">>>"],
  "functionary-v2": ["<|recipient|>"],
  firefunction: ["functools["],
  "phi-4": ["<|tool_call|>"],
  xlam: ['"name"', '"arguments"'],
  internlm2: ["<|action_start|>"],
  "nemotron-json": ["<TOOLCALL>"],
  functiongemma: ["<start_function_call>"],
  gemma4: ["<|tool_call>"],
  "gemma-tool-code": ["tool_code"],
  apertus: ["<|tools_prefix|>"],
  gigachat3: ["<|role_sep|>"],
  harmony: ["<|channel|>"],
  "qwen-agent": ["✿FUNCTION✿"],
  react: ["Action Input"],
  "prompt-xml-tools": ["<{}>"],
  "openai-json-leak": ['"name"', '"arguments"'],
  multi_tool_use: ["multi_tool_use"],
  "minja-generic": ['"tool_call"'],
};
