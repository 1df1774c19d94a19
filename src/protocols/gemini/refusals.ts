import { valueAt } from "../../reading/pointer.ts";
import type { RefusalFacts, Refusals, RefusalText } from "../refusals.ts";
import { fields, list } from "../wire.ts";
import { failures } from "./failures.ts";
import { member } from "./names.ts";
import { parserPath } from "./proto-paths.ts";
import { bodyTexts } from "./refused-bodies.ts";
import { errorBody } from "./served-errors.ts";
import { syntaxError } from "./syntax.ts";

/** @see https://github.com/google-gemini/gemini-cli/issues/17208 */
const counts =
  "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";

/** Tokens are counted in whatever order the turns come; clients count parts of histories. */
function whenAnswered(text: RefusalText): RefusalText {
  return { ...text, fits: (facts) => facts.purpose === "turn" && (text.fits?.(facts) ?? true) };
}

/** The order of turns, which the API checks when it has read the body. */
const turnTexts: readonly RefusalText[] = [
  {
    // @see https://github.com/songquanpeng/one-api/issues/1385
    rule: "bad-turn-order",
    kinds: ["unknown"],
    stage: "shape",
    text: "Please use a valid role: user, model.",
  },
  {
    rule: "bad-turn-order",
    kinds: ["nothing"],
    stage: "shape",
    text: "* GenerateContentRequest.contents: contents is not specified\n",
  },
  {
    // Words of the model may begin a history.
    // @see https://github.com/google-gemini/gemini-cli/issues/11814
    rule: "bad-turn-order",
    kinds: ["first", "firstCall"],
    fits: beginsWithCall,
    text: "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
  },
  {
    // @see https://github.com/LibreChat-AI/agents/pull/323
    rule: "bad-turn-order",
    kinds: ["prefill"],
    text: "Requests ending with a model turn are not supported unless the last part is a function response.",
  },
  { rule: "unanswered-tool-call", text: counts },
  { rule: "orphaned-tool-result", fits: followsCall, text: counts },
  {
    // @see https://github.com/lobehub/lobehub/issues/7298
    rule: "orphaned-tool-result",
    text: "Please ensure that function response turn comes immediately after a function call turn.",
  },
  { rule: "misplaced-tool-result", text: counts },
  { rule: "duplicate-tool-result", text: counts },
  {
    // @see https://github.com/lbjlaq/Antigravity-Manager/issues/3202
    rule: "dropped-reasoning",
    kinds: ["signed"],
    text: "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:{tool}` , position {nth}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
  },
];

export const refusals: Refusals = {
  texts: [...bodyTexts, ...turnTexts.map(whenAnswered)],
  failures,
  path: (pointer, { body }) => parserPath(pointer, body),
  errorBody,
  notJson: { text: "Invalid JSON payload received. {reason}", reason: syntaxError },
};

const partsOf = (content: unknown): readonly unknown[] => list(fields(content)["parts"]);
const calls = (content: unknown): boolean =>
  partsOf(content).some((part) => member(fields(part), "functionCall") !== undefined);
const isOfModel = (content: unknown): boolean => fields(content)["role"] === "model";

const contentsOf = ({ body, request }: RefusalFacts): readonly unknown[] =>
  list(valueAt(body, request.historyPointer));

/** The model's first turn, which may be several contents, calls a function. */
function beginsWithCall(facts: RefusalFacts): boolean {
  const contents = contentsOf(facts);
  const end = contents.findIndex((content) => !isOfModel(content));
  return contents.slice(0, end < 0 ? contents.length : end).some(calls);
}

/** The turn before this content calls a function. */
function followsCall(facts: RefusalFacts): boolean {
  const before = contentsOf(facts).slice(0, facts.index ?? 0);
  const last = before.findLastIndex(isOfModel);
  // Contents of one role in a row are one turn.
  const isNext = before.slice(last + 1).every((content) => !isOfModel(content));
  return last >= 0 && isNext && calls(before[last]);
}
