import { type Refusal, testRefusals } from "./table.ts";

/** One body for Anthropic Messages, refusal by refusal. */

const question = { role: "user", content: "What is the weather in Lima?" };
const goOn = { role: "user", content: "And in Quito?" };
const weather = {
  name: "get_weather",
  description: "The weather of a city",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const call = (id: unknown, more: object = {}) => ({
  type: "tool_use",
  ...(id !== undefined && { id }),
  name: "get_weather",
  input: { city: "Lima" },
  ...more,
});
const result = (id: unknown, more: object = {}) => ({
  type: "tool_result",
  ...(id !== undefined && { tool_use_id: id }),
  content: "18 degrees",
  ...more,
});
const text = (words: string) => ({ type: "text", text: words });
const thought = { type: "thinking", thinking: "I look it up.", signature: "EqQBCkYIBxgC" };
const { signature: _, ...unsigned } = thought;
const model = (...content: object[]) => ({ role: "assistant", content });
const user = (...content: object[]) => ({ role: "user", content });
const body = (messages: readonly object[], more: object = {}) => ({
  model: "claude-sonnet-4-5",
  max_tokens: 4096,
  tools: [weather],
  messages,
  ...more,
});
const round = [question, model(call("toolu_1")), user(result("toolu_1"))];
const thinking = { thinking: { type: "enabled", budget_tokens: 2048 } };
const adaptive = { thinking: { type: "adaptive" } };

const pairing: readonly Refusal[] = [
  {
    refusal: "a call without a result",
    source: "https://github.com/Kilo-Org/kilocode/issues/5163",
    body: body([question, model(call("toolu_1")), goOn]),
    rule: "unanswered-tool-call",
    severity: "error",
    pointer: "/messages/1/content/0",
    legal: [body(round)],
  },
  {
    refusal: "one of two calls without a result",
    source: "https://github.com/anthropics/claude-code/issues/5989",
    body: body([question, model(call("toolu_1"), call("toolu_2")), user(result("toolu_2"))]),
    rule: "unanswered-tool-call",
    severity: "error",
    pointer: "/messages/1/content/0",
    // Consecutive messages of one role are one turn.
    legal: [
      body([
        question,
        model(call("toolu_1")),
        model(call("toolu_2")),
        user(result("toolu_2")),
        user(result("toolu_1")),
      ]),
    ],
  },
  {
    refusal: "a call at the end",
    source: "https://github.com/anthropics/claude-code/issues/5060",
    body: body([question, model(call("toolu_1"))]),
    rule: "unanswered-tool-call",
    severity: "error",
    pointer: "/messages/1/content/0",
    legal: [body(round)],
  },
  {
    refusal: "a result without a call",
    source: "https://github.com/anthropics/claude-code/issues/13460",
    body: body([...round, model(text("18 degrees.")), user(result("toolu_9"))]),
    rule: "orphaned-tool-result",
    severity: "error",
    pointer: "/messages/4/content/0",
    legal: [body([...round, model(text("18 degrees.")), goOn])],
  },
  {
    refusal: "a history that begins with a result",
    source: "https://github.com/anthropics/claude-code/issues/18947",
    body: body([user(result("toolu_1")), model(text("18 degrees.")), goOn]),
    rule: "orphaned-tool-result",
    severity: "error",
    pointer: "/messages/0/content/0",
    legal: [body([question, model(text("18 degrees.")), goOn])],
  },
  {
    refusal: "text before the results of a message",
    source: "https://github.com/apify/tester-mcp-client/issues/12",
    body: body([question, model(call("toolu_1")), user(text("Here:"), result("toolu_1"))]),
    rule: "misplaced-tool-result",
    severity: "warning",
    pointer: "/messages/2/content/1",
    legal: [body([question, model(call("toolu_1")), user(result("toolu_1"), text("Go on."))])],
  },
  {
    refusal: "a result after another turn",
    source: "https://github.com/openai/openai-agents-python/issues/1797",
    body: body([question, model(call("toolu_1")), goOn, model(text("Wait.")), user(result("toolu_1"))]),
    rule: "misplaced-tool-result",
    severity: "warning",
    pointer: "/messages/4/content/0",
    legal: [body([...round, model(text("18 degrees.")), goOn])],
  },
  {
    refusal: "one id for two calls of a turn",
    source: "https://github.com/anomalyco/opencode/issues/1279",
    body: body([
      question,
      model(call("toolu_1"), call("toolu_1", { input: { city: "Quito" } })),
      user(result("toolu_1"), result("toolu_1", { content: "14 degrees" })),
    ]),
    rule: "duplicate-call-id",
    severity: "warning",
    pointer: "/messages/1/content/1",
    // An id that a later turn uses again was accepted.
    legal: [body([...round, model(call("toolu_1")), user(result("toolu_1"))])],
  },
  {
    refusal: "two results for one call",
    source: "`each tool_use must have a single result. Found multiple tool_result blocks with id`",
    body: body([
      question,
      model(call("toolu_1")),
      user(result("toolu_1"), result("toolu_1", { content: "14 degrees" })),
    ]),
    rule: "duplicate-tool-result",
    severity: "warning",
    pointer: "/messages/2/content/1",
    legal: [body(round)],
  },
  {
    refusal: "a call in a message of the user",
    source: "`messages.1.content.0: `tool_use` blocks can only be in `assistant` messages`",
    body: body([question, user(call("toolu_1")), user(result("toolu_1"))]),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/messages/1/content/0/type",
    legal: [body(round)],
  },
  {
    refusal: "a result in a message of the model",
    source: "`messages.2.content.0: `tool_result` blocks can only be in `user` messages`",
    body: body([question, model(call("toolu_1")), model(result("toolu_1")), goOn]),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/messages/2/content/0/type",
    legal: [body(round)],
  },
];

const ids: readonly Refusal[] = [
  {
    refusal: "an id with other characters",
    source: "https://github.com/maximhq/bifrost/issues/5097",
    body: body([question, model(call("functions.get_weather:0")), user(result("functions.get_weather:0"))]),
    rule: "invalid-call-id",
    severity: "warning",
    pointer: "/messages/1/content/0",
    legal: [body([question, model(call("call_Ab-1")), user(result("call_Ab-1"))])],
  },
  {
    refusal: "a call and its result without ids",
    source: "https://github.com/lbjlaq/Antigravity-Manager/issues/3202",
    body: body([question, model(call(undefined)), user(result(undefined))]),
    rule: "invalid-call-id",
    severity: "warning",
    pointer: "/messages/1/content/0",
    legal: [body(round)],
  },
  {
    refusal: "an empty id on both sides",
    source: "https://github.com/anomalyco/opencode/issues/1279",
    body: body([question, model(call("")), user(result(""))]),
    rule: "invalid-call-id",
    severity: "warning",
    pointer: "/messages/1/content/0",
    legal: [body(round)],
  },
  {
    refusal: "a call without an id, whose result has one",
    source: "`messages.1.content.0.tool_use.id: Field required`",
    body: body([question, model(call(undefined)), user(result("toolu_1"))]),
    rule: "call-id-mismatch",
    severity: "error",
    pointer: "/messages/2/content/0",
    legal: [body(round)],
  },
  {
    refusal: "an id that is no text",
    source: "`messages.1.content.0.tool_use.id: Input should be a valid string`",
    body: body([question, model(call(7)), user(result(7))]),
    rule: "invalid-call-id",
    severity: "warning",
    pointer: "/messages/1/content/0/id",
    legal: [body([question, model(call("7")), user(result("7"))])],
  },
];

const content: readonly Refusal[] = [
  {
    refusal: "an empty text",
    source: "https://github.com/anthropics/claude-code/issues/59812",
    body: body([question, model(text(""), call("toolu_1")), user(result("toolu_1"))]),
    rule: "empty-content",
    severity: "warning",
    pointer: "/messages/1/content/0/text",
    legal: [body([question, model(text("I look."), call("toolu_1")), user(result("toolu_1"))])],
  },
  {
    refusal: "a text of nothing but white space",
    source: "https://github.com/anthropics/claude-code/issues/23369",
    body: body([question, model(text(" \n")), goOn]),
    rule: "empty-content",
    severity: "warning",
    pointer: "/messages/1/content/0/text",
    legal: [body([question, model(text("18 degrees.")), goOn])],
  },
  {
    refusal: "an empty message",
    source: "https://github.com/anthropics/claude-code/issues/6774",
    body: body([question, { role: "assistant", content: "" }, goOn]),
    rule: "empty-content",
    severity: "warning",
    pointer: "/messages/1/content",
    legal: [body([question, { role: "assistant", content: "18 degrees." }, goOn])],
  },
  {
    refusal: "an empty list of blocks",
    source: "https://github.com/anthropics/claude-code/issues/6774",
    body: body([question, model(), goOn]),
    rule: "empty-content",
    severity: "warning",
    pointer: "/messages/1/content",
    legal: [body([question, model(text("18 degrees.")), goOn])],
  },
  {
    refusal: "a block without a type",
    source: "`messages.0.content.0.type: Field required`",
    body: body([{ role: "user", content: [{ text: "What is the weather in Lima?" }] }]),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/messages/0/content/0",
    legal: [body([user(text("What is the weather in Lima?"))])],
  },
  {
    refusal: "a block without a type beside others",
    source: "`messages.0.content.0.type: Field required`",
    body: body([...round, model({ text: "18 degrees." }), goOn]),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/messages/3/content/0",
    legal: [body([...round, model(text("18 degrees.")), goOn])],
  },
  {
    refusal: "input that is text",
    source: "`messages.1.content.0.tool_use.input: Input should be a valid dictionary`",
    body: body([question, model(call("toolu_1", { input: '{"city":"Lima"}' })), user(result("toolu_1"))]),
    rule: "misencoded-arguments",
    severity: "warning",
    pointer: "/messages/1/content/0/input",
    legal: [body(round)],
  },
  {
    refusal: "input that is a list",
    source: "`messages.1.content.0.tool_use.input: Input should be a valid dictionary`",
    body: body([question, model(call("toolu_1", { input: ["Lima"] })), user(result("toolu_1"))]),
    rule: "misencoded-arguments",
    severity: "warning",
    pointer: "/messages/1/content/0/input",
    legal: [body(round)],
  },
  {
    refusal: "a call without input",
    source: "`messages.1.content.0.tool_use.input: Field required`",
    body: body([
      question,
      model({ type: "tool_use", id: "toolu_1", name: "get_weather" }),
      user(result("toolu_1")),
    ]),
    rule: "misencoded-arguments",
    severity: "warning",
    pointer: "/messages/1/content/0/input",
    legal: [body(round)],
  },
  {
    refusal: "an empty list as a result",
    source:
      "https://github.com/pydantic/pydantic-ai/blob/main/pydantic_ai_slim/pydantic_ai/models/anthropic.py",
    body: body([question, model(call("toolu_1")), user(result("toolu_1", { content: [] }))]),
    rule: "malformed-tool-result",
    severity: "warning",
    pointer: "/messages/2/content/0/content",
    legal: [
      body([question, model(call("toolu_1")), user(result("toolu_1", { content: "" }))]),
      body([question, model(call("toolu_1")), user({ type: "tool_result", tool_use_id: "toolu_1" })]),
    ],
  },
  {
    refusal: "an object as a result",
    source: "`messages.2.content.0.tool_result.content: Input should be a valid string`",
    body: body([question, model(call("toolu_1")), user(result("toolu_1", { content: { degrees: 18 } }))]),
    rule: "malformed-tool-result",
    severity: "warning",
    pointer: "/messages/2/content/0/content",
    legal: [body([question, model(call("toolu_1")), user(result("toolu_1", { content: [text("18")] }))])],
  },
  {
    refusal: "more than four marks for the cache",
    source: "https://github.com/tghamm/Anthropic.SDK/issues/50",
    body: body([
      user(...[1, 2, 3, 4, 5].map((n) => ({ ...text(`Part ${n}`), cache_control: { type: "ephemeral" } }))),
    ]),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/messages/0/content/4/cache_control",
    legal: [
      body([
        user(...[1, 2, 3, 4].map((n) => ({ ...text(`Part ${n}`), cache_control: { type: "ephemeral" } }))),
      ]),
    ],
  },
];

const turns: readonly Refusal[] = [
  {
    refusal: "the model's own words at the end, for a newer model",
    source: "https://github.com/ericc-ch/copilot-api/pull/261",
    body: body([question, model(text("It is"))], { model: "claude-opus-4-7" }),
    rule: "bad-turn-order",
    severity: "warning",
    pointer: "/messages/1/content/0",
    legal: [
      body([question, model(text("It is"))]),
      body([question, model(text("It is"))], { model: "claude-opus-4-7", fallback_credit_token: "t" }),
    ],
  },
  {
    refusal: "the model's own words at the end, while thinking is on",
    source: "https://platform.claude.com/docs/en/build-with-claude/extended-thinking",
    body: body([question, model(text("It is"))], thinking),
    rule: "bad-turn-order",
    severity: "warning",
    pointer: "/messages/1/content/0",
    legal: [body([question, model(text("It is"))]), body([question], thinking)],
  },
  {
    refusal: "white space at the end of the model's own words",
    source: "https://github.com/tailcallhq/forgecode/issues/1872",
    body: body([question, model(text("It is "))]),
    rule: "bad-turn-order",
    severity: "warning",
    pointer: "/messages/1/content/0",
    legal: [body([question, model(text("It is"))])],
  },
  {
    refusal: "an unknown role",
    source: '`messages: Unexpected role "developer"`',
    body: body([{ role: "developer", content: "Be brief." }, question]),
    rule: "bad-turn-order",
    severity: "warning",
    pointer: "/messages/0/role",
    legal: [body([question], { system: "Be brief." })],
  },
];

const reasoning: readonly Refusal[] = [
  {
    refusal: "no thinking before the calls that are answered, while thinking is on",
    source: "https://github.com/anomalyco/opencode/issues/3077",
    body: body(round, thinking),
    rule: "dropped-reasoning",
    severity: "warning",
    pointer: "/messages/1/content/0",
    legal: [
      body([question, model(thought, call("toolu_1")), user(result("toolu_1"))], thinking),
      body(round, adaptive),
      body([...round, model(text("18 degrees.")), goOn], thinking),
      // The model thinks once in a turn, unless its thinking is interleaved.
      body(
        [
          question,
          model(thought, call("toolu_1")),
          user(result("toolu_1")),
          model(text("Once more."), call("toolu_2")),
          user(result("toolu_2")),
        ],
        thinking,
      ),
    ],
  },
  {
    refusal: "thinking without a signature",
    source: "`messages.1.content.0.thinking.signature: Field required`",
    body: body([question, model(unsigned, call("toolu_1")), user(result("toolu_1"))], thinking),
    rule: "dropped-reasoning",
    severity: "warning",
    pointer: "/messages/1/content/0",
    legal: [
      body(
        [question, model({ ...thought, thinking: "" }, call("toolu_1")), user(result("toolu_1"))],
        thinking,
      ),
    ],
  },
  {
    refusal: "thinking with an empty signature",
    source: "https://github.com/OpenRouterTeam/ai-sdk-provider/issues/423",
    body: body(
      [question, model({ ...thought, signature: "" }, call("toolu_1")), user(result("toolu_1"))],
      thinking,
    ),
    rule: "dropped-reasoning",
    severity: "warning",
    pointer: "/messages/1/content/0",
    legal: [body([question, model(thought, call("toolu_1")), user(result("toolu_1"))], thinking)],
  },
  {
    refusal: "thinking in a final message, while thinking is off",
    source: "`When thinking is disabled, an assistant message in the final position cannot contain thinking`",
    body: body([question, model(thought, text("It is"))]),
    rule: "refused-reasoning",
    severity: "warning",
    pointer: "/messages/1/content/0",
    legal: [body([question, model(thought, text("18 degrees.")), goOn])],
  },
  {
    refusal: "a forced tool while thinking is on",
    source: "`Thinking may not be enabled when tool_choice forces tool use.`",
    body: body([question], { ...thinking, tool_choice: { type: "tool", name: "get_weather" } }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/tool_choice/type",
    legal: [
      body([question], { ...thinking, tool_choice: { type: "auto" } }),
      body([question], { tool_choice: { type: "tool", name: "get_weather" } }),
    ],
  },
  {
    refusal: "any tool while thinking is on",
    source: "`Thinking may not be enabled when tool_choice forces tool use.`",
    body: body([question], { ...thinking, tool_choice: { type: "any" } }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/tool_choice/type",
    legal: [body([question], { ...thinking, tool_choice: { type: "none" } })],
  },
  {
    refusal: "a forced tool, for a newer model",
    source: "https://platform.claude.com/docs/en/models/sonnet-5-5/migration-guide",
    body: body([question], { model: "claude-sonnet-5-5", tool_choice: { type: "any" } }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/tool_choice/type",
    legal: [
      body([question], { model: "claude-sonnet-5-5", tool_choice: { type: "auto" } }),
      body([question], { model: "claude-opus-5", tool_choice: { type: "any" } }),
    ],
  },
  {
    refusal: "thinking turned off, for a model that always thinks",
    source: '`"thinking.type.disabled" is not supported for this model.`',
    body: body([question], { model: "claude-opus-5-5", thinking: { type: "disabled" } }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/thinking/type",
    legal: [
      body([question], { model: "claude-opus-5-5" }),
      body([question], { model: "claude-opus-5", thinking: { type: "disabled" } }),
    ],
  },
  {
    refusal: "a temperature while thinking is on",
    source: "https://github.com/MartialBE/one-hub/issues/529",
    body: body([question], { ...thinking, temperature: 0.2 }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/temperature",
    legal: [body([question], { ...thinking, temperature: 1 })],
  },
  {
    refusal: "a budget for thinking that the limit of tokens does not hold",
    source: "`max_tokens` must be greater than `thinking.budget_tokens`",
    body: body([question], {
      tools: undefined,
      system: "Be brief.",
      thinking: { type: "enabled", budget_tokens: 4096 },
    }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/max_tokens",
    legal: [body([question], { thinking: { type: "enabled", budget_tokens: 4095 } })],
  },
];

const sampling: readonly Refusal[] = [
  {
    refusal: "a budget for thinking below the least",
    source: "`thinking.enabled.budget_tokens: Input should be greater than or equal to 1024`",
    body: body([question], { thinking: { type: "enabled", budget_tokens: 500 } }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/thinking/budget_tokens",
    legal: [body([question], { thinking: { type: "enabled", budget_tokens: 1024 } })],
  },
  {
    refusal: "a temperature and a share of the likeliest words",
    source: "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
    body: body([question], { temperature: 0.5, top_p: 0.9 }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/top_p",
    legal: [
      body([question], { top_p: 0.9 }),
      body([question], { model: "claude-3-5-sonnet-20241022", temperature: 0.5, top_p: 0.9 }),
    ],
  },
  {
    refusal: "a temperature, for a newer model",
    source: "`temperature` is deprecated for this model.",
    body: body([question], { model: "claude-opus-4-7", temperature: 0 }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/temperature",
    legal: [
      body([question], { model: "claude-opus-4-7", temperature: 1 }),
      body([question], { temperature: 0 }),
    ],
  },
];

const tools: readonly Refusal[] = [
  {
    refusal: "two tools of one name",
    source: "https://github.com/danny-avila/LibreChat/issues/13162",
    body: body([question], { tools: [weather, weather] }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/tools/1/name",
    legal: [body([question])],
  },
  {
    refusal: "a tool's name with a dot",
    source: "`tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`",
    body: body([question], { tools: [{ ...weather, name: "get.weather" }] }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/tools/0/name",
    legal: [body([question])],
  },
  {
    refusal: "a called name of more than 200 characters",
    source: "`messages.1.content.0.tool_use.name: String should have at most 200 characters`",
    body: body([question, model(call("toolu_1", { name: "a".repeat(201) })), user(result("toolu_1"))]),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/messages/1/content/0/name",
    legal: [body(round)],
  },
  {
    refusal: "a schema with a choice at its root",
    source: "https://github.com/dearlordylord/huly-mcp/issues/66",
    body: body([question], {
      tools: [{ ...weather, input_schema: { ...weather.input_schema, anyOf: [{ required: ["city"] }] } }],
    }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/tools/0/input_schema/anyOf",
    legal: [
      body([question], {
        tools: [
          {
            ...weather,
            input_schema: {
              type: "object",
              properties: { city: { anyOf: [{ type: "string" }, { type: "null" }] } },
            },
          },
        ],
      }),
    ],
  },
  {
    refusal: "a schema of another type than object",
    source: "`tools.0.custom.input_schema.type: Input should be 'object'`",
    body: body([question], { tools: [{ ...weather, input_schema: { type: "string" } }] }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/tools/0/input_schema/type",
    legal: [body([question], { tools: [{ ...weather, input_schema: { type: "object" } }] })],
  },
  {
    refusal: "a schema without a type",
    source: "`tools.0.custom.input_schema.type: Field required`",
    body: body([question], { tools: [{ ...weather, input_schema: { properties: {} } }] }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/tools/0/input_schema",
    legal: [body([question], { tools: [{ ...weather, input_schema: { type: "object" } }] })],
  },
  {
    refusal: "a schema of an older draft",
    source: "https://github.com/anthropics/claude-code/issues/86664",
    body: body([question], {
      tools: [
        {
          ...weather,
          input_schema: {
            type: "object",
            properties: { days: { type: "number", minimum: 0, exclusiveMinimum: true } },
          },
        },
      ],
    }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/tools/0/input_schema/properties/days/exclusiveMinimum",
    legal: [
      body([question], {
        tools: [
          {
            ...weather,
            input_schema: { type: "object", properties: { days: { type: "number", exclusiveMinimum: 0 } } },
          },
        ],
      }),
    ],
  },
  {
    refusal: "a property whose name has other characters",
    source:
      "`tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`",
    body: body([question], {
      tools: [
        { ...weather, input_schema: { type: "object", properties: { "city name": { type: "string" } } } },
      ],
    }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/tools/0/input_schema/properties/city name",
    legal: [
      body([question], {
        tools: [
          { ...weather, input_schema: { type: "object", properties: { "city.name": { type: "string" } } } },
        ],
      }),
    ],
  },
  {
    refusal: "a choice of a tool that is not offered",
    source: "`Tool 'get_time' not found in provided tools`",
    body: body([question], { tool_choice: { type: "tool", name: "get_time" } }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/tool_choice/name",
    legal: [body([question], { tool_choice: { type: "tool", name: "get_weather" } })],
  },
  {
    refusal: "a choice among no tools",
    source: "`tool_choice.any may only be specified while providing tools`",
    body: body([question], { tools: undefined, system: "Be brief.", tool_choice: { type: "any" } }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/tool_choice",
    legal: [body([question], { tools: undefined, system: "Be brief.", tool_choice: { type: "auto" } })],
  },
];

const search = { type: "web_search_20250305", name: "web_search" };
const searching = {
  type: "server_tool_use",
  id: "srvtoolu_1",
  name: "web_search",
  input: { query: "weather Lima" },
};
const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };
const withSearch = { tools: [weather, search] };
const finder = { type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" };
const finding = {
  type: "server_tool_use",
  id: "srvtoolu_2",
  name: "tool_search_tool_regex",
  input: { query: "weather" },
};
const references = (name: string) => ({
  type: "tool_search_tool_result",
  tool_use_id: "srvtoolu_2",
  content: {
    type: "tool_search_tool_search_result",
    tool_references: [{ type: "tool_reference", tool_name: name }],
  },
});
const code = { type: "code_execution_20260120", name: "code_execution" };
const running = {
  type: "server_tool_use",
  id: "srvtoolu_3",
  name: "code_execution",
  input: { code: "await get_weather({})" },
};
const fromCode = { caller: { type: "code_execution_20260120", tool_id: "srvtoolu_3" } };
const programmatic = [question, model(running, call("toolu_1", fromCode)), user(result("toolu_1"))];
const withCode = { tools: [{ ...weather, allowed_callers: ["code_execution_20260120"] }, code] };

const serverTools: readonly Refusal[] = [
  {
    refusal: "a server's call without its result, before a turn of the user",
    source:
      "https://github.com/pydantic/pydantic-ai/blob/main/tests/models/anthropic/test_unpaired_native_tool_calls.py",
    body: body([question, model(searching, text("18 degrees.")), goOn], withSearch),
    rule: "unanswered-tool-call",
    severity: "warning",
    pointer: "/messages/1/content/0",
    legal: [
      body([question, model(searching, found, text("18 degrees.")), goOn], withSearch),
      // A pause goes on where it stopped, and the server's call may wait for the client's results.
      body([question, model(searching)], withSearch),
      body([question, model(searching, call("toolu_1")), user(result("toolu_1"))], withSearch),
      body(
        [
          question,
          model(searching, call("toolu_1")),
          user(result("toolu_1")),
          model(found, text("18 degrees.")),
          goOn,
        ],
        withSearch,
      ),
    ],
  },
  {
    refusal: "a call of an MCP server without its result",
    source:
      "https://github.com/pydantic/pydantic-ai/blob/main/tests/models/anthropic/test_unpaired_native_tool_calls.py",
    body: body([
      question,
      model({
        type: "mcp_tool_use",
        id: "mcptoolu_1",
        name: "find",
        server_name: "atlas",
        input: {},
      }),
      goOn,
    ]),
    rule: "unanswered-tool-call",
    severity: "warning",
    pointer: "/messages/1/content/0",
    legal: [
      body([
        question,
        model(
          { type: "mcp_tool_use", id: "mcptoolu_1", name: "find", server_name: "atlas", input: {} },
          { type: "mcp_tool_result", tool_use_id: "mcptoolu_1", is_error: false, content: [text("18")] },
          text("18 degrees."),
        ),
        goOn,
      ]),
    ],
  },
  {
    refusal: "a server's result without its call",
    source: "https://github.com/anthropics/claude-code/issues/64383",
    body: body([question, model(found, text("18 degrees.")), goOn], withSearch),
    rule: "orphaned-tool-result",
    severity: "warning",
    pointer: "/messages/1/content/0",
    legal: [body([question, model(searching, found, text("18 degrees.")), goOn], withSearch)],
  },
  {
    refusal: "the id of a client's call on a server's",
    source: "https://github.com/Wei-Shaw/sub2api/issues/1308",
    body: body(
      [
        question,
        model({ ...searching, id: "toolu_1" }, { ...found, tool_use_id: "toolu_1" }, text("18 degrees.")),
        goOn,
      ],
      withSearch,
    ),
    rule: "invalid-call-id",
    severity: "warning",
    pointer: "/messages/1/content/0",
    legal: [body([question, model(searching, found, text("18 degrees.")), goOn], withSearch)],
  },
  {
    refusal: "a reference to a tool that is not offered",
    source: "`Tool reference 'get_time' not found in available tools`",
    body: body([question, model(finding, references("get_time"), text("None.")), goOn], {
      tools: [weather, finder],
    }),
    rule: "undefined-tool",
    severity: "warning",
    pointer: "/messages/1/content/1/content/tool_references/0/tool_name",
    legal: [
      body([question, model(finding, references("get_weather"), text("One.")), goOn], {
        tools: [{ ...weather, defer_loading: true }, finder],
      }),
    ],
  },
  {
    refusal: "a reference to an unknown tool in a client's result",
    source: "`Tool reference 'get_time' not found in available tools`",
    body: body([
      question,
      model(call("toolu_1")),
      user(result("toolu_1", { content: [{ type: "tool_reference", tool_name: "get_time" }] })),
    ]),
    rule: "undefined-tool",
    severity: "warning",
    pointer: "/messages/2/content/0/content/0/tool_name",
    legal: [
      body([
        question,
        model(call("toolu_1")),
        user(result("toolu_1", { content: [{ type: "tool_reference", tool_name: "get_weather" }] })),
      ]),
    ],
  },
  {
    refusal: "the result of a call from running code, without the container that runs it",
    source:
      "`container_id is required when there are pending tool uses generated by code execution with tools.`",
    body: body(programmatic, withCode),
    rule: "invalid-request",
    severity: "warning",
    pointer: "",
    legal: [
      body(programmatic, { ...withCode, container: "container_1" }),
      body([...programmatic, model(call("toolu_2", fromCode)), user(result("toolu_2"))], {
        ...withCode,
        container: "container_1",
      }),
    ],
  },
];

const url = "https://api.anthropic.com/v1/messages";
for (const rows of [pairing, ids, content, turns, reasoning, sampling, tools, serverTools])
  testRefusals(url, rows, "served");
