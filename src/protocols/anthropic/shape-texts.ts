import { valueAt } from "../../reading/pointer.ts";
import type { RefusalFacts, RefusalText } from "../refusals.ts";
import { type Fields, fields, isFields, list, valueText } from "../wire.ts";
import { blockAt, blockPointer, validatorPath } from "./validator-paths.ts";

/** What Anthropic's validator says of one value, before anything is said of the history's order. */
function shape(text: Omit<RefusalText, "stage" | "values"> & Pick<RefusalText, "values">): RefusalText {
  const { values } = text;
  return {
    ...text,
    stage: "shape",
    values: (facts) => ({ path: validatorPath(facts.pointer, facts), ...values?.(facts) }),
  };
}

const missing = "{path}: Field required";
/** @see https://github.com/anthropics/claude-code/issues/6696 */
const noDictionary = "{path}: Input should be a valid dictionary";

/** The place of a member in a finding's object or block. */
function memberPath(facts: RefusalFacts, member: string): string {
  return validatorPath(`${facts.pointer}/${member}`, facts);
}

function blockMember(facts: RefusalFacts, member: string): string {
  return validatorPath(`${blockPointer(facts.pointer)}/${member}`, facts);
}

/** The pointer to the last call without an id before a result. */
function namelessCall({ body, index = 0 }: RefusalFacts): string | undefined {
  const messages = list(body["messages"]);
  for (let at = Math.min(index, messages.length) - 1; at >= 0; at--) {
    const blocks = list(fields(messages[at])["content"]);
    const call = blocks.findIndex((block) => isCall(block) && fields(block)["id"] === undefined);
    if (call >= 0) return `/messages/${at}/content/${call}`;
  }
  return undefined;
}

function isCall(block: unknown): boolean {
  return fields(block)["type"] === "tool_use";
}

/** @see https://github.com/lbjlaq/Antigravity-Manager/issues/3202 */
const ids: readonly RefusalText[] = [
  shape({
    rule: "call-id-mismatch",
    kinds: ["missing-id"],
    fits: (facts) => namelessCall(facts) !== undefined,
    text: missing,
    values: (facts) => ({ path: validatorPath(`${namelessCall(facts)}/id`, facts) }),
  }),
  shape({
    rule: "call-id-mismatch",
    kinds: ["missing-id"],
    text: missing,
    values: (facts) => ({ path: blockMember(facts, "tool_use_id") }),
  }),
  shape({
    rule: "invalid-call-id",
    kinds: ["missing"],
    fits: (facts) => blockAt(facts)["id"] === undefined,
    text: missing,
    values: (facts) => ({ path: blockMember(facts, "id") }),
  }),
  shape({
    rule: "invalid-call-id",
    kinds: ["type"],
    text: "{path}: Input should be a valid string",
    values: (facts) => ({ path: blockMember(facts, "id") }),
  }),
  shape({
    // @see https://github.com/maximhq/bifrost/issues/5097
    rule: "invalid-call-id",
    text: "{path}: String should match pattern '{pattern}'",
    values: (facts) => ({
      path: blockMember(facts, "id"),
      pattern: blockAt(facts)["type"] === "server_tool_use" ? "^srvtoolu_[a-zA-Z0-9_]+$" : "^[a-zA-Z0-9_-]+$",
    }),
  }),
];

/** The types that a message's blocks may have, as the validator lists them. */
const blockTags =
  "'bash_code_execution_tool_result', 'code_execution_tool_result', 'container_upload', 'document', 'image', 'mcp_tool_result', 'mcp_tool_use', 'redacted_thinking', 'search_result', 'server_tool_use', 'text', 'text_editor_code_execution_tool_result', 'thinking', 'tool_result', 'tool_search_tool_result', 'tool_use', 'web_fetch_tool_result', 'web_search_tool_result'";

/** @see https://github.com/AstrBotDevs/AstrBot/pull/4444 */
const unknownTag =
  "{path}: Input tag '{tag}' found using 'type' does not match any of the expected tags: {tags}";

/** The types that the parts of a result may have. */
const partTags = "'document', 'image', 'search_result', 'text', 'tool_reference'";

function tagValues(facts: RefusalFacts): { path: string; tag: string; tags: string } {
  const pointer = facts.pointer.replace(/\/type$/, "");
  const isPart = pointer !== blockPointer(pointer);
  return {
    path: validatorPath(pointer, facts),
    tag: valueText(fields(valueAt(facts.body, pointer))["type"]),
    tags: isPart ? partTags : blockTags,
  };
}

const blocks: readonly RefusalText[] = [
  shape({
    rule: "mixed-protocols",
    fits: ({ pointer }) => /\/content\/\d+(?:\/type)?$/.test(pointer),
    text: unknownTag,
    values: tagValues,
  }),
  shape({
    rule: "mixed-protocols",
    fits: ({ pointer }) => /^\/messages\/\d+\/tool_calls/.test(pointer),
    text: "messages.{index}.tool_calls: Extra inputs are not permitted",
  }),
  shape({
    rule: "misencoded-arguments",
    kinds: ["type"],
    fits: (facts) => blockAt(facts)["input"] === undefined,
    text: missing,
    values: (facts) => ({ path: blockMember(facts, "input") }),
  }),
  shape({
    rule: "misencoded-arguments",
    kinds: ["type", "double"],
    fits: (facts) => !isFields(blockAt(facts)["input"]),
    text: noDictionary,
    values: (facts) => ({ path: blockMember(facts, "input") }),
  }),
  shape({
    // "Anthropic rejects an empty `tool_result.content` list"
    // @see https://github.com/pydantic/pydantic-ai/blob/main/pydantic_ai_slim/pydantic_ai/models/anthropic.py
    rule: "malformed-tool-result",
    kinds: ["content"],
    fits: (facts) => list(blockAt(facts)["content"]).length === 0 && Array.isArray(blockAt(facts)["content"]),
    text: "{path}: List should have at least 1 item after validation, not 0",
  }),
  shape({
    rule: "malformed-tool-result",
    kinds: ["content"],
    text: "{path}: Input should be a valid string",
  }),
  shape({
    // @see https://github.com/WordPress/ai-provider-for-anthropic/pull/27
    rule: "dropped-reasoning",
    kinds: ["sealless"],
    fits: (facts) => blockAt(facts)["signature"] === undefined,
    text: missing,
    values: (facts) => ({ path: blockMember(facts, "signature") }),
  }),
];

/** Types in the words of the validator; the last that a value may have decides. */
const typeTexts: readonly (readonly [RegExp, string])[] = [
  // @see https://github.com/anthropics/anthropic-sdk-python/issues/382
  [/a list$/, "valid list"],
  [/an object$/, "valid dictionary"],
  [/a string$/, "valid string"],
  [/a whole number$/, "valid integer"],
  [/a number$/, "valid number"],
  [/`true` or `false`$/, "valid boolean"],
];

function typeText(wanted: string): string {
  return typeTexts.find(([pattern]) => pattern.test(wanted))?.[1] ?? "valid value";
}

const members: readonly RefusalText[] = [
  shape({
    rule: "invalid-request",
    kinds: ["type"],
    text: "{path}: Input should be a {type}",
    values: ({ data }) => ({ type: typeText(valueText(data["wanted"])) }),
  }),
  shape({
    rule: "invalid-request",
    kinds: ["missing"],
    fits: ({ data }) => data["member"] === "container",
    text: "container_id is required when there are pending tool uses generated by code execution with tools.",
  }),
  shape({
    rule: "invalid-request",
    kinds: ["missing"],
    text: missing,
    values: (facts) => ({ path: memberPath(facts, valueText(facts.data["member"])) }),
  }),
  shape({
    // @see https://github.com/anthropics/claude-code/issues/27337
    rule: "invalid-request",
    kinds: ["misplaced"],
    fits: ({ pointer, data }) =>
      /\/input_schema/.test(pointer) && /^(?:one|all|any)Of$/.test(valueText(data["member"])),
    text: "{path}: input_schema does not support oneOf, allOf, or anyOf at the top level",
    values: (facts) => ({ path: validatorPath(facts.pointer.replace(/(\/input_schema).*/, "$1"), facts) }),
  }),
  shape({
    // @see https://github.com/anthropics/claude-code/issues/4378
    rule: "invalid-request",
    kinds: ["unknown", "misplaced"],
    text: "{path}: Extra inputs are not permitted",
    values: (facts) => {
      const member = valueText(facts.data["member"]);
      const isThere = facts.pointer.endsWith(`/${member}`);
      return { path: isThere ? validatorPath(facts.pointer, facts) : memberPath(facts, member) };
    },
  }),
  shape({
    rule: "invalid-request",
    kinds: ["value"],
    fits: ({ pointer }) => /\/content\/\d+\/type$/.test(pointer),
    text: unknownTag,
    values: tagValues,
  }),
  shape({
    rule: "invalid-request",
    kinds: ["value"],
    fits: ({ pointer }) => pointer === "/tool_choice/type",
    text: unknownTag,
    values: ({ body }) => ({
      path: "tool_choice",
      tag: valueText(fields(body["tool_choice"])["type"]),
      tags: "'auto', 'any', 'tool', 'none'",
    }),
  }),
  shape({
    rule: "invalid-request",
    kinds: ["value"],
    text: "{path}: Input should be {choices}",
    values: ({ data }) => ({ choices: valueText(data["wanted"]).replaceAll("`", "'") }),
  }),
];

/**
 * What every request has, and logs may leave out. On Bedrock and Vertex, the address names the model.
 * @see https://github.com/tickernelz/opencode-mem/issues/50
 */
export function missingMember(
  body: Fields,
  purpose: "turn" | "count",
): Pick<RefusalText, "text"> | undefined {
  const required = [
    ...(namesVersion(body) ? [] : ["model"]),
    "messages",
    ...(purpose === "turn" ? ["max_tokens"] : []),
  ];
  const name = required.find((one) => body[one] === undefined);
  return name === undefined ? undefined : { text: `${name}: Field required` };
}

/** Requests to Bedrock and Vertex name the API's version in their bodies. */
export function namesVersion(body: Fields): boolean {
  return body["anthropic_version"] !== undefined;
}

export const shapeTexts: readonly RefusalText[] = [...ids, ...blocks, ...members];
