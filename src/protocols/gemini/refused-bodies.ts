import { valueAt } from "../../reading/pointer.ts";
import type { RefusalFacts, RefusalText } from "../refusals.ts";
import { valueText } from "../wire.ts";
import { fieldPath, parserPath } from "./proto-paths.ts";

const above = (pointer: string): string => pointer.replace(/\/[^/]*$/, "");
const named = ({ data }: RefusalFacts, ...names: readonly string[]): boolean =>
  names.includes(valueText(data["member"]));
const at =
  (pattern: RegExp) =>
  ({ pointer }: RefusalFacts): boolean =>
    pattern.test(pointer);

/** A complaint of the API's own checks, which begin when the body has been parsed. */
function checked(text: Pick<RefusalText, "rule" | "kinds" | "fits">, words: string, below = ""): RefusalText {
  return {
    ...text,
    stage: "shape",
    text: `* GenerateContentRequest.{field}${below}: ${words}\n`,
    values: ({ pointer }) => ({ field: fieldPath(pointer) }),
  };
}

/** A complaint of the parser, which names the field once more in the details. */
function parsed(text: Omit<RefusalText, "stage" | "param">): RefusalText {
  return { ...text, stage: "shape", param: "{at}" };
}

const cannotStart: Readonly<Record<string, string>> = {
  list: "Proto field is not repeating, cannot start list.",
  object: "Cannot find field.",
};

/** What the parser expects: the type of a field as its message knows it. */
function typeAt(pointer: string): string {
  const own = "type.googleapis.com/google.ai.generativelanguage.v1beta.";
  if (/\/(?:args|response)$/.test(pointer)) return "type.googleapis.com/google.protobuf.Struct";
  if (/\/contents(?:\/\d+)?$/.test(pointer)) return `${own}Content`;
  if (/\/parts(?:\/\d+)?$/.test(pointer)) return `${own}Part`;
  if (/\/(?:parameters|items)$/.test(pointer)) return `${own}Schema`;
  if (/\/tools(?:\/\d+)?$/.test(pointer)) return `${own}Tool`;
  return "TYPE_STRING";
}

/** A value of the wrong type: a list is not a name that the field has, anything else is an invalid value. */
const wrongType: readonly Pick<RefusalText, "rule" | "kinds">[] = [
  { rule: "invalid-request", kinds: ["type"] },
  { rule: "misencoded-arguments" },
  { rule: "malformed-tool-result", kinds: ["content"] },
];

const seen = ({ pointer, body }: RefusalFacts): unknown => valueAt(body, pointer);

const typeTexts = wrongType.flatMap((each): RefusalText[] => [
  parsed({
    // @see https://github.com/vercel/ai/pull/3589
    ...each,
    fits: (facts) => Array.isArray(seen(facts)),
    text: `Invalid JSON payload received. Unknown name "{name}" at '{at}': ${cannotStart["list"]}`,
    values: ({ pointer, body }) => ({
      name: pointer.slice(pointer.lastIndexOf("/") + 1),
      at: parserPath(above(pointer), body),
    }),
  }),
  parsed({
    // @see https://github.com/randombet/bodhi_realtime_agent/issues/10
    ...each,
    text: "Invalid value at '{at}' ({type}), {value}",
    values: (facts) => ({
      at: parserPath(facts.pointer, facts.body),
      type: typeAt(facts.pointer),
      value: JSON.stringify(seen(facts)) ?? "",
    }),
  }),
]);

const emptyName = "Name cannot be empty.";
const callOrResponse = /\/function(?:_c|C)all$|\/function(?:_r|R)esponse$/;
const declarationName = /\/function(?:_d|D)eclarations\/\d+(?:\/name)?$/;

/** @see https://github.com/google-gemini/gemini-cli/issues/7869 */
const badName =
  "Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.";

/** What the API says of a body before it looks at the order of turns. */
export const bodyTexts: readonly RefusalText[] = [
  ...["invalid-request", "mixed-protocols"].map((rule) =>
    parsed({
      // @see https://github.com/zed-industries/zed/issues/44875
      rule,
      kinds: ["unknown", "misplaced"],
      text: `Invalid JSON payload received. Unknown name "{name}"{where}: ${cannotStart["object"]}`,
      values: ({ pointer, body }) => {
        const parent = parserPath(above(pointer), body);
        const name = pointer.slice(pointer.lastIndexOf("/") + 1);
        return { name, at: parent, where: parent === "" ? "" : ` at '${parent}'` };
      },
    }),
  ),
  ...typeTexts,
  // A number among the values of a text.
  parsed({
    rule: "invalid-request",
    kinds: ["limit"],
    fits: (facts) => {
      const values = seen(facts);
      return facts.pointer.endsWith("/enum") && Array.isArray(values) && typeof values[0] !== "string";
    },
    text: "Invalid value at '{at}' (TYPE_STRING), {value}",
    values: (facts) => ({
      at: `${parserPath(facts.pointer, facts.body)}[0]`,
      value: JSON.stringify((seen(facts) as readonly unknown[])[0]),
    }),
  }),
  checked({ rule: "invalid-request", kinds: ["limit"], fits: at(/\/enum$/) }, "only allowed for STRING type"),
  // @see https://github.com/router-for-me/CLIProxyAPI/issues/1903
  checked({ rule: "invalid-request", kinds: ["missing"], fits: at(callOrResponse) }, emptyName, ".name"),
  checked(
    {
      rule: "invalid-request",
      kinds: ["limit"],
      fits: at(new RegExp(callOrResponse.source.replaceAll("$", "/name$"))),
    },
    emptyName,
  ),
  {
    rule: "invalid-request",
    kinds: ["limit"],
    fits: ({ pointer, body, data }) =>
      declarationName.test(pointer) &&
      /once/.test(valueText(data["wanted"])) &&
      valueAt(body, pointer) !== undefined,
    text: "Duplicate function declaration found: {name}",
    values: (facts) => ({ name: valueText(seen(facts)) }),
  },
  checked({ rule: "invalid-request", kinds: ["limit", "type"], fits: at(declarationName) }, badName),
  checked({ rule: "invalid-request", kinds: ["missing"], fits: at(declarationName) }, badName, ".name"),
  // @see https://github.com/kkrishnan90/gemini-desktop/pull/7
  checked(
    { rule: "invalid-request", kinds: ["missing"], fits: (facts) => named(facts, "items") },
    "missing field.",
    ".items",
  ),
  checked(
    { rule: "invalid-request", kinds: ["limit"], fits: at(/\/required\/\d+$/) },
    "property is not defined",
  ),
  {
    rule: "invalid-request",
    kinds: ["limit"],
    fits: at(/\/response(?:_m|M)ime(?:_t|T)ype$/),
    text: "Function calling with a response mime type: 'application/json' is unsupported",
  },
  {
    rule: "invalid-request",
    kinds: ["limit"],
    fits: at(/\/google(?:_s|S)earch(?:(?:_r|R)etrieval)?$/),
    text: "Tool use with function calling is unsupported",
  },
  checked(
    { rule: "invalid-request", kinds: ["limit"], fits: at(/\/parts\/\d+$/) },
    "required oneof field 'data' must have one initialized field",
    ".data",
  ),
  checked(
    { rule: "invalid-request", kinds: ["missing"], fits: (facts) => named(facts, "parts") },
    "contents.parts must not be empty.",
    ".parts",
  ),
  // @see https://github.com/coze-dev/coze-studio/issues/46
  {
    rule: "empty-content",
    stage: "shape",
    text: "* GenerateContentRequest.contents[{index}].parts: contents.parts must not be empty.\n",
  },
];
