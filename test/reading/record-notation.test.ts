import { describe, expect, test } from "vitest";
import { looksPrinted, printedLiteral } from "../../src/reading/literal.ts";

function read(text: string): unknown {
  const bytes = Buffer.from(text);
  expect(looksPrinted(bytes, 0, bytes.length)).toBe(true);
  const literal = printedLiteral(bytes, 0, bytes.length);
  return literal && JSON.parse(`${literal.bytes}`);
}

describe("what Java, Kotlin and C# print for an object is read as JSON", () => {
  test.each([
    [
      "a record of Java",
      'ToolCall[id=c1, type=function, name=weather, arguments={"city":"Oslo, Norway"}]',
      { id: "c1", type: "function", name: "weather", arguments: '{"city":"Oslo, Norway"}' },
    ],
    [
      "arguments that are cut into pieces",
      'Reply[calls=[ToolCall[id=c1, arguments={"city], ToolCall[id=, arguments=": "Oslo"}]], text=]',
      {
        calls: [
          { id: "c1", arguments: '{"city' },
          { id: "", arguments: '": "Oslo"}' },
        ],
        text: "",
      },
    ],
    [
      "pieces that begin and end with quotes and brackets",
      'Reply[calls=[Call[id=a, args={], Call[id=, args="to": ["Os], Call[id=, args=lo"]], Call[id=, args=}]], text=]',
      {
        calls: [
          { id: "a", args: "{" },
          { id: "", args: '"to": ["Os' },
          { id: "", args: 'lo"]' },
          { id: "", args: "}" },
        ],
        text: "",
      },
    ],
    [
      "a list of calls whose last piece ends with brackets",
      '[ToolCall[id=a, arguments=], ToolCall[id=, arguments={"to": ["Os], ToolCall[id=, arguments=lo"]}]]',
      [
        { id: "a", arguments: "" },
        { id: "", arguments: '{"to": ["Os' },
        { id: "", arguments: 'lo"]}' },
      ],
    ],
    [
      "a list within an object whose last piece ends with a bracket",
      'Reply{calls=[Call(id=a, args={"to": ["Os), Call(id=, args=lo"]})], text=}',
      {
        calls: [
          { id: "a", args: '{"to": ["Os' },
          { id: "", args: 'lo"]}' },
        ],
        text: "",
      },
    ],
    [
      "lists within a list",
      "[Reply[calls=[Call[id=a, args={}]]], Reply[calls=[Call[id=b, args={}]]]]",
      [{ calls: [{ id: "a", args: "{}" }] }, { calls: [{ id: "b", args: "{}" }] }],
    ],
    [
      "a text with commas, brackets and quotes",
      "AssistantMessage [textContent=It's [1, 2], a list, metadata={index=0, refusal=null}]",
      { textContent: "It's [1, 2], a list", metadata: { index: 0, refusal: null } },
    ],
    [
      "quotes without escapes",
      "UserMessage{content='What's up, \"Doc\"?', messageType=USER}",
      { content: 'What\'s up, "Doc"?', messageType: "USER" },
    ],
    [
      "members apart by spaces, JSON in quotes",
      'AiMessage { text = null toolExecutionRequests = [ToolExecutionRequest { id = "c1", name = "add", arguments = "{\n "a": "2"\n}" }] }',
      {
        text: null,
        toolExecutionRequests: [{ id: "c1", name: "add", arguments: '{\n "a": "2"\n}' }],
        type: "AI",
      },
    ],
    [
      "the records of an SDK of a wire, with the constants of its language",
      "ChatCompletionMessage[rawContent=null, role=ASSISTANT, name=null, toolCalls=[ToolCall[index=null, id=c1]], toolCallId=null]",
      { content: null, role: "assistant", tool_calls: [{ id: "c1" }] },
    ],
    ["an optional value", "Reply{id=Optional[c1], name=Optional.empty}", { id: "c1", name: null }],
    [
      "a data class of Kotlin",
      "ChatMessage(role=user, content=Hello, you, toolCalls=null)",
      { role: "user", content: "Hello, you", toolCalls: null },
    ],
    [
      "a record of C#",
      "ChatMessage { Role = user, Content = Hello, ToolCallId = c1 }",
      { role: "user", content: "Hello", tool_call_id: "c1" },
    ],
    [
      "the wire's names in another case",
      "ChatCompletionMessage{role=assistant, toolCalls=[ChatCompletionMessageToolCall{id=c1, function=Function{name=add, arguments={}}}]}",
      { role: "assistant", tool_calls: [{ id: "c1", function: { name: "add", arguments: "{}" } }] },
    ],
    ["a list", "[Part[text=a], Part[text=b]]", [{ text: "a" }, { text: "b" }]],
    [
      "the fragments of arguments",
      'M [toolCalls=[ToolCall[id=c1, name=add, arguments=], ToolCall[id=, name=, arguments={], ToolCall[id=, name=, arguments="a": ["x"]}]], textContent=]',
      {
        toolCalls: [
          { id: "c1", name: "add", arguments: "" },
          { id: "", name: "", arguments: "{" },
          { id: "", name: "", arguments: '"a": ["x"]}' },
        ],
        textContent: "",
      },
    ],
  ])("%s", (_, text, value) => {
    expect(read(text)).toEqual(value);
  });

  test("what the log cuts off stays open", () => {
    const bytes = Buffer.from("AssistantMessage [toolCalls=[ToolCall[id=c1, name=wea");
    expect(`${printedLiteral(bytes, 0, bytes.length)?.bytes}`).toBe('{"toolCalls":[{"id":"c1","name":"wea"');
  });
});

describe("what Go prints for a struct is read as JSON", () => {
  const call = { id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } };
  test.each([
    [
      "with names: %+v",
      '[{Role:user Content:Note this: rain? Name: ToolCalls:[]} {Role:assistant Content: FunctionCall:<nil> ToolCalls:[{ID:c1 Type:function Function:{Name:weather Arguments:{"city":"Oslo"}}}] ToolCallID:}]',
      [
        { role: "user", content: "Note this: rain?" },
        { role: "assistant", content: "", tool_calls: [call] },
      ],
    ],
    [
      "as a pointer, with parts in place of a text",
      "&{Role:user Content: MultiContent:[{Type:text Text:Rain?}] Extra:map[seed:7]}",
      { role: "user", content: [{ type: "text", text: "Rain?" }], extra: { seed: 7 } },
    ],
    [
      "in the language's syntax: %#v",
      'openai.ChatCompletionMessage{Role:"assistant", Content:"a \\"b\\"", Parts:[]openai.Part(nil), ToolCalls:[]openai.ToolCall{openai.ToolCall{Index:(*int)(0xc0000120), ID:"c1", Type:"function", Function:openai.FunctionCall{Name:"weather", Arguments:"{\\"city\\":\\"Oslo\\"}"}}}}',
      { role: "assistant", content: 'a "b"', tool_calls: [{ index: null, ...call }] },
    ],
    [
      "with arguments that are cut off",
      '[{Role:assistant Content: ToolCalls:[{ID:c1 Type:function Function:{Name:weather Arguments:{"city":"Os}}] ToolCallID:} {Role:tool Content:"rain" ToolCallID:c1}]',
      [
        {
          role: "assistant",
          content: "",
          tool_calls: [{ ...call, function: { name: "weather", arguments: '{"city":"Os' } }],
        },
        { role: "tool", content: "rain", tool_call_id: "c1" },
      ],
    ],
  ])("%s", (_, text, value) => {
    expect(read(text)).toEqual(value);
  });
});

test.each([
  ["JSON", '{"Role":"user"}'],
  ["JavaScript with a space", "{ Role: 'user' }"],
  ["minified JavaScript", "{Role:'user',Content:\"x\"}"],
  ["Python", "Message(role='user', content='x')"],
  ["code of Python", "ToolMessage(content=result, tool_call_id=call_id)"],
])("%s is not taken for it", (_, text) => {
  const bytes = Buffer.from(text);
  expect(["java", "go"]).not.toContain(printedLiteral(bytes, 0, bytes.length)?.dialect);
});
