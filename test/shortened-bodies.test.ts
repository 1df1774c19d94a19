import { describe, expect, test } from "vitest";
import { check } from "../src/index.ts";

/** Bodies that somebody shortened by hand before they pasted them: what is missing elsewhere excuses nothing. */

/** What a log is told of, without the note that it is shortened. */
async function found(log: string, name?: string): Promise<string[]> {
  const { findings } = await check(Buffer.from(log), name === undefined ? {} : { name });
  return findings
    .filter(({ rule }) => rule !== "unreadable-record")
    .map(({ rule, severity, location }) => `${severity} ${rule} at ${location.pointer}`);
}

const chatCall = (id: string, args = '"{}"'): string =>
  `{"role": "assistant", "content": null, "tool_calls": [{"id": "${id}", "type": "function", "function": {"name": "weather", "arguments": ${args}}}]}`;
const chat = (messages: string, tools = "[{...}]"): string =>
  `{\n  "model": "gpt-5",\n  "messages": [\n    {"role": "user", "content": "How is the weather?"},\n    ${messages}\n  ],\n  "tools": ${tools}\n}\n`;
const goesOn = '{"role": "user", "content": "Well?"}';
const chatResult = (id: string): string => `{"role": "tool", "tool_call_id": "${id}", "content": "clear"}`;

const claude = (messages: string): string =>
  `{\n  "model": "claude-sonnet-4-5",\n  // max_tokens etc.\n  "messages": [\n    ${messages}\n  ],\n  "tools": [ /* mine */ ]\n}\n`;
const use = (input: string): string =>
  `{"role": "assistant", "content": [{"type": "text", "text": "..."}, {"type": "tool_use", "id": "toolu_1", "name": "read", "input": ${input}}]}`;

describe("a call without a result is one where the dots", () => {
  const open = ["error unanswered-tool-call at /messages/1/tool_calls/0"];
  test.each<[string, string, string[]]>([
    ["stand for tools", chat(`${chatCall("call_1")},\n${goesOn}`), open],
    ["stand for more tools", chat(`${chatCall("call_1")},\n${goesOn}`, '[{"type": "function"}, ...]'), open],
    ["stand for the arguments", chat(`${chatCall("call_1", "...")},\n${goesOn}`), open],
    ["stand for what came before", chat(`// earlier messages\n${chatCall("call_1")},\n${goesOn}`), open],
    [
      "stand for one more member of a call",
      chat(`${chatCall("call_1").slice(0, -3)}, "index": {...}}]},\n${goesOn}`),
      open,
    ],
    ["are a comment of Python", chat(`# ... more\n${chatCall("call_1")},\n${goesOn}`), open],
    ...["<---- HERE", "<== no result", "← this one"].map((arrow): [string, string, string[]] => [
      `have a reporter's arrow beside them: ${arrow}`,
      chat(`${chatCall("call_1")},      ${arrow}\n${goesOn}`),
      open,
    ]),
    [
      "stand for the input of Anthropic's call",
      claude(`${use("{...}")},\n{"role": "user", "content": "Go on"}`),
      ["error unanswered-tool-call at /messages/0/content/1"],
    ],
    [
      "stand for Gemini's tools",
      `{\n"contents": [\n{"role": "user", "parts": [{"text": "Read it"}]},\n{"role": "model", "parts": [{"functionCall": {"name": "read", "args": {...}}}]},\n{"role": "user", "parts": [{"text": "Go on"}]}\n],\n"tools": [...]\n}\n`,
      ["error unanswered-tool-call at /contents/1/parts/0"],
    ],
    [
      "stand for instructions of the Responses API",
      `{"model": "gpt-5", "instructions": ...,\n"input": [\n{"type": "function_call", "call_id": "call_1", "name": "read", "arguments": "{}"},\n{"role": "user", "content": "Go on"}\n]}\n`,
      ["error unanswered-tool-call at /input/0"],
    ],
  ])("%s", async (_, log, expected) => {
    expect(await found(log)).toEqual(expected);
    expect(await found(`This is what I send:\n\n\`\`\`json\n${log}\`\`\`\n`)).toEqual(expected);
    expect(await found(`const body = ${log};\n`, "paste.js")).toEqual(expected);
  });

  test("follow a complete history that the log cuts", async () => {
    const log = chat(`${chatCall("call_1")},\n${goesOn}`, '[{"type": "function", "function": {"na');
    expect(await found(log.slice(0, log.lastIndexOf("na") + 2))).toEqual(open);
  });
});

describe("a call or a result proves nothing where the dots", () => {
  test.each<[string, string]>([
    ["follow the call", chat(`${chatCall("call_1")},\n...\n${goesOn}`)],
    ["end the history", chat(`${chatCall("call_1")},\n...`)],
    ["are a comment behind the call", chat(`${chatCall("call_1")},\n// the rest is omitted\n${goesOn}`)],
    ["stand for a later content", chat(`${chatCall("call_1")},\n{"role": "user", "content": [...]}`)],
    ["come before the result", chat(`...\n${chatResult("call_9")},\n${goesOn}`)],
    ["are a comment before the result", chat(`/* earlier messages */\n${chatResult("call_9")},\n${goesOn}`)],
    [
      "stand for blocks of a later message",
      claude(`${use("{}")},\n{"role": "user", "content": [..., {"type": "text", "text": "Go on"}]}`),
    ],
  ])("%s", async (_, log) => {
    expect(await found(log)).toEqual([]);
    expect(await found(`This is what I send:\n\n${log}`)).toEqual([]);
  });
});

describe("a call that the next message passes over is unanswered, whatever is missing later", () => {
  const passed = ["error unanswered-tool-call at /messages/1/tool_calls/0"];
  test.each<[string, string, string[]]>([
    ["by dots", chat(`${chatCall("call_1")},\n${goesOn},\n...\n${goesOn}`), passed],
    [
      "by the end of the log",
      chat(`${chatCall("call_1")},\n${goesOn},\n{"role": "assistant", "content": "It was cut he`).split(
        " he",
      )[0] ?? "",
      passed,
    ],
    [
      "behind the result of another call",
      chat(
        `{"role": "assistant", "content": null, "tool_calls": [${["call_1", "call_2"]
          .map(
            (id) => `{"id": "${id}", "type": "function", "function": {"name": "weather", "arguments": "{}"}}`,
          )
          .join(", ")}]},\n${chatResult("call_2")},\n${goesOn},\n...`,
      ),
      passed,
    ],
    [
      "for Anthropic",
      claude(`${use("{}")},\n{"role": "user", "content": "Go on"},\n...`),
      ["error unanswered-tool-call at /messages/0/content/1"],
    ],
    [
      "not by results of which some are missing",
      chat(`${chatCall("call_1")},\n${chatResult("call_2")},\n...`),
      [],
    ],
    [
      "not in an API that takes results anywhere",
      `{"model": "gpt-5", "input": [\n{"type": "function_call", "call_id": "call_1", "name": "read", "arguments": "{}"},\n{"role": "user", "content": "Go on"},\n...\n]}\n`,
      [],
    ],
  ])("%s", async (_, log, expected) => {
    expect((await found(log)).filter((each) => !each.includes("orphaned"))).toEqual(expected);
  });
});

test("a result without a call is one where nothing is missing before it", async () => {
  expect(await found(chat(`${chatResult("call_9")},\n...\n${goesOn}`))).toEqual([
    "error orphaned-tool-result at /messages/1",
  ]);
});

test("an id that differs is told as such", async () => {
  expect(await found(chat(`${chatCall("call_1")},\n${chatResult("call_2")}`))).toEqual([
    "error call-id-mismatch at /messages/2",
  ]);
});

test("concatenated arguments are told although the tools are left out", async () => {
  const args = JSON.stringify('{"city":"Oslo"}{"city":"Rome"}');
  expect(await found(chat(`${chatCall("call_1", args)},\n${chatResult("call_1")}`))).toEqual([
    "error incomplete-arguments at /messages/1/tool_calls/0",
  ]);
});

test("comments that explain leave a body whole", async () => {
  const log = chat(`${chatCall("call_1")}, // it asks here\n${goesOn}`, "[]").replace(
    '"tools": []',
    '"n": 1',
  );
  const { notChecked } = await check(Buffer.from(log));
  expect(notChecked.filter(({ why }) => why.includes("parts of them"))).toEqual([]);
});

test("the note names the place and counts the others", async () => {
  const { findings } = await check(Buffer.from(chat(`// ...\n${goesOn}`)));
  expect(findings.map(({ severity, message, location }) => [severity, message, location.line])).toEqual([
    ["info", "not valid JSON: something was left out here and once more; toollint read it anyway", 5],
  ]);
});

describe("what Node prints", () => {
  const printed = (second: string): string => `request {
  model: 'gpt-5',
  messages: [
    { role: 'user', content: 'How is the weather?' },
    ${second},
    { role: 'user', content: 'Well?' }
  ],
  tools: [ { type: 'function', function: [Object] } ],
  stream: true
}
`;
  const noted = async (log: string): Promise<string[]> =>
    (await check(Buffer.from(log))).findings.map(({ rule, severity, message }) =>
      rule === "unreadable-record" ? message : `${severity} ${rule}`,
    );
  const note = (more: string): string =>
    `Node printed a word like \`[Object]\` in place of a value here${more}: \`JSON.stringify(value)\` prints all; toollint read it anyway`;

  test("is judged where it is whole, and says what it lacks", async () => {
    const call =
      "{ role: 'assistant', content: null, tool_calls: [ { id: 'call_1', type: 'function', function: [Object] } ] }";
    expect(await noted(printed(call))).toEqual(["error unanswered-tool-call", note(" and once more")]);
  });

  test("proves nothing where its calls are left out", async () => {
    const call = "{ role: 'assistant', content: null, tool_calls: [ [Object] ] }";
    expect(await noted(printed(call))).toEqual([note(" and once more")]);
  });

  test.each([
    [
      "Anthropic",
      '{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"tool_use","id":"toolu_1","name":"weather","input":{"city":"Bern"}}],"stop_reason":"tool_use","usage":{}}',
      "{ model: 'claude-sonnet-4-5', max_tokens: 9, messages: [ { role: 'user', content: 'Warm?' }, { role: 'assistant', content: [ { type: 'tool_use', id: 'toolu_1', name: 'weather', input: [Object] } ] }, { role: 'user', content: [ { type: 'tool_result', tool_use_id: 'toolu_1', content: [Array] } ] } ] }",
    ],
    [
      "Gemini",
      '{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"weather","args":{"city":"Bern"}}}]},"finishReason":"STOP"}]}',
      "{ contents: [ { role: 'user', parts: [ { text: 'Warm?' } ] }, { role: 'model', parts: [ { functionCall: { name: 'weather', args: [Object] } } ] }, { role: 'user', parts: [ { functionResponse: { name: 'weather', response: [Object] } } ] } ] }",
    ],
    [
      "Ollama",
      '{"model":"qwen3","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"weather","arguments":{"city":"Bern"}}}]},"done":true,"done_reason":"stop"}',
      "{ model: 'qwen3', messages: [ { role: 'user', content: 'Warm?' }, { role: 'assistant', content: '', tool_calls: [ { function: { name: 'weather', arguments: [Object] } } ] }, { role: 'tool', tool_name: 'weather', content: '17' } ] }",
    ],
  ])("has not lost the arguments that it leaves out: %s", async (_, reply, next) => {
    const whole = next.replace("[Object]", "{ city: 'Bern' }").replaceAll("[Object]", "{ t: 17 }");
    const first = whole.replace(/\}, \{ role: '(?:assistant|model)'[\s\S]*\] \}$/, "} ] }");
    const log = `request ${first}\nresponse ${reply}\nrequest ${next}\n`;
    expect((await noted(log)).filter((each) => each.startsWith("error"))).toEqual([]);
  });

  test("goes with the refusal that its client throws", async () => {
    const call = "{ role: 'assistant', content: null, tool_calls: [ [Object] ] }";
    const refusal =
      "BadRequestError: 400 An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1\n    at Function.generate (core.js:1:1)\n";
    expect(await noted(printed(call) + refusal)).toEqual(["error provider-rejected", note(" and once more")]);
  });
});

describe("a legal body that the log cuts anywhere gets no finding beyond the cut", () => {
  const chatOf = (id: string, answers: readonly string[]): object[] => [
    {
      role: "assistant",
      content: null,
      tool_calls: answers.map((_, index) => ({
        id: `${id}_${index}`,
        type: "function",
        function: { name: "f", arguments: '{"a":1}' },
      })),
    },
    ...answers.map((content, index) => ({ role: "tool", tool_call_id: `${id}_${index}`, content })),
  ];
  const bodies: Record<string, object> = {
    "of Chat": {
      model: "gpt-5",
      messages: [
        { role: "user", content: "One" },
        ...chatOf("a", ["x"]),
        ...chatOf("b", ["y", "z"]),
        { role: "user", content: "Two" },
      ],
      tools: [{ type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } }],
    },
    "of Anthropic": {
      model: "claude-sonnet-4-5",
      max_tokens: 100,
      messages: [
        { role: "user", content: "One" },
        {
          role: "assistant",
          content: ["a", "b"].map((id) => ({
            type: "tool_use",
            id: `toolu_${id}`,
            name: "f",
            input: { a: 1 },
          })),
        },
        {
          role: "user",
          content: ["a", "b"].map((id) => ({
            type: "tool_result",
            tool_use_id: `toolu_${id}`,
            content: "x",
          })),
        },
      ],
      tools: [{ name: "f", input_schema: { type: "object", properties: {} } }],
    },
    "of Gemini": {
      contents: [
        { role: "user", parts: [{ text: "One" }] },
        { role: "model", parts: ["f", "g"].map((name) => ({ functionCall: { name, args: { a: 1 } } })) },
        {
          role: "user",
          parts: ["f", "g"].map((name) => ({ functionResponse: { name, response: { b: 2 } } })),
        },
        { role: "model", parts: [{ text: "Two" }] },
        { role: "user", parts: [{ text: "Three" }] },
      ],
      tools: [{ functionDeclarations: [{ name: "f" }, { name: "g" }] }],
    },
    "of Responses": {
      model: "gpt-5",
      input: [
        { role: "user", content: "One" },
        { type: "function_call", call_id: "call_a", name: "f", arguments: '{"a":1}' },
        { type: "function_call_output", call_id: "call_a", output: "x" },
        { role: "user", content: "Two" },
      ],
      tools: [{ type: "function", name: "f", parameters: { type: "object", properties: {} } }],
    },
  };
  test.each(Object.entries(bodies))("%s", async (_, value) => {
    const body = JSON.stringify(value);
    const told = new Set<string>();
    for (let end = 20; end <= body.length; end++)
      for (const log of [body.slice(0, end), `body: ${body.slice(0, end)}\n`])
        for (const { rule, severity } of (await check(Buffer.from(log))).findings)
          if (severity !== "info" && rule !== "unreadable-record") told.add(`${end}: ${severity} ${rule}`);
    expect([...told]).toEqual([]);
  });
});

describe("what a legal body lacks is no fault of it", () => {
  const schema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
  const tools = {
    chat: JSON.stringify([{ type: "function", function: { name: "read", parameters: schema } }]),
    anth: JSON.stringify([{ name: "read", input_schema: schema }]),
    gem: JSON.stringify([{ functionDeclarations: [{ name: "read", parameters: schema }] }]),
    resp: JSON.stringify([{ type: "function", name: "read", parameters: schema }]),
    bed: JSON.stringify({ tools: [{ toolSpec: { name: "read", inputSchema: { json: schema } } }] }),
  };
  const bodies = (gap: string): Record<string, string> => ({
    chatArgs: `{"model":"gpt-5","messages":[{"role":"user","content":"One"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"read","arguments":${gap}}}]},{"role":"tool","tool_call_id":"call_1","content":"ok"}],"tools":${tools.chat}}`,
    chatFn: `{"model":"gpt-5","messages":[{"role":"user","content":"One"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":${gap}}]},{"role":"tool","tool_call_id":"call_1","content":"ok"}],"tools":${tools.chat}}`,
    chatCalls: `{"model":"gpt-5","messages":[{"role":"user","content":"One"},{"role":"assistant","content":null,"tool_calls":${gap}},{"role":"tool","tool_call_id":"call_1","content":"ok"}],"tools":${tools.chat}}`,
    chatResult: `{"model":"gpt-5","messages":[{"role":"user","content":"One"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"read","arguments":"{\\"path\\":\\"a\\"}"}}]},{"role":"tool","tool_call_id":"call_1","content":${gap}}],"tools":${tools.chat}}`,
    chatUser: `{"model":"gpt-5","messages":[{"role":"user","content":${gap}},{"role":"assistant","content":${gap}},{"role":"user","content":"x"}],"tools":${tools.chat}}`,
    anthInput: `{"model":"claude-sonnet-4-5","max_tokens":10,"messages":[{"role":"user","content":"One"},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"read","input":${gap}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"ok"}]}],"tools":${tools.anth}}`,
    anthResult: `{"model":"claude-sonnet-4-5","max_tokens":10,"messages":[{"role":"user","content":"One"},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"read","input":{"path":"a"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":${gap}}]}],"tools":${tools.anth}}`,
    anthBlock: `{"model":"claude-sonnet-4-5","max_tokens":10,"messages":[{"role":"user","content":"One"},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"read","input":{"path":"a"}}]},{"role":"user","content":[${gap}, {"type":"text","text":"x"}]}],"tools":${tools.anth}}`,
    gemArgs: `{"contents":[{"role":"user","parts":[{"text":"One"}]},{"role":"model","parts":[{"functionCall":{"name":"read","args":${gap}}}]},{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"a":1}}}]}],"tools":${tools.gem}}`,
    gemCall: `{"contents":[{"role":"user","parts":[{"text":"One"}]},{"role":"model","parts":[{"functionCall":${gap}}]},{"role":"user","parts":[{"functionResponse":${gap}}]}],"tools":${tools.gem}}`,
    gemResponse: `{"contents":[{"role":"user","parts":[{"text":"One"}]},{"role":"model","parts":[{"functionCall":{"name":"read","args":{"path":"a"}}}]},{"role":"user","parts":[{"functionResponse":{"name":"read","response":${gap}}}]}],"tools":${tools.gem}}`,
    respArgs: `{"model":"gpt-5","input":[{"role":"user","content":"One"},{"type":"function_call","call_id":"call_1","name":"read","arguments":${gap}},{"type":"function_call_output","call_id":"call_1","output":${gap}}],"tools":${tools.resp}}`,
    bedrock: `{"modelId":"x","messages":[{"role":"user","content":[{"text":"One"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"t1","name":"read","input":${gap}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"t1","content":${gap}}}]}],"toolConfig":${tools.bed}}`,
    bedrock2: `{"modelId":"x","messages":[{"role":"user","content":[{"text":"One"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"t1",...}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"t1",...}}]}],"toolConfig":${tools.bed}}`,
    dict: `{"model":"gpt-5","messages":[{"role":"user",...},{"role":"assistant",...},{"role":"tool",...},{"role":"user","content":"x"}],"tools":${tools.chat}}`,
    system: `{"model":"claude-sonnet-4-5","max_tokens":10,"system":${gap},"messages":[{"role":"user","content":"One"},{"role":"assistant","content":"Two"},{"role":"user","content":"x"}],"tools":${gap}}`,
  });
  test.each(["...", "{...}", "[...]", "[Object]", "…"])("with %s in place of a value", async (gap) => {
    const told = new Set<string>();
    for (const [name, body] of Object.entries(bodies(gap)))
      for (const log of [
        body,
        `body = ${body}\n`,
        `\`\`\`\n${body.replaceAll(/,"(?=role|type)/g, ',\n"')}\n\`\`\`\n`,
      ])
        for (const { rule, severity, message } of (await check(Buffer.from(log))).findings)
          if (severity !== "info") told.add(`${name}: ${severity} ${rule} ${message}`);
    expect([...told]).toEqual([]);
  });
});
