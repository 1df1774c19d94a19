import { type Refusal, testRefusals } from "./table.ts";

/** One body for Gemini generateContent, refusal by refusal. */

const text = (words: string) => ({ text: words });
const user = (...parts: object[]) => ({ role: "user", parts });
const model = (...parts: object[]) => ({ role: "model", parts });
const question = user(text("What is the weather in Lima?"));
const goOn = user(text("And in Quito?"));
const call = (city = "Lima", more: object = {}) => ({
  functionCall: { name: "get_weather", args: { city }, ...more },
});
const result = (more: object = {}) => ({
  functionResponse: { name: "get_weather", response: { degrees: 18 }, ...more },
});
const signed = { ...call(), thoughtSignature: "CpcBAdHt" };
const gemini3 = { model: "models/gemini-3-pro-preview" };
const declared = {
  name: "get_weather",
  description: "The weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } } },
};
const body = (contents: readonly object[], more: object = {}) => ({
  contents,
  tools: [{ functionDeclarations: [declared] }],
  ...more,
});
const round = [question, model(call()), user(result())];
const withTool = (more: object) =>
  body([question], { tools: [{ functionDeclarations: [{ ...declared, ...more }] }] });

const rows: readonly Refusal[] = [
  {
    refusal: "a call without a result",
    source: "https://github.com/google-gemini/gemini-cli/issues/4217",
    body: body([question, model(call()), goOn]),
    rule: "unanswered-tool-call",
    severity: "error",
    pointer: "/contents/1/parts/0",
    legal: [body(round)],
  },
  {
    refusal: "fewer results than calls",
    source: "https://github.com/google-gemini/gemini-cli/issues/17208",
    body: body([question, model(call(), call("Quito")), user(result())]),
    rule: "unanswered-tool-call",
    severity: "error",
    pointer: "/contents/1/parts/1",
    // Contents of one role are counted together.
    legal: [
      body([question, model(call(), call("Quito")), user(result(), result())]),
      body([question, model(call(), call("Quito")), user(result()), user(result())]),
    ],
  },
  {
    refusal: "more results than calls",
    source: "https://github.com/google-gemini/gemini-cli/issues/16974",
    body: body([question, model(call()), user(result(), result({ response: { degrees: 14 } }))]),
    rule: "orphaned-tool-result",
    severity: "error",
    pointer: "/contents/2/parts/1",
    legal: [body(round)],
  },
  {
    refusal: "a result without a call",
    source: "https://github.com/langchain-ai/langchain/issues/27799",
    body: body([question, model(text("Hm.")), user(result())]),
    rule: "orphaned-tool-result",
    severity: "error",
    pointer: "/contents/2/parts/0",
    legal: [body(round)],
  },
  {
    refusal: "a call that begins the history",
    source: "https://github.com/google-gemini/gemini-cli/issues/11814",
    body: body([model(call()), user(result())]),
    rule: "bad-turn-order",
    severity: "warning",
    pointer: "/contents/0/parts/0",
    legal: [body(round), body([user(text("Go on.")), model(call()), user(result())])],
  },
  {
    refusal: "a call at the end",
    source: "https://github.com/songquanpeng/one-api/issues/836",
    body: body([question, model(call())], { model: "models/gemini-2.5-flash" }),
    rule: "unanswered-tool-call",
    severity: "error",
    pointer: "/contents/1/parts/0",
    legal: [body(round)],
  },
  {
    refusal: "the model's own words at the end",
    source: "https://github.com/LibreChat-AI/agents/pull/323",
    body: body([question, model(text("It is"))], { model: "models/gemini-3.6-flash" }),
    rule: "bad-turn-order",
    severity: "warning",
    pointer: "/contents/1/parts/0",
    legal: [
      body([question], { model: "models/gemini-3.6-flash" }),
      // Earlier models go on with the words.
      body([question, model(text("It is"))], { model: "models/gemini-3.5-flash" }),
      body([question, model(text("It is"))], { model: "models/gemini-2.5-flash" }),
    ],
  },
  {
    refusal: "an unknown role",
    source: "https://github.com/songquanpeng/one-api/issues/1385",
    body: body([question, { role: "assistant", parts: [text("18 degrees.")] }, goOn]),
    rule: "bad-turn-order",
    severity: "warning",
    pointer: "/contents/1/role",
    legal: [body([question, model(text("18 degrees.")), goOn])],
  },
  {
    refusal: "a content without parts",
    source: "https://github.com/coze-dev/coze-studio/issues/46",
    body: body([question, model(), goOn]),
    rule: "empty-content",
    severity: "warning",
    pointer: "/contents/1/parts",
    legal: [body([question, model(text("18 degrees.")), goOn])],
  },
  {
    refusal: "a part that holds nothing",
    source: "`contents[1].parts[0].data: required oneof field 'data' must have one initialized field`",
    body: body([question, model({}), goOn]),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/contents/1/parts/0",
    // Clients keep the empty texts of empty chunks.
    legal: [body([question, model(text("18 degrees."), text("")), goOn])],
  },
  {
    refusal: "no contents",
    source: "`* GenerateContentRequest.contents: contents is not specified`",
    body: body([], { systemInstruction: { parts: [text("Be brief.")] } }),
    rule: "bad-turn-order",
    severity: "warning",
    pointer: "/contents",
    legal: [body([question])],
  },
  {
    refusal: "a result with an empty name",
    source: "`* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.`",
    body: body([question, model(call()), user(result({ name: "" }))]),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/contents/2/parts/0/functionResponse/name",
    legal: [body(round)],
  },
  {
    refusal: "a result without a name",
    source: "`* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.`",
    body: body([question, model(call()), user({ functionResponse: { response: { degrees: 18 } } })]),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/contents/2/parts/0/functionResponse",
    legal: [body(round)],
  },
  {
    refusal: "a call without a name",
    source: "`* GenerateContentRequest.contents[1].parts[0].function_call.name: Name cannot be empty.`",
    body: body([question, model({ functionCall: { args: {} } }), user(result())]),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/contents/1/parts/0/functionCall",
    legal: [body(round)],
  },
  {
    refusal: "a result of another tool than the one called",
    source: "https://github.com/google-gemini/gemini-cli/issues/5443",
    body: body([question, model(call("Lima", { id: "a" })), user(result({ id: "a", name: "get_time" }))]),
    rule: "result-kind-mismatch",
    severity: "warning",
    atHost: "warning",
    pointer: "/contents/2/parts/0",
    legal: [body([question, model(call("Lima", { id: "a" })), user(result({ id: "a" }))])],
  },
  {
    refusal: "a result that is text",
    source:
      "`Invalid value at 'contents[2].parts[0].function_response.response' (type.googleapis.com/google.protobuf.Struct)`",
    body: body([question, model(call()), user(result({ response: "18 degrees" }))]),
    rule: "malformed-tool-result",
    severity: "warning",
    pointer: "/contents/2/parts/0/functionResponse/response",
    legal: [body([question, model(call()), user(result({ response: { output: "18 degrees" } }))])],
  },
  {
    refusal: "arguments that are text",
    source:
      "`Invalid value at 'contents[1].parts[0].function_call.args' (type.googleapis.com/google.protobuf.Struct)`",
    body: body([question, model(call("Lima", { args: '{"city":"Lima"}' })), user(result())]),
    rule: "misencoded-arguments",
    severity: "warning",
    pointer: "/contents/1/parts/0/functionCall/args",
    legal: [body([question, model(call("Lima", { args: undefined })), user(result())])],
  },
  {
    refusal: "a declared name that begins with a digit",
    source:
      "`tools[0].function_declarations[0].name: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore.`",
    body: withTool({ name: "3d_model" }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/tools/0/functionDeclarations/0/name",
    legal: [withTool({ name: "_3d.model:x-1" })],
  },
  {
    refusal: "a declared name with a slash",
    source: "`tools[0].function_declarations[0].name: [FIELD_INVALID] Invalid function name.`",
    body: withTool({ name: "weather/get" }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/tools/0/functionDeclarations/0/name",
    legal: [withTool({ name: "weather.get" })],
  },
  {
    refusal: "two functions of one name",
    source: "`Duplicate function declaration found: get_weather`",
    body: body([question], { tools: [{ functionDeclarations: [declared, declared] }] }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/tools/0/functionDeclarations/1/name",
    legal: [
      body([question], { tools: [{ functionDeclarations: [declared, { ...declared, name: "get_time" }] }] }),
    ],
  },
  {
    refusal: "a member of a schema that the API does not have",
    source:
      "`Unknown name \"additionalProperties\" at 'tools[0].function_declarations[0].parameters': Cannot find field.`",
    body: withTool({
      parameters: { ...declared.parameters, $schema: "http://json-schema.org/draft-07/schema#" },
    }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/tools/0/functionDeclarations/0/parameters/$schema",
    legal: [
      withTool({
        parameters: undefined,
        parametersJsonSchema: { ...declared.parameters, $schema: "http://json-schema.org/draft-07/schema#" },
      }),
    ],
  },
  {
    refusal: "a list of types in a schema",
    source: "`Proto field is not repeating, cannot start list.`",
    body: withTool({ parameters: { type: "object", properties: { city: { type: ["string", "null"] } } } }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/tools/0/functionDeclarations/0/parameters/properties/city/type",
    legal: [
      withTool({ parameters: { type: "object", properties: { city: { type: "string", nullable: true } } } }),
    ],
  },
  {
    refusal: "a list without the type of its items",
    source:
      "`GenerateContentRequest.tools[0].function_declarations[0].parameters.properties[cities].items: missing field.`",
    body: withTool({ parameters: { type: "object", properties: { cities: { type: "array" } } } }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/tools/0/functionDeclarations/0/parameters/properties/cities",
    legal: [
      withTool({
        parameters: { type: "object", properties: { cities: { type: "array", items: { type: "string" } } } },
      }),
    ],
  },
  {
    refusal: "a list of numbers to choose from",
    source: "`parameters.properties[days].enum: only allowed for STRING type`",
    body: withTool({
      parameters: { type: "object", properties: { days: { type: "integer", enum: [1, 7] } } },
    }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/tools/0/functionDeclarations/0/parameters/properties/days/enum",
    legal: [
      withTool({
        parameters: { type: "object", properties: { unit: { type: "string", enum: ["C", "F"] } } },
      }),
    ],
  },
  {
    refusal: "JSON for an answer while functions are offered, for Gemini 2",
    source: "`Function calling with a response mime type: 'application/json' is unsupported`",
    body: body([question], {
      model: "models/gemini-2.5-flash",
      generationConfig: { responseMimeType: "application/json" },
    }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/generationConfig/responseMimeType",
    legal: [
      body([question], {
        model: "models/gemini-3-flash",
        generationConfig: { responseMimeType: "application/json" },
      }),
      body([question], {
        model: "models/gemini-2.5-flash",
        tools: undefined,
        generationConfig: { responseMimeType: "application/json" },
      }),
    ],
  },
  {
    refusal: "Google's search while functions are offered, for Gemini 2",
    source: "https://github.com/googleapis/go-genai/issues/323",
    body: body([question], {
      model: "models/gemini-2.5-flash",
      tools: [{ functionDeclarations: [declared] }, { googleSearch: {} }],
    }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/tools/1/googleSearch",
    legal: [
      body([question], { model: "models/gemini-2.5-flash", tools: [{ googleSearch: {} }] }),
      body([question], {
        model: "models/gemini-3-flash-preview",
        tools: [{ functionDeclarations: [declared] }, { googleSearch: {} }],
      }),
    ],
  },
  {
    refusal: "a required property that is not defined",
    source:
      "`GenerateContentRequest.tools[0].function_declarations[0].parameters.required[0]: property is not defined`",
    body: withTool({ parameters: { ...declared.parameters, required: ["town"] } }),
    rule: "invalid-request",
    severity: "warning",
    pointer: "/tools/0/functionDeclarations/0/parameters/required/0",
    legal: [withTool({ parameters: { ...declared.parameters, required: ["city"] } })],
  },
  {
    refusal: "a call of the current turn without a signature, for Gemini 3",
    source: "https://ai.google.dev/gemini-api/docs/thought-signatures",
    body: body(round, gemini3),
    rule: "dropped-reasoning",
    severity: "warning",
    pointer: "/contents/1/parts/0",
    legal: [
      body([question, model(signed), user(result())], gemini3),
      // Of parallel calls only the first is signed, and earlier turns are not checked.
      body([question, model(signed, call("Quito")), user(result(), result())], gemini3),
      // Google's own client keeps each chunk of a stream as a content.
      body([question, model(signed), model(call("Quito")), user(result(), result())], gemini3),
      body([...round, model(text("18 degrees.")), goOn], gemini3),
      body(round, { model: "models/gemini-2.5-pro" }),
      body(
        [
          question,
          model({ ...call(), thoughtSignature: "skip_thought_signature_validator" }),
          user(result()),
        ],
        gemini3,
      ),
    ],
  },
  {
    refusal: "a second step of the current turn without a signature, for Gemini 3",
    source: "https://github.com/nanbingxyz/5ire/issues/405",
    body: body([question, model(signed), user(result()), model(call("Quito")), user(result())], gemini3),
    rule: "dropped-reasoning",
    severity: "warning",
    pointer: "/contents/3/parts/0",
    legal: [
      body(
        [question, model(signed), user(result()), model({ ...signed, ...call("Quito") }), user(result())],
        gemini3,
      ),
    ],
  },
];

testRefusals(
  "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent",
  rows,
  "served",
);
