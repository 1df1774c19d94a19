import { type Refusal, testRefusals } from "./table.ts";

/** One body for Mistral's chat API, refusal by refusal. */

const question = { role: "user", content: "What is the weather in Lima?" };
const goOn = { role: "user", content: "And in Quito?" };
const system = { role: "system", content: "Be brief." };
const weather = {
  type: "function",
  function: {
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string" } } },
  },
};
const call = (id: string | undefined, name = "get_weather") => ({
  ...(id !== undefined && { id }),
  type: "function",
  function: { name, arguments: '{"city":"Lima"}' },
});
const result = (id: string | undefined, more: object = {}) => ({
  role: "tool",
  ...(id !== undefined && { tool_call_id: id }),
  name: "get_weather",
  content: "18 degrees",
  ...more,
});
const calls = (...tool_calls: object[]) => ({ role: "assistant", content: "", tool_calls });
const answer = { role: "assistant", content: "18 degrees." };
const body = (messages: readonly object[], more: object = {}) => ({
  model: "mistral-large-latest",
  tools: [weather],
  messages,
  ...more,
});
const round = [question, calls(call("a1B2c3D4e")), result("a1B2c3D4e")];
const source =
  "https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py";

const rows: readonly Refusal[] = [
  {
    refusal: "an id of another form",
    source: "https://github.com/editor-code-assistant/eca/issues/233",
    body: body([question, calls(call("call_1")), result("call_1")]),
    rule: "invalid-call-id",
    severity: "warning",
    pointer: "/messages/1/tool_calls/0",
    legal: [body(round)],
  },
  {
    refusal: "a call and its result without ids",
    source: "`Tool call id has to be defined.`",
    body: body([question, calls(call(undefined)), result(undefined)]),
    rule: "invalid-call-id",
    severity: "warning",
    pointer: "/messages/1/tool_calls/0",
    legal: [body(round)],
  },
  {
    refusal: "a call without a result",
    source: "https://github.com/mistralai/client-ts/issues/106",
    body: body([question, calls(call("a1B2c3D4e"), call("b1B2c3D4e")), result("b1B2c3D4e")]),
    rule: "unanswered-tool-call",
    severity: "error",
    pointer: "/messages/1/tool_calls/0",
    legal: [body(round)],
  },
  {
    refusal: "more results than calls",
    source,
    body: body([...round, result("z1B2c3D4e")]),
    rule: "orphaned-tool-result",
    severity: "error",
    pointer: "/messages/3",
    legal: [body(round)],
  },
  {
    refusal: "two results for one call",
    source: "`Duplicate tool call id a1B2c3D4e in tool results`",
    body: body([...round, result("a1B2c3D4e", { content: "14 degrees" })]),
    rule: "duplicate-tool-result",
    severity: "warning",
    pointer: "/messages/3",
    legal: [body(round)],
  },
  {
    refusal: "a result right after a message of the user",
    source: "https://github.com/charmbracelet/crush/issues/279",
    body: body([question, result("a1B2c3D4e")]),
    rule: "orphaned-tool-result",
    severity: "error",
    pointer: "/messages/1",
    legal: [body(round)],
  },
  {
    refusal: "the model's own words at the end",
    source: "`Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant`",
    body: body([question, { role: "assistant", content: "It is" }]),
    rule: "bad-turn-order",
    severity: "warning",
    pointer: "/messages/1/content",
    legal: [body([question, { role: "assistant", content: "It is", prefix: true }])],
  },
  {
    refusal: "a history that the model begins",
    source: "`Conversation must start with a user message or system message`",
    body: body([answer, question]),
    rule: "bad-turn-order",
    severity: "warning",
    pointer: "/messages/0/content",
    legal: [body([system, question])],
  },
  {
    refusal: "a system message right after one of the model",
    source: "`Unexpected role 'system' after role 'assistant'`",
    body: body([question, answer, system, goOn]),
    rule: "bad-turn-order",
    severity: "warning",
    pointer: "/messages/2/content",
    legal: [body([system, system, question, answer, goOn])],
  },
  {
    refusal: "a system message right after a result",
    source: "`Unexpected role 'system' after role 'tool'`",
    body: body([...round, system, goOn]),
    rule: "bad-turn-order",
    severity: "warning",
    pointer: "/messages/3/content",
    legal: [body([...round, answer, goOn])],
  },
  {
    refusal: "a message of the model with neither content nor calls",
    source:
      "https://github.com/pydantic/pydantic-ai/blob/main/pydantic_ai_slim/pydantic_ai/models/mistral.py",
    body: body([question, { role: "assistant", content: "" }, goOn]),
    rule: "empty-content",
    severity: "warning",
    pointer: "/messages/1",
    legal: [body([question, answer, goOn]), body([question, { ...answer, tool_calls: [] }, goOn])],
  },
  {
    refusal: "no messages",
    source: "`Conversation must have at least one message`",
    body: body([]),
    rule: "bad-turn-order",
    severity: "warning",
    pointer: "/messages",
    legal: [body([question])],
  },
  {
    refusal: "a declared name with a dot",
    source: "`Function name was get.weather but must be a-z, A-Z, 0-9, or contain underscores and dashes`",
    body: body([question], {
      tools: [{ type: "function", function: { ...weather.function, name: "get.weather" } }],
    }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/tools",
    legal: [body([question])],
  },
  {
    refusal: "a called name with a dot",
    source: "`Function name was get.weather but must be a-z, A-Z, 0-9, or contain underscores and dashes`",
    body: body([
      question,
      calls(call("a1B2c3D4e", "get.weather")),
      result("a1B2c3D4e", { name: "get.weather" }),
    ]),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/messages/1/tool_calls/0/function/name",
    legal: [body(round)],
  },
  {
    refusal: "a name of the user",
    source: "https://github.com/Gage-Technologies/mistral-go/issues/3",
    body: body([{ ...question, name: "Ana" }]),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/messages/0/name",
    legal: [body([question])],
  },
  {
    refusal: "the limit of tokens under OpenAI's newer name",
    source: "https://github.com/editor-code-assistant/eca/issues/231",
    body: body([question], { max_completion_tokens: 100 }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/max_completion_tokens",
    legal: [body([question], { max_tokens: 100 })],
  },
  {
    refusal: "reasoning as a member of a message",
    source: "https://github.com/BerriAI/litellm/issues/30835",
    body: body([question, { ...answer, reasoning_content: "The user asks." }, goOn]),
    rule: "refused-reasoning",
    severity: "warning",
    pointer: "/messages/1/reasoning_content",
    legal: [body([question, answer, goOn])],
  },
  {
    refusal: "one id for two calls of a message",
    source,
    body: body([
      question,
      calls(call("a1B2c3D4e"), { ...call("a1B2c3D4e"), function: { name: "get_weather", arguments: "{}" } }),
      result("a1B2c3D4e"),
      result("a1B2c3D4e", { content: "14 degrees" }),
    ]),
    rule: "duplicate-call-id",
    severity: "warning",
    pointer: "/messages/1/tool_calls/1",
    legal: [body([...round, calls(call("a1B2c3D4e")), result("a1B2c3D4e")])],
  },
];

testRefusals("https://api.mistral.ai/v1/chat/completions", rows, "served");
