import type { RefusalFacts, RefusalText } from "../refusals.ts";
import { fields, list, string, valueText } from "../wire.ts";
import { takesNoSampling } from "./sampling.ts";
import { blockAt, validatorPath } from "./validator-paths.ts";

/** A value that Anthropic refuses at a place, with its words. */
function limit(
  at: RegExp,
  text: string,
  more: Pick<RefusalText, "stage" | "values" | "fits"> = {},
): RefusalText {
  const { fits, values } = more;
  return {
    rule: "invalid-request",
    kinds: ["limit"],
    text,
    ...(more.stage && { stage: more.stage }),
    fits: (facts) => at.test(facts.pointer) && (fits?.(facts) ?? true),
    values: (facts) => ({ path: validatorPath(facts.pointer, facts), ...values?.(facts) }),
  };
}

/** Pydantic's own words for a limit of one value. */
function bound(at: RegExp, words: string, fits?: RefusalText["fits"]): RefusalText {
  return limit(at, `{path}: ${words}`, { stage: "shape", ...(fits && { fits }) });
}

const thinks = ({ body }: RefusalFacts): boolean => fields(body["thinking"])["type"] === "enabled";

const seenText = (facts: RefusalFacts): string => valueText(facts.data["seen"]).replace(/^"|"$/g, "");

/** The name of a tool at a place is that of an earlier tool. */
function isRepeated({ pointer, body }: RefusalFacts): boolean {
  const names = list(body["tools"]).map((tool) => string(fields(tool)["name"]));
  const at = Number(pointer.split("/")[2]);
  return names.slice(0, at).includes(names[at]);
}

const thinkingGuide = "https://docs.claude.com/en/docs/build-with-claude/extended-thinking";

const settings: readonly RefusalText[] = [
  // @see https://platform.claude.com/docs/en/build-with-claude/extended-thinking
  limit(/^\/tool_choice\/type$/, "Thinking may not be enabled when tool_choice forces tool use.", {
    fits: thinks,
  }),
  // @see https://platform.claude.com/docs/en/models/sonnet-5-5/migration-guide
  limit(/^\/tool_choice\/type$/, 'tool_choice: type "tool" and "any" are not supported for this model.'),
  // @see https://openrouter.ai/docs/cookbook/evaluate-and-optimize/model-migrations/claude-5-5
  limit(
    /^\/thinking\/type$/,
    '"thinking.type.{mode}" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    { values: (facts) => ({ mode: seenText(facts) }) },
  ),
  limit(/^\/tool_choice\/name$/, "Tool '{name}' not found in provided tools", {
    values: (facts) => ({ name: seenText(facts) }),
  }),
  limit(
    /^\/temperature$/,
    `\`temperature\` may only be set to 1 when thinking is enabled. Please consult our documentation at ${thinkingGuide}#important-considerations-when-using-extended-thinking`,
    { fits: thinks },
  ),
  limit(/^\/(?:temperature|top_k)$/, "`{path}` is deprecated for this model.", {
    fits: ({ body }) => takesNoSampling(string(body["model"])),
  }),
  limit(
    /^\/top_p$/,
    "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
  ),
  limit(
    /^\/max_tokens$/,
    `\`max_tokens\` must be greater than \`thinking.budget_tokens\`. Please consult our documentation at ${thinkingGuide}#max-tokens-and-context-window-size`,
  ),
  // @see https://github.com/themaximalist/llm.js/issues/30
  bound(/^\/thinking\/budget_tokens$/, "Input should be greater than or equal to 1024"),
  {
    rule: "invalid-request",
    kinds: ["alone"],
    text: "tool_choice.any may only be specified while providing tools",
  },
];

const tools: readonly RefusalText[] = [
  // @see https://github.com/danny-avila/LibreChat/issues/13162
  limit(/^\/tools\/\d+\/name$/, "tools: Tool names must be unique.", { fits: isRepeated }),
  bound(/^\/tools\/\d+\/name$/, "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"),
  limit(
    /^\/tools\/\d+\/input_schema\/properties\/[^/]+$/,
    "{path}: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
    {
      stage: "shape",
      fits: ({ data }) => !/^\{|a schema/.test(valueText(data["wanted"])),
      values: (facts) => ({ path: validatorPath(facts.pointer.replace(/\/[^/]+$/, ""), facts) }),
    },
  ),
  // @see https://github.com/anthropics/claude-code/issues/86664
  limit(
    /^\/tools\/\d+\/input_schema/,
    "{path}: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview.",
    {
      stage: "shape",
      values: (facts) => ({ path: validatorPath(facts.pointer.replace(/(\/input_schema).*/, "$1"), facts) }),
    },
  ),
];

const blocks: readonly RefusalText[] = [
  // @see https://github.com/tghamm/Anthropic.SDK/issues/128
  limit(
    /^\/messages\/\d+\/content\/\d+\/type$/,
    "messages.{index}: `{type}` blocks can only be in `{role}` messages",
    {
      values: (facts) => {
        const type = valueText(blockAt(facts)["type"]);
        return { type, role: type === "tool_result" ? "user" : "assistant" };
      },
    },
  ),
  // @see https://github.com/tghamm/Anthropic.SDK/issues/50
  limit(/\/cache_control$/, "A maximum of 4 blocks with cache_control may be provided. Found {count}.", {
    values: ({ data }) => ({ count: /(?<!\d)(\d+)$/.exec(valueText(data["seen"]))?.[1] ?? "5" }),
  }),
  bound(
    /^\/messages\/\d+\/content\/\d+\/name$/,
    "String should have at most 200 characters",
    (facts) => (string(blockAt(facts)["name"]) ?? "").length > 200,
  ),
  bound(/^\/messages\/\d+\/content\/\d+\/name$/, "String should have at least 1 character"),
  {
    // @see https://github.com/anthropics/claude-code/issues/8165
    rule: "invalid-request",
    kinds: ["text"],
    stage: "shape",
    text: "The request body is not valid JSON: no low surrogate in string: line 1 column {column} (char {char})",
    values: ({ body }) => {
      const at = JSON.stringify(body).search(/\\ud[89a-f]/i);
      return { column: String(at + 1), char: String(at) };
    },
  },
];

/** What Anthropic says of settings, tools and blocks that are well-formed each for itself. */
export const settingTexts: readonly RefusalText[] = [...settings, ...tools, ...blocks];
