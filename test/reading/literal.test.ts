import { describe, expect, test } from "vitest";
import { looksPrinted, printedLiteral } from "../../src/reading/literal.ts";

const read = (text: string, start = 0) => {
  const bytes = Buffer.from(text);
  const literal = printedLiteral(bytes, start, bytes.length);
  return literal && { json: literal.bytes.toString(), end: literal.end };
};
const json = (text: string): unknown => JSON.parse(read(text)?.json ?? "null");

test("a variable of the program is left out, a constant is unknown", () => {
  expect(json("{'role': 'user', 'content': question, 'seed': NOT_GIVEN}")).toEqual({
    role: "user",
    seed: null,
  });
});

test("a text that ends at the end of a line is cut off, and not wrapped", () => {
  const log = "{'role': 'user', 'content': 'the weather of all towns, \n";
  expect(read(`${log}'name': 'Ada'}`)).toBeUndefined();
  expect(read(`${log}2026-03-01 the client's turn, 'Ada'`)).toBeUndefined();
});

test("two texts without a comma between them are no text of JSON", () => {
  expect(read('["Bern"\n "Oslo", None]')).toBeUndefined();
});

describe("a literal of Python is read as JSON", () => {
  test.each([
    ["a dict with words", "{'a': None, 'b': True, 'c': False}", { a: null, b: true, c: false }],
    ["a list, a tuple and trailing commas", "[1, -2.5, 1e3, (3,), ['x',],]", [1, -2.5, 1000, [3], ["x"]]],
    [
      "strings in either quotes",
      `{'it': "it's", 'say': 'a "word"', 'both': 'it\\'s "so"'}`,
      { it: "it's", say: 'a "word"', both: 'it\'s "so"' },
    ],
    [
      "escapes of every length",
      String.raw`['\n\t\\', '\x41', '\u00fc', '\U0001f600', '\d']`,
      ["\n\t\\", "A", "ü", "😀", "\\d"],
    ],
    ["text beyond ASCII", "['Zürich 😀']", ["Zürich 😀"]],
    [
      "a text that pprint broke",
      `[{'role': 'user',\n  'content': "It's "\n             "Bern's "\n             'weather.'}]`,
      [{ role: "user", content: "It's Bern's weather." }],
    ],
    [
      "an object with named arguments",
      "Message(role='user', content=[Text(text='hi', type='text')], usage=None)",
      { role: "user", content: [{ text: "hi", type: "text" }], usage: null },
    ],
    [
      "an enumeration",
      "{'reason': <Finish.STOP: 'STOP'>, 'code': <Code.OK: 1>}",
      { reason: "STOP", code: 1 },
    ],
    [
      "an object that nobody can read",
      "{'client': <httpx.Client object at 0x7f1c>, 'timeout': NOT_GIVEN}",
      { client: null, timeout: null },
    ],
    ["bytes", "{'body': b'ok'}", { body: "ok" }],
    ["other arguments", "{'when': datetime.datetime(2025, 9, 14)}", { when: [2025, 9, 14] }],
    [
      "a time zone",
      "{'when': datetime.datetime(2025, 9, 14, tzinfo=datetime.timezone.utc)}",
      { when: [2025, 9, 14, null] },
    ],
    [
      "a text that rich wrapped at the width of a window",
      `{'role': 'user', 'content': 'the weather of all towns, \r\nBern \nand "Oslo"', 'name': "Ada's and all the others' \nown"}`,
      {
        role: "user",
        content: 'the weather of all towns, Bern and "Oslo"',
        name: "Ada's and all the others' own",
      },
    ],
    ["a value over several lines", "{'a': 1,\n 'b': [2,\n       3]}", { a: 1, b: [2, 3] }],
    ["not a number", "[nan, -inf]", [null, null]],
  ])("%s", (_, text, value) => {
    expect(json(text)).toEqual(value);
  });
});

describe("an object of a known class says what it is", () => {
  const call = { name: "add", args: { a: 2 }, id: "c1", type: "tool_call" };
  test.each([
    [
      "a message that Python printed",
      "ToolMessage(content='4', tool_call_id='c1')",
      { content: "4", tool_call_id: "c1", type: "ToolMessage" },
    ],
    [
      "a chunk, qualified by its module",
      "langchain_core.messages.AIMessageChunk(content='', tool_calls=[])",
      { content: "", tool_calls: [], type: "AIMessageChunk" },
    ],
    [
      "an argument by position before a named one",
      "[HumanMessage('add'), ToolMessage('4', tool_call_id='c1')]",
      [
        { content: "add", type: "HumanMessage" },
        { content: "4", tool_call_id: "c1", type: "ToolMessage" },
      ],
    ],
    ["an object without arguments", "[SystemMessage()]", [{ type: "SystemMessage" }]],
    ["one that names its role", "[ToolMessage(role='tool', content='4')]", [{ role: "tool", content: "4" }]],
    [
      "parts of Pydantic AI",
      "ModelResponse(parts=[ToolCallPart('add', '{}', tool_call_id='c1')], timestamp=datetime(2025, 7, 1, tzinfo=UTC))",
      {
        parts: [{ tool_name: "add", args: "{}", tool_call_id: "c1", part_kind: "tool-call" }],
        timestamp: [2025, 7, 1, null],
        kind: "response",
      },
    ],
    [
      "a message that Node printed",
      `[ AIMessage { "content": "", tool_calls: [ ${JSON.stringify(call)} ] } ]`,
      [{ content: "", tool_calls: [call], type: "AIMessage" }],
    ],
    [
      "a message that a program makes",
      '[new HumanMessage("add"), new AIMessage({ content: "", tool_calls: [] }), new SystemMessage({}, )]',
      [
        { content: "add", type: "HumanMessage" },
        { content: "", tool_calls: [], type: "AIMessage" },
        { type: "SystemMessage" },
      ],
    ],
  ])("%s", (_, text, value) => {
    expect(json(text)).toEqual(value);
    expect(looksPrinted(Buffer.from(text), 0, text.length)).toBe(true);
  });

  test("an object that the bytes cut off keeps what it has", () => {
    expect(read("[HumanMessage(content='add'), AIMessage(content='su")?.json).toBe(
      '[{"content":"add","type":"HumanMessage"},{"content":"su',
    );
  });

  test("a class of another name stays without a kind", () => {
    expect(json("[Message('add'), BaseMessage(content='x')]")).toEqual([["add"], { content: "x" }]);
  });
});

describe("what Node prints, and JSON5, is read as JSON", () => {
  test.each([
    [
      "members without quotes",
      "{ model: 'gpt-5', stream: true, seed: undefined }",
      { model: "gpt-5", stream: true, seed: null },
    ],
    ["strings in backticks", '[ `it\'s "so"` ]', ['it\'s "so"']],
    ["strings in segments", "{\n  text: 'one\\n' +\n    'two'\n}", { text: "one\ntwo" }],
    [
      "a class before its members",
      "Reply { id: 'r1', parts: [ Part { n: 1 } ] }",
      { id: "r1", parts: [{ n: 1 }] },
    ],
    ["code points in braces", "[ '\\u{1F600}' ]", ["😀"]],
    ["commas behind the last member", "{\n  a: [\n    1,\n  ],\n}", { a: [1] }],
  ])("%s", (_, text, value) => {
    expect(json(text)).toEqual(value);
  });

  test.each([
    ["{ model: 'gpt-5', messages: [ [Object] ] }", { model: "gpt-5" }, ["messages"]],
    ["{ messages: [Array], n: 1 }", { n: 1 }, ["messages"]],
    ["[ { role: 'user' }, [Object], [Function: now] ]", [{ role: "user" }], [undefined, undefined]],
    ["[Object: null prototype] { n: 1 }", { n: 1 }, []],
    ["[True, None]", [true, null], []],
  ])("without what it left out: %s", (text, value, keys) => {
    expect(json(text)).toEqual(value);
    const { gaps } = printedLiteral(Buffer.from(text), 0, text.length) ?? {};
    expect(gaps?.map(({ key }) => key)).toEqual(keys);
  });
});

describe("a value that JSON lacks costs nothing but itself", () => {
  const around = (value: string, before: string, after: string) => json(`${before}${value}${after}`);

  test.each([
    ["a date", "2026-11-27T13:51:44.000Z", "2026-11-27T13:51:44.000Z"],
    ["no date", "Invalid Date", null],
    ["a large number", "-12n", -12],
    ["a pattern", '/a{1,2}[)"]/gi', '/a{1,2}[)"]/gi'],
    ["a symbol", "Symbol(a b)", null],
    ["a function", "[Function: now]", null],
    ["a generator", "[AsyncGeneratorFunction: steps]", null],
    ["a class", "[class Chat extends Agent]", null],
    ["an accessor", "[Getter/Setter]", null],
    ["itself", "[Circular *1]", null],
    ["a function with properties", "[Function: now] { calls: 1 }", { calls: 1 }],
    ["an object around a text", "[String: 'a']", "a"],
    ["bytes", "<Buffer 68 65 6c 6c 6f>", null],
    ["an array of numbers", "Uint8Array(2) [ 1, 2 ]", [1, 2]],
    ["a map", "Map(2) { 'a' => 1, 'b' => [ 2 ] }", { a: 1, b: [2] }],
    ["a map by objects", "Map(1) { { k: 1 } => 'x' }", [[{ k: 1 }, "x"]]],
    ["an empty map", "Map(0) {}", {}],
    ["a set", "Set(2) { 'a', { b: 1 } }", ["a", { b: 1 }]],
    ["an iterator", "[Set Iterator] { 1 }", [1]],
    ["arguments", "[Arguments] [ 1, 2 ]", [1, 2]],
    ["a promise", "Promise { <pending> }", [null]],
    ["a promise that failed", "Promise {\n  <rejected> Error: no\n      at main (a.js:1:2)\n}", [null]],
    ["a class with a tag", "Object [Generator] {}", {}],
    ["a class of a module", "Intl.NumberFormat [Intl.NumberFormat] {}", {}],
    ["a prototype", "[Chat: null prototype] { n: 1 }", { n: 1 }],
    ["a list with properties", "[ 'ab', 'b', index: 0, input: 'ab', groups: undefined ]", ["ab", "b"]],
    ["a list with holes", "[ <2 empty items>, 1 ]", [null, 1]],
  ])("Node: %s", (_, text, value) => {
    expect(around(text, "{ model: 'm', extra: ", ", n: 1 }")).toEqual({ model: "m", extra: value, n: 1 });
    expect(around(text, "{\n  n: 1,\n  extra: ", "\n}")).toEqual({ n: 1, extra: value });
  });

  test.each([
    ["a set", "{1, 'a'}", [1, "a"]],
    ["a frozen set", "frozenset({'a'})", [["a"]]],
    ["a complex number", "(1+2j)", [null]],
    ["a function in a function", "<function main.<locals>.<lambda> at 0x7f1c>", null],
    ["a method", "<bound method Chat.ask of <__main__.Chat object at 0x7f1c>>", null],
    ["a type", "typing.Optional[typing.List[int]]", null],
    ["a type of two arguments", "dict[str, typing.Any]", null],
    ["keys that are numbers", "{1: 'x', 2.5: 'y'}", { 1: "x", "2.5": "y" }],
    ["keys that are tuples", "{(1, 'a'): 'x'}", { "(1, 'a')": "x" }],
    ["keys of an enumeration", "{<Code.OK: 1>: 'x'}", { "<Code.OK: 1>": "x" }],
  ])("Python: %s", (_, text, value) => {
    expect(around(text, "{'model': 'm', 'extra': ", ", 'n': 1}")).toEqual({ model: "m", extra: value, n: 1 });
    expect(around(text, "{'n': 1,\n 'extra': ", "}")).toEqual({ n: 1, extra: value });
  });

  test.each([
    ["{'role': 'user', 'content': question.strip(), 'n': 1}", { role: "user", n: 1 }],
    ["{'role': 'user', 'chat': Chat<3, 'open'>, 'n': 1}", { role: "user", n: 1 }],
    ["{ role: 'user', content: a ?? b, n: 1 }", { role: "user", n: 1 }],
    ["{ role: 'user', content: await ask(1) }", { role: "user" }],
  ])("what only the program can read is left out: %s", (text, value) => {
    expect(json(text)).toEqual(value);
    expect(printedLiteral(Buffer.from(text), 0, text.length)?.gaps).toMatchObject([{ isForeign: true }]);
  });
});

test("what Ruby prints is read as JSON", () => {
  expect(json('{"role"=>"user", "content"=>nil}')).toEqual({ role: "user", content: null });
  expect(json("{:role=>:user, :seen=>true, :client=>#<Client id=1>}")).toEqual({
    role: "user",
    seen: true,
    client: null,
  });
  expect(json('{role: "user", content: "a \\"word\\""}')).toEqual({ role: "user", content: 'a "word"' });
});

test("it ends where the literal ends", () => {
  expect(read("log {'a': 'b'} more", 4)).toEqual({ json: '{"a":"b"}', end: 14 });
});

test("what is cut is JSON that is cut", () => {
  expect(read("{'a': 'Zür")?.json).toBe('{"a":"Zür');
  expect(read("{'a': [1, 2")?.json).toBe('{"a":[1,');
});

test("what is no literal is none", () => {
  expect(read("{'a' 1}")).toBeUndefined();
  expect(read("{'a': 'b\nc'}")).toBeUndefined();
  expect(read("{1: 2}")).toBeUndefined();
  expect(read("[".repeat(500))).toBeUndefined();
});

test("every byte of the JSON leads back to the literal", () => {
  const text = `{'it': "it's \\'so\\'", 'n': [True]}`;
  const bytes = Buffer.from(text);
  const literal = printedLiteral(bytes, 0, bytes.length);
  const at = (word: string) => literal?.bytes.indexOf(word) ?? -1;
  const from = (offset: number) => literal?.segments.findLast((segment) => segment.at <= offset);
  expect(from(at("true"))).toMatchObject({ from: text.indexOf("True"), width: 4 });
  expect(from(at("it's"))).toMatchObject({ from: text.indexOf("it's"), length: 5 });
});

test("a language's way is told by its quotes, its names and its arrows", () => {
  const looks = (text: string) => looksPrinted(Buffer.from(text), 0, text.length);
  expect(looks("{'model': 1}")).toBe(true);
  expect(looks("[{'role': 1}]")).toBe(true);
  expect(looks("ChatCompletion(id='1')")).toBe(true);
  expect(looks("{ model: 1 }")).toBe(true);
  expect(looks("[ { role: 1 } ]")).toBe(true);
  expect(looks('{"model"=>1}')).toBe(true);
  expect(looks("{:model=>1}")).toBe(true);
  expect(looks('{"model": 1}')).toBe(false);
  expect(looks("[1, 2]")).toBe(false);
});

test("bytes beyond ASCII spell characters together where Python prints bytes", () => {
  const parsed = (text: string, from: number) => {
    const literal = printedLiteral(Buffer.from(text), from, text.length);
    return literal && JSON.parse(`${literal.bytes}`);
  };
  expect(parsed(String.raw`b'caf\xc3\xa9 \xf0\x9f\x91\x8b\n'`, 1)).toBe("café 👋\n");
  expect(parsed(String.raw`['caf\xe9', b'\xc3\xa9']`, 0)).toEqual(["café", "é"]);
  expect(parsed(String.raw`[b'\xff', b'\xc3\xa9t\xe9', b'\xc3', b'\xef\xbf\xbd']`, 0)).toEqual([
    "ÿ",
    "été",
    "Ã",
    "\ufffd",
  ]);
});

describe("objects of Ruby, Elixir and Rust are read with their members", () => {
  const call = { id: "c1", type: "function", function: { name: "add", arguments: '{"a":1}' } };
  test.each([
    [
      "an object of Ruby, over several lines",
      '#<Chat::Message:0x0000000128 @role=:assistant,\n @content=#<Chat::Content:0x01 @text="I add.", @files=[]>,\n @calls={"c1" =>\n  #<Chat::Call:0x02 @id="c1", @args={"a" => 1}>}>',
      {
        role: "assistant",
        content: { text: "I add.", files: [] },
        calls: { c1: { id: "c1", args: { a: 1 } } },
      },
    ],
    ["a struct of Ruby", '#<struct Call id="c1", name=nil>', { id: "c1", name: null }],
    [
      "a map of Elixir",
      '%{role: :tool, content: "4", meta: %{"a" => 1}, at: ~U[2025-01-02 03:04:05Z], pid: #PID<0.1.0>}',
      { role: "tool", content: "4", meta: { a: 1 }, at: "2025-01-02 03:04:05Z", pid: null },
    ],
    [
      "a struct of Elixir, with a keyword list",
      '%Chat.Message{role: :assistant, tool_calls: [%Chat.Call{id: "c1", arguments: nil}], options: [seed: 7]}',
      { role: "assistant", tool_calls: [{ id: "c1", arguments: null }], options: { seed: 7 } },
    ],
    [
      "variants of Rust",
      '[User(ChatCompletionRequestUserMessage { content: Text("Add."), name: None }), Assistant(ChatCompletionRequestAssistantMessage { content: None, tool_calls: Some([ChatCompletionMessageToolCall { id: "c1", r#type: Function, function: FunctionCall { name: "add", arguments: "{\\"a\\":1}" } }]) })]',
      [
        { content: "Add.", name: null, role: "user" },
        { content: null, tool_calls: [call], role: "assistant" },
      ],
    ],
    [
      "variants of Rust, over several lines",
      '[\n    User(\n        ChatCompletionRequestUserMessage {\n            content: Text(\n                "Add.",\n            ),\n        },\n    ),\n]',
      [{ content: "Add.", role: "user" }],
    ],
    [
      "messages of Rust with one part or more",
      '[Assistant { content: OneOrMany { first: Text(Text { text: "I add." }), rest: [ToolCall(ToolCall { id: "c1", function: ToolFunction { name: "add", arguments: Object {"a": Number(1), "b": Null} } })] } }]',
      [
        {
          content: [
            { text: "I add.", type: "text" },
            { id: "c1", function: { name: "add", arguments: { a: 1, b: null } }, type: "tool-call" },
          ],
          role: "assistant",
        },
      ],
    ],
  ])("%s", (_, text, value) => {
    expect(json(text)).toEqual(value);
    expect(looksPrinted(Buffer.from(text), 0, text.length)).toBe(true);
  });

  test("names of constants in code are not variants", () => {
    expect(json("{ role: ROLE, schema: Weather, kind: Some }")).toEqual({
      role: null,
      schema: null,
      kind: null,
    });
  });
});

describe("objects of a list that lost its brackets", () => {
  test.each([
    ["dicts of Python", "{'a': 1},\n {'a': 2},\n", [{ a: 1 }, { a: 2 }]],
    ["objects of different classes", "Text(text='a'),\nCall(id='c1'),\n", [{ text: "a" }, { id: "c1" }]],
    [
      "messages printed one by one",
      "HumanMessage(content='a')\nAIMessage(content='b')\n",
      [
        { content: "a", type: "HumanMessage" },
        { content: "b", type: "AIMessage" },
      ],
    ],
  ])("are one list: %s", (_, text, value) => {
    expect(json(text)).toEqual(value);
  });

  test.each([
    [
      "replies printed one by one",
      "ChatCompletionMessage(content='a', role='assistant')\nChatCompletionMessage(content='b', role='assistant')\n",
      { content: "a", role: "assistant" },
    ],
    ["apart without a comma", "{'a': 1}\n{'a': 2}\n", { a: 1 }],
    [
      "chunks, which arrive one by one",
      "AIMessageChunk(content='a')\nAIMessageChunk(content='b')\n",
      {
        content: "a",
        type: "AIMessageChunk",
      },
    ],
  ])("are several values: %s", (_, text, value) => {
    expect(json(text)).toEqual(value);
  });
});
