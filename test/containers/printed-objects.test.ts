import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";

/** Logs in which a program printed its own objects: nothing of the wire is in them. */

async function findingsOf(log: string): Promise<readonly string[]> {
  const { findings } = await check(log);
  return findings.map(({ rule, severity, message }) => `${severity} ${rule}: ${message}`);
}

const unanswered =
  "warning unanswered-tool-call: call `call_2` to `weather` has no result anywhere in this request";

describe("messages that Spring AI prints", () => {
  const call = (id: string, city: string): string =>
    `ToolCall[id=${id}, type=function, name=weather, arguments={"city":"${city}"}]`;
  const prompt = (calls: string): string =>
    `2026-01-02 DEBUG advisor: request: Prompt{messages=[SystemMessage{textContent='You help, always.', messageType=SYSTEM, metadata={messageType=SYSTEM}}, UserMessage{content='Rain in [Oslo] or Rome?', properties={messageType=USER}, messageType=USER}, AssistantMessage [messageType=ASSISTANT, toolCalls=[${calls}], textContent=, metadata={finishReason=TOOL_CALLS}], ToolResponseMessage{responses=[ToolResponse[id=call_1, name=weather, responseData="rain"]], messageType=TOOL, metadata={messageType=TOOL}}], modelOptions=Options@1f}\n`;

  test("show the call without a result", async () => {
    expect(await findingsOf(prompt(`${call("call_1", "Oslo")}, ${call("call_2", "Rome")}`))).toEqual([
      unanswered,
    ]);
  });

  test("that are complete pass", async () => {
    expect(await findingsOf(prompt(call("call_1", "Oslo")))).toEqual([]);
  });

  test("may be a reply", async () => {
    const log = `ChatResponse [metadata={ id: x }, generations=[Generation[assistantMessage=AssistantMessage [messageType=ASSISTANT, toolCalls=[${call("call_1", "Oslo")}], textContent=, metadata={}], chatGenerationMetadata=DefaultMetadata[finishReason=TOOL_CALLS]]]]\n`;
    expect(await findingsOf(log)).toEqual([
      "info unclosed-loop: the reply asks for `weather`, and no later request carries a result",
    ]);
  });
});

describe("messages that LangChain4j prints", () => {
  const request = (id: string): string =>
    `ToolExecutionRequest { id = "${id}", name = "weather", arguments = "{"city":"Oslo"}" }`;
  const history = (...ids: readonly string[]): string =>
    `messages: [SystemMessage { text = "Help." }, UserMessage { name = null contents = [TextContent { text = "Rain?" }] }, AiMessage { text = null toolExecutionRequests = [${ids.map(request).join(", ")}] }, ToolExecutionResultMessage { id = "call_1" toolName = "weather" text = "rain" }]\n`;

  test("show the call without a result", async () => {
    expect(await findingsOf(history("call_1", "call_2"))).toEqual([unanswered]);
    expect(await findingsOf(history("call_1"))).toEqual([]);
  });

  test("may be a reply", async () => {
    const log = `ChatResponse { aiMessage = AiMessage { text = "I look." toolExecutionRequests = [${request("call_1")}] }, finishReason = TOOL_EXECUTION }\n`;
    expect(await findingsOf(log)).toEqual([
      "info unclosed-loop: the reply asks for `weather`, and no later request carries a result",
    ]);
  });
});

test("messages that Go prints are those of the wire", async () => {
  const log = (id: string): string =>
    `2026/01/02 15:04:05 messages: [{Role:user Content:Rain: where? ToolCalls:[] ToolCallID:} {Role:assistant Content: ToolCalls:[{ID:call_1 Type:function Function:{Name:weather Arguments:{"city":"Oslo"}}}] ToolCallID:} {Role:tool Content:rain ToolCalls:[] ToolCallID:${id}}]\n`;
  expect(await findingsOf(log("call_2"))).toEqual([
    "error call-id-mismatch: tool result names `call_2`; the open call to `weather` is `call_1`: only the end differs",
  ]);
  expect(await findingsOf(log("call_1"))).toEqual([]);
});

test("maps that Elixir prints are those of the wire", async () => {
  const log = (id: string): string =>
    `[debug] messages: [%{content: "Rain?", role: :user}, %{content: nil, role: :assistant, tool_calls: [%{"function" => %{"arguments" => "{\\"city\\":\\"Oslo\\"}", "name" => "weather"}, "id" => "call_1", "type" => "function"}]}, %{content: "rain", role: :tool, tool_call_id: "${id}"}]\n`;
  expect(await findingsOf(log("call_2"))).toEqual([
    "error call-id-mismatch: tool result names `call_2`; the open call to `weather` is `call_1`: only the end differs",
  ]);
  expect(await findingsOf(log("call_1"))).toEqual([]);
});

describe("messages that Ruby prints", () => {
  const message = (role: string, members: string): string =>
    `#<RubyLLM::Message:0x0000000128 @role=:${role}, @input_tokens=nil, ${members}>`;
  const content = (text: string): string =>
    `@content=#<RubyLLM::Content:0x01 @attachments=[], @text="${text}">`;
  const call = (id: string): string =>
    `"${id}" => #<RubyLLM::ToolCall:0x02 @arguments={"city" => "Oslo"}, @id="${id}", @name="weather">`;
  const result = (id: string): string => message("tool", `${content("rain")}, @tool_call_id="${id}"`);

  test("show the call without a result", async () => {
    const log = [
      message("user", content("Rain?")),
      message("assistant", `${content("")}, @tool_calls={${call("call_1")}, ${call("call_2")}}`),
      result("call_1"),
      message("user", content("And now?")),
    ].join(",\n ");
    expect(await findingsOf(`${log}\n`)).toEqual([unanswered]);
    expect(await findingsOf(`[${log.replace(`, ${call("call_2")}`, "")}]\n`)).toEqual([]);
  });
});

describe("messages that Rust prints", () => {
  const call = (id: string): string =>
    `ToolCall(ToolCall { id: "${id}", call_id: None, function: ToolFunction { name: "weather", arguments: Object {"city": String("Oslo")} } })`;
  const history = (...more: readonly string[]): string =>
    `DEBUG history: [User { content: OneOrMany { first: Text(Text { text: "Rain?" }), rest: [] } }, Assistant { id: None, content: OneOrMany { first: ${call("call_1")}, rest: [${more.join(", ")}] } }, User { content: OneOrMany { first: ToolResult(ToolResult { id: "call_1", call_id: None, content: OneOrMany { first: Text(Text { text: "rain" }), rest: [] } }), rest: [] } }]\n`;

  test("show the call without a result", async () => {
    expect(await findingsOf(history(call("call_2")))).toEqual([unanswered]);
    expect(await findingsOf(history())).toEqual([]);
  });
});

test("items of LiveKit that a program printed one below the other are one history", async () => {
  const log = (
    id: string,
  ): string => `ChatMessage(id='item_1', type='message', role='user', content=['Rain?'], interrupted=False),
FunctionCall(id='item_2/fnc_0', type='function_call', call_id='call_1', arguments='{}', name='weather'),
FunctionCall(id='item_2/fnc_1', type='function_call', call_id='call_2', arguments='{}', name='weather'),
FunctionCallOutput(id='item_3', name='weather', type='function_call_output', call_id='call_1', output='rain', is_error=False),
FunctionCallOutput(id='item_4', name='weather', type='function_call_output', call_id='${id}', output='sun', is_error=False),
ChatMessage(id='item_5', type='message', role='user', content=['And now?'], interrupted=False),
`;
  expect(await findingsOf(log("call_2"))).toEqual([]);
  expect(await findingsOf(log("call_1"))).toContainEqual(unanswered);
});

describe("messages that Haystack prints", () => {
  const call = (id: string): string =>
    `ToolCall(tool_name='weather', arguments={'city': 'Oslo'}, id='${id}', extra=None)`;
  const said = (role: string, parts: string, meta = "{}"): string =>
    `ChatMessage(_role=<ChatRole.${role.toUpperCase()}: '${role}'>, _content=[${parts}], _name=None, _meta=${meta})`;
  const history = (...ids: readonly string[]): string =>
    `[${[
      said("user", "TextContent(text='Rain?')"),
      said("assistant", ids.map(call).join(", "), "{'finish_reason': 'tool_calls'}"),
      said("tool", `ToolCallResult(result='rain', origin=${call("call_1")}, error=False)`),
    ].join(", ")}]`;

  test("show the call without a result", async () => {
    expect(await findingsOf(`INFO messages: ${history("call_1", "call_2")}\n`)).toEqual([unanswered]);
    expect(await findingsOf(`INFO messages: ${history("call_1")}\n`)).toEqual([]);
  });

  test("one below the other are one history", async () => {
    const lines = history("call_1", "call_2").slice(1, -1).replaceAll("), ChatMessage(", ")\nChatMessage(");
    expect(await findingsOf(`${lines}\n`)).toEqual([unanswered]);
  });

  test("may be what a generator returned", async () => {
    const meta = "{'model': 'gpt-5', 'finish_reason': 'tool_calls'}";
    expect(await findingsOf(`{'replies': [${said("assistant", call("call_1"), meta)}]}\n`)).toEqual([
      "info unclosed-loop: the reply asks for `weather`, and no later request carries a result",
    ]);
  });
});
