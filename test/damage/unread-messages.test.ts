import { describe, expect, test } from "vitest";
import { check, read } from "../../src/index.ts";

const question = "How warm is it in Bern today?";
const reply = {
  id: "chatcmpl-1",
  object: "chat.completion",
  model: "gpt-5",
  choices: [{ index: 0, message: { role: "assistant", content: "It is 17 °C." }, finish_reason: "stop" }],
};
const beside = `${JSON.stringify({ response: reply })}\n`;

async function namedIn(log: string, name = "run.log"): Promise<readonly string[]> {
  const { findings, files } = await check(Buffer.from(log), { name });
  return [
    ...findings.flatMap(({ rule, message, location }) =>
      rule === "unreadable-record" ? [`${location.line}: ${message}`] : [],
    ),
    ...files.flatMap(({ skipped }) =>
      skipped.map(({ reason, line, count = 1 }) => `${line}: ${reason}${count > 1 ? ` (${count})` : ""}`),
    ),
  ];
}

function base64Of(content: string): string {
  return Buffer.from(JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content }] })).toString(
    "base64",
  );
}

const unread = "a message that no known request or reply contains";

describe("a message in a notation that no reader knows is named beside traffic", () => {
  const painted = (code: string): string =>
    `12:00:00 sent {${["role", "user", "content", question]
      .map((word, at) => `${code}[0;32m"${word}"${code}[0m${at === 1 ? "," : ":"}`)
      .join("")}}`;

  test.each<[string, string]>([
    ["JSON in colours, in a string of JSON", `msg=${JSON.stringify(painted("\u001b"))}`],
    ["JSON in colours, as Python escapes them", painted(String.raw`\x1b`)],
    ["JSON in colours, as a shell escapes them", painted(String.raw`\033`)],
    [
      "a string of JSON with a line feed in its keys",
      JSON.stringify({ v: `[{"\\nrole":"user","\\ncontent":"${question}"}]`.replaceAll("\\n", "\n") }),
    ],
    [
      "JSON in full width, as an input method writes it",
      `sent \uff5b\uff02role\uff02\uff1a\uff02user\uff02\uff0c\uff02content\uff02\uff1a\uff02${question}\uff02\uff5d`,
    ],
    [
      "XML with a tag for each member",
      `sent <message><role>user</role><content>${question}</content></message>`,
    ],
    ["JSON in colours, as cat shows them", painted("^[")],
    ["a map of Scala with a key that lost its comma", `Map(role -> user content -> ${question})`],
    ["a map of Java with a key that lost its comma", `{msgs=[{role=user content=${question}}]}`],
    [
      "a map of Rust with a quote too few",
      `Object {"type": String("human), "content": String("${question}")`,
    ],
    ["a map of Clojure", `(message :role "user" :content "${question}")`],
    ["a message of Ruby", `#<Message @role=:user, role: "user", content: "${question}">`],
    ["JSON with a backslash before each bracket", `\\{"role":"user","content":"${question}"\\}`],
    [
      "JSON with typographic quotes, behind prefixes",
      `  7 [agent] \u201crole\u201d: \u201cuser\u201d, \u201ccontent\u201d: \u201c${question}\u201d`,
    ],
    [
      "a member with a quote in its name",
      `{m\u201csgs=[{"role":"user","content":[{"type":"text","text":"${question}"}]}]`,
    ],
    ["escaped JSON", `{\\"role\\":\\"user\\",\\"content\\":\\"${question}\\" and no more`],
    ["a message that says first what it says", `<msg content: '${question}', role: 'user'`],
    [
      "entities that a page shows twice, wrapped",
      `sent {&amp;quot;role&amp;quot;:&amp;quot;user&amp;quot;,\n  &amp;quot;content&amp;quot;:&amp;quot;${question}&amp;quot;}`,
    ],
    ["a body in base64 within quotes", `1,"REQUEST ${base64Of(question)}"`],
    ["a message of a tool", `role: tool, call: call_1, content: '${question}`],
  ])("%s", async (_, message) => {
    expect(await namedIn(`${message}\n${beside}`)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^1: /)]),
    );
  });

  test("with how many there are", async () => {
    const lines = `Map(role -> user content -> ${question})\n`.repeat(2);
    expect(await namedIn(`${beside}${lines}`)).toEqual([`2: ${unread} (2)`]);
  });

  test("and the log is not said to have no requests", async () => {
    const log = `Map(role -> user content -> ${question})\n${beside}`;
    const { notChecked } = await check(Buffer.from(log), { name: "run.log" });
    const whys = notChecked.map(({ why }) => why);
    expect(whys).toContain("requests may be in the parts of the log that could not be read");
    expect(whys).not.toContain("the log has only replies, no requests");
  });

  test("in a session, as a finding", async () => {
    const rows = [
      `\\{"table":"agent_messages","id":1,"session_id":"s1","message_data":\\{"role":"user","content":"${question}"\\}\\}`,
      '{"table":"agent_messages","id":2,"session_id":"s1","message_data":{"type":"function_call","call_id":"call_1","name":"weather","arguments":"{}"}}',
      '{"table":"agent_messages","id":3,"session_id":"s1","message_data":{"type":"function_call_output","call_id":"call_1","output":"17 °C"}}',
      '{"table":"agent_messages","id":4,"session_id":"s1","message_data":{"role":"assistant","content":"It is 17 °C."}}',
    ];
    expect(await namedIn(`${rows.join("\n")}\n`)).toEqual([
      "1: the line is not a valid JSON object; this part was not checked",
    ]);
  });
});

describe("a call in a notation that no reader knows is named beside traffic", () => {
  const asked = `${JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content: question }] })}\n`;

  test.each<[string, string]>([
    [
      "a map of Go whose key has a quote in its name",
      'map[respon\u201cse:map[choices:[map[message:map[role:assistant content:<nil> tool_calls:[map[id:call_1 type:function function:map[name:weather arguments:{"city":"Zürich"}]]]]]]',
    ],
    [
      "a block of Ruby that lacks a bracket",
      '{"content"=>[{"type"=>"tool_use", "id"=>"toolu_1", "name"=>"weather", "input"=>{"city"=>"Zürich"}',
    ],
    [
      "a map of Java with a key that lost its comma",
      "{candidates=[{content={parts=[{functionCall={name=weather args={city=Zürich}}}]}}]",
    ],
    [
      "entities of a page, with a backslash before each bracket",
      "\\{&quot;type&quot;:&quot;function_call&quot;,&quot;name&quot;:&quot;weather&quot;,&quot;arguments&quot;:&quot;\\{\\}&quot;\\}",
    ],
    [
      "a reply in base64 in a map of Dart",
      `response: {body: ${Buffer.from('{"tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{}"}}]}').toString("base64")}, is_streaming: false}`,
    ],
  ])("%s", async (_, call) => {
    expect(await namedIn(`${asked}${call}\n`)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^2: /)]),
    );
  });

  test("but not one that a later request or its reply contains", async () => {
    const called = {
      id: "call_1",
      type: "function",
      function: { name: "weather", arguments: '{"city":"Zürich"}' },
    };
    const answered = JSON.stringify({
      model: "gpt-5",
      messages: [
        { role: "user", content: question },
        { role: "assistant", content: null, tool_calls: [called] },
        { role: "tool", tool_call_id: "call_1", content: "17 °C" },
      ],
      tools: [{ type: "function", function: { name: "weather" } }],
    });
    const printed = [
      'running tool_call -> name: weather, args: {"city"->"Zürich"}',
      "(tool_use call_1 name weather input (:city Zürich)",
    ];
    expect(await namedIn(`${asked}${printed.join("\n")}\n${answered}\n`)).toEqual([]);
  });

  test("nor the fragments of one in a log that was copied with line numbers", async () => {
    const delta = (part: object): string =>
      `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...part }] } }] })}\n\n`;
    const stream = [
      delta({ id: "call_1", type: "function", function: { name: "weather", arguments: '{"ci' } }),
      delta({ function: { name: "weather", arguments: 'ty":"Zürich"}' } }),
      "data: [DONE]\n\n",
    ].join("");
    const lines = `${asked}${stream}`.trimEnd().split("\n");
    const log = lines.map((line, index) => `${String(index + 1).padStart(6)}\t${line}\n`).join("");
    expect(await namedIn(log)).toEqual([expect.stringContaining("copied from a viewer")]);
  });

  test("nor one that the model wrote as a text", async () => {
    const said = '<tool_call>{"name":"weather","arguments":{"city":"Bern"}}</tool_call>';
    const text = {
      ...reply,
      choices: [{ message: { role: "assistant", content: said }, finish_reason: "stop" }],
    };
    const log = `${asked}raw output: ${said}\n${JSON.stringify({ response: text })}\n`;
    expect(await namedIn(log)).toEqual([]);
  });
});

describe("a body in a notation that no reader knows is named by the keys of others", () => {
  const chat = (...messages: object[]) => ({ model: "gpt-5", temperature: 0, messages });
  const asked = { role: "user", content: question };
  const said = { role: "assistant", content: "It is 17 °C." };
  const first = chat(asked);
  const second = chat(asked, said, { role: "user", content: "And in Basel?" });
  const alike = "a line with the keys of a body that was read elsewhere: this one was not read";

  test.each<[string, string]>([
    [
      "a map of Scala whose keys lost their commas",
      `Map(model -> gpt-5 temperature -> 0 messages -> List(Map(role -> user content -> ${question})))`,
    ],
    [
      "a block of Ruby that lacks commas",
      `<Request model="gpt-5" temperature=0 messages=[<Message role="user" content="${question}">]>`,
    ],
    [
      "JSON with colours and backslashes",
      JSON.stringify(first)
        .replaceAll(/[{}]/g, "\\$&")
        .replaceAll(/"\w+"(?=:)/g, "\\[0;32m$&\\[0m"),
    ],
    [
      "JSON with its marks in full width",
      JSON.stringify(first).replaceAll(/["{}[\]:,]/g, (mark) =>
        String.fromCharCode(mark.charCodeAt(0) + 0xfee0),
      ),
    ],
    [
      "XML",
      `<request><model>gpt-5</model><temperature>0</temperature><messages><role>user</role><content>${question}</content></messages></request>`,
    ],
  ])("%s, although another request repeats all its words", async (_, line) => {
    expect(await namedIn(`${line}\n${JSON.stringify(second)}\n`)).toEqual([`1: ${alike}`]);
  });

  test.each<[string, string]>([
    [
      "Go's maps",
      `DEBUG request=map[model:gpt-5 temperature:0 messages:[map[role\n:user conte\nnt:${question}]]]`,
    ],
    [
      "Python",
      `DEBUG ChatRequest(model='gpt-5', temperature=0, messag\nes=[Message(role='user', conte\nnt='?')])`,
    ],
  ])("also where a window wraps them: %s", async (_, lines) => {
    expect(await namedIn(`${lines}\n${JSON.stringify(second)}\n`)).toEqual([
      expect.stringMatching(/^1: (?:a line with the keys|a map that)/),
    ]);
  });

  test("also a reply whose first member is no object", async () => {
    const { model: _, ...known } = reply;
    const map = String.raw`map\[id:chatcmpl-1 object:chat.completion choices:\[map\[index:0 message:map\[role:assistant content:17\] finish\_reason:stop\]\]\]`;
    expect(await namedIn(`${map}\n${JSON.stringify(known)}\n`)).toEqual([`1: ${alike}`]);
  });

  test("but not the words of an error, or code, that name some of them", async () => {
    const log = `client.create(model=model, messages=messages, temperature=0)\nmessages[0].role: unknown, content: "${question}"\n${JSON.stringify(second)}\n`;
    expect(await namedIn(log)).toEqual([]);
  });
});

describe("a record of a session in another notation is named beside the session", () => {
  const started = '12:00 started {"pid":1} ok\n';
  const answer =
    '{"version":"v1","kind":"AssistantMessage","data":{"message_id":"m2","content":[{"kind":"text","data":"It is 17 °C."}]}}';
  const result =
    '{"version":"v1","kind":"ToolResults","data":{"content":[{"kind":"toolResult","data":{"toolUseId":"t1","content":[{"kind":"text","data":"17 °C"}]}}]}}';

  test.each<[string, string]>([
    [
      "a row of a table",
      `12:00,"{""version"":""v1"",""kind"":""Prompt"",""data"":{""content"":[{""kind"":""text"",""data"":""${question}""}]}}"`,
    ],
    ["a map of Java", `{version=v1, kind=Prompt, data={content=[{kind=text, data=${question}}]}}`],
    ["a map of Go", `map[version:v1 kind:Prompt data:map[content:[map[kind:text data:${question}]]]]`],
    [
      "entities",
      `{&quot;version&quot;:&quot;v1&quot;,&quot;kind&quot;:&quot;Prompt&quot;,&quot;data&quot;:{}}`,
    ],
  ])("%s", async (_, record) => {
    expect(await namedIn(`${started}${record}\n${result}\n${answer}\n`)).toEqual([
      expect.stringMatching(/^2: /),
    ]);
  });

  test("but not words that name only some of its keys", async () => {
    expect(await namedIn(`${started}kind: a session, version: 1.2\n${result}\n${answer}\n`)).toEqual([]);
  });
});

test("what stands beside the records of a session in a document that nests too deep is named", async () => {
  const deep = "[".repeat(600) + "]".repeat(600);
  const items = [
    {
      type: "tool_call_item",
      raw_item: { type: "function_call", call_id: "c1", name: "weather", arguments: "{}" },
    },
    {
      type: "tool_call_output_item",
      raw_item: { type: "function_call_output", call_id: "c1", output: "17 °C" },
    },
    {
      type: "message_output_item",
      raw_item: {
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text: "It is 17 °C." }],
      },
    },
  ];
  const log = `{"original_input":"${question}","agent":${deep},"generated_items":${JSON.stringify(items)}}`;
  expect(await namedIn(log, "run.json")).toEqual(
    expect.arrayContaining([expect.stringContaining("nested too deeply")]),
  );
});

describe("a request is not lost", () => {
  const body = (text: string): string =>
    JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content: text }] });
  const url = "https://api.openai.com/v1/chat/completions";

  test("in a cassette whose list has a damaged name", async () => {
    const interaction = (string: string): string =>
      `- request:\n    method: post\n    uri: ${url}\n    body:\n      string: '${string}'\n  response:\n    status:\n      code: 200\n    body:\n      string: '${JSON.stringify(reply)}'\n`;
    const broken = body(question).replaceAll("{", "\\{");
    const log = `---\nhttp\\_interactions:\n${interaction(broken)}${interaction(body(question))}`;
    expect(await namedIn(log, "run.yml")).toEqual([
      "7: no known API accepts this request; this part was not checked",
    ]);
  });

  test("and a reply that a collector cut is named where it breaks off", async () => {
    const line = `INFO response body=${JSON.stringify(reply)}`;
    const parts = [line.slice(0, 170), line.slice(170)];
    const log = `POST ${url} ${body(question)}\n${parts.map((msg) => `${JSON.stringify({ level: 30, msg })}\n`).join("")}`;
    expect(await namedIn(log)).toEqual([
      "2: the JSON of this body is cut off; what came after is not checked",
    ]);
  });

  test("in a collector's record of a line that Python printed", async () => {
    const printed = `12:00:00 DEBUG request: ${body(question).replaceAll('"', "'")}`;
    const log = `${JSON.stringify({ MESSAGE: printed, PRIORITY: "6" })}\n12:00:01 DEBUG response: ${JSON.stringify(reply)}\n`;
    const { exchanges } = await read(Buffer.from(log), { name: "run.log" });
    expect(exchanges.map(({ request }) => request?.history.length)).toEqual([1]);
  });
});

test("the end of a value is named in a log that begins within a string of it", async () => {
  const end = `the city"}},{"key":"output","value":{"text":"It is 17 °C."}}]}`;
  const body = JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content: question }] });
  const log = `${end}{"spans":[{"values":[{"key":"input","value":${JSON.stringify(body)}`;
  expect(await namedIn(log)).toContain("1: the log begins in the middle of a record");
});

describe("nothing is named", () => {
  const body = { model: "gpt-5", messages: [{ role: "user", content: question }] };
  const exchange = `${JSON.stringify({ request: body, response: reply })}\n`;

  test("where a program also prints what it sends", async () => {
    expect(await namedIn(`sends Map(role -> user, content -> ${question})\n${exchange}`)).toEqual([]);
  });

  test("where a message quotes messages in another notation", async () => {
    const quoting = { role: "user", content: `Explain: Map(role -> user content -> I am a quote)` };
    const request = { ...body, messages: [quoting] };
    expect(await namedIn(`${JSON.stringify({ request, response: reply })}\n`, "run.jsonl")).toEqual([]);
  });

  test("where a word alone stands in the place of a text", async () => {
    expect(await namedIn(`Map(role -> user content -> functionResponse)\n${exchange}`)).toEqual([]);
  });

  test.each([
    ["Python", "Message(content=None, refusal=None, role='assistant', audio=None)"],
    ["Ruby", "#<Message content=nil, refusal=nil, role=assistant, audio=nil>"],
    ["Kotlin", "Message(content=null, refusal=null, role=assistant, audio=null)"],
    ["JavaScript", "{ content: undefined, refusal: undefined, role: assistant, audio: undefined }"],
  ])("where a message that says nothing has more members, as %s prints it", async (_, printed) => {
    expect(await namedIn(`${exchange}the message: ${printed}\n`)).toEqual([]);
  });

  test("where a program prints a reply and then its message", async () => {
    const call = `ChatCompletionMessageToolCall(id='call_1', function=Function(arguments='{"city": "Bern"}', name='weather'), type='function')`;
    const message = `ChatCompletionMessage(content=None, refusal=None, role='assistant', tool_calls=[${call}])`;
    const completion = `ChatCompletion(id='c1', choices=[Choice(finish_reason='tool_calls', index=0, message=${message})], created=1, model='gpt-5', object='chat.completion')`;
    expect(await namedIn(`--- Reply ---\n\n${completion}\n\n--- Message ---\n\n${message}\n`)).toEqual([]);
  });
});
