import { expect, test } from "vitest";
import { check } from "../src/index.ts";
import { matchErrorText } from "../src/rules/match-error-text.ts";
import { misspelt } from "../src/rules/requests/nearest.ts";
import { refusedMember } from "../src/rules/requests/refused-member.ts";

const question = { role: "user", content: "What is the weather in Lima?" };

async function rulesFor(log: object): Promise<string[]> {
  const { findings } = await check(log);
  return findings.map(({ rule, severity, location }) => `${severity} ${rule} ${location.pointer}`);
}

test("where another rule finds fault with the same place, the schema is silent", async () => {
  const call = { type: "tool_use", id: "toolu_1", name: "get_weather", input: {} };
  const tool_calls = [
    { id: "toolu_1", type: "function", function: { name: "get_weather", arguments: "{}" } },
  ];
  const result = { role: "tool", tool_call_id: "toolu_1", content: "18 degrees" };
  const messages = [question, { role: "assistant", content: [call], tool_calls }, result];
  const tools = [{ type: "function", function: { name: "get_weather" } }];
  expect(await rulesFor({ model: "gpt-5-mini", tools, messages })).toEqual([
    "warning mixed-protocols /messages/1/content/0",
  ]);
});

test("the same slip in every message is one finding", async () => {
  const said = { role: "assistant", content: [{ type: "input_text", text: "18 degrees" }] };
  const input = [question, said, question, said, question];
  expect(await rulesFor({ model: "gpt-5-mini", store: true, input })).toEqual([
    "warning invalid-request /input/1/content/0/type",
  ]);
});

test("what a message lacks counts although a server of nobody's answered; a setting may be missing in the log alone", async () => {
  const response = {
    choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
  };
  const nameless = { id: "call_1", type: "function", function: { arguments: "{}" } };
  const messages = [
    question,
    { role: "assistant", content: null, tool_calls: [nameless] },
    { role: "tool", tool_call_id: "call_1", content: "18 degrees" },
  ];
  const url = "http://127.0.0.1:4000/v1/chat/completions";
  expect(await rulesFor({ url, request: { model: "gpt-5-mini", messages }, response })).toContain(
    "warning invalid-request /messages/1/tool_calls/0/function",
  );
  const tools = [{ type: "function", function: { description: "The weather" } }];
  expect(
    await rulesFor({ url, request: { model: "gpt-5-mini", messages: [question], tools }, response }),
  ).toEqual(["info invalid-request /tools/0/function"]);
});

test("a refusal has the fault of the request as its cause", async () => {
  const { findings } = await check({
    url: "https://api.openai.com/v1/responses",
    request: {
      model: "gpt-5-mini",
      input: [question, { role: "assistant", content: [{ type: "input_text", text: "18" }] }, question],
    },
    status: 400,
    response: {
      error: {
        message: "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
        type: "invalid_request_error",
        param: "input[1].content[0]",
        code: "invalid_value",
      },
    },
  });
  expect(findings.map(({ rule }) => rule)).toContain("provider-rejected");
  const roots = findings.filter(({ cause }) => cause === null);
  expect(roots.map(({ rule, severity }) => `${severity} ${rule}`)).toEqual(["error invalid-request"]);
});

test("members are compared with the schema only where they may be misspelt", () => {
  expect(misspelt("max_token", ["max_tokens", "model"])).toBe("max_tokens");
  expect(misspelt("toolCalls", ["tool_calls"])).toBe("tool_calls");
  expect(misspelt("top_k", ["top_p"])).toBeUndefined();
  expect(misspelt("max", ["max_tokens"])).toBeUndefined();
});

test.each([
  ["Unrecognized request argument supplied: top_k", ["top_k"]],
  ["Unknown parameter: 'tools[0].function'.", ["tools", "0", "function"]],
  ["Missing required parameter: 'tools[7].name'.", ["tools", "7", "name"]],
  ["Invalid type for 'temperature': expected a decimal, but got a string instead.", ["temperature"]],
  [
    `{"type":"error","error":{"message":"response_format: Extra inputs are not permitted"}}`,
    ["response_format"],
  ],
  ["max_tokens: Field required", ["max_tokens"]],
  [`Invalid JSON payload received. Unknown name "thinking": Cannot find field.`, ["thinking"]],
  ["Failed to deserialize the JSON body: tools[0]: missing field `name` at line 1", ["tools", "0", "name"]],
  ["Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.", undefined],
  ["The model is overloaded. Please try again later.", undefined],
])("a provider that answers `%s` means %j", (text, member) => {
  expect(refusedMember(matchErrorText(text)?.complaint, undefined)).toEqual(member);
});

test("an error's own `param` says better what is meant than its words", () => {
  const { complaint } = matchErrorText("Unknown parameter: 'a'.") ?? {};
  expect(refusedMember(complaint, "tools[0].function")).toEqual(["tools", "0", "function"]);
});
