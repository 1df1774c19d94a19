import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  findControlTokens,
  findTextCalls,
  lostTextCalls,
  splitParallelWrapper,
  type TextCall,
} from "../../src/protocols/text-calls/index.ts";
import { teachesSyntax } from "../../src/protocols/text-calls/teaching.ts";

const tools = [
  {
    name: "find_train",
    parameters: {
      type: "object",
      properties: {
        to: { type: "string" },
        seats: { type: "integer" },
        direct: { type: ["boolean", "null"] },
        stops: { anyOf: [{ type: "array" }, { type: "null" }] },
      },
    },
  },
  { name: "list_stations", parameters: { type: "object", properties: {} } },
  {
    name: "write_note",
    parameters: { type: "object", properties: { path: { type: "string" }, text: { type: "string" } } },
  },
];

const toLyon = { to: "Lyon" };
const J = '{"to": "Lyon"}';

/** family, text, [name, arguments] of each call, confidence. The declared tools are those above. */
type Row = readonly [
  family: string,
  text: string,
  calls: readonly (readonly [string, unknown])[],
  confidence?: TextCall["confidence"],
];

const one = [["find_train", toLyon]] as const;
const two = [
  ["find_train", toLyon],
  ["list_stations", {}],
] as const;

const closed: readonly Row[] = [
  ["hermes", `<tool_call>\n{"name": "find_train", "arguments": ${J}}\n</tool_call>`, one],
  [
    "hermes",
    `<tool_call>{"name": "find_train", "arguments": ${J}}</tool_call>\n<tool_call>{"name": "list_stations"}</tool_call>`,
    two,
  ],
  ["hermes", `<tool_call>\n{'name': 'find_train', 'arguments': {'to': 'Lyon'}}\n</tool_call>`, one],
  ["hermes", `<tool_call>\n{"name": "find_train", "arguments": ${J}}}\n</tool_call>`, one],
  ["hermes", '<tool_call>{"name": "find_train", "arguments": "{\\"to\\": \\"Lyon\\"}"}</tool_call>', one],
  ["hermes", `<tool_call>\n\`\`\`json\n{"name": "find_train", "arguments": ${J}}\n\`\`\`\n</tool_call>`, one],
  ["hermes", `<tool_call>{"name": "functions.find_train", "arguments": ${J}}</tool_call>`, one],
  ["openai-json-leak", `{"name": "find_train", "arguments": ${J}}\n</tool_call>`, one],
  [
    "hermes",
    '<tool_call>{"name": "write_note", "arguments": {"path": "a.md", "text": "line\nthe `</tool_call>` tag"}}</tool_call>',
    [["write_note", { path: "a.md", text: "line\nthe `</tool_call>` tag" }]],
  ],
  [
    "qwen3-coder",
    "<tool_call>\n<function=find_train>\n<parameter=to>\nLyon\n</parameter>\n<parameter=seats>\n2\n</parameter>\n</function>\n</tool_call>",
    [["find_train", { to: "Lyon", seats: 2 }]],
  ],
  [
    "qwen3-coder",
    "<tool_call><function=find_train><parameter=to>Lyon</parameter></function><function=list_stations></function></tool_call>",
    two,
  ],
  [
    "qwen3-coder",
    "<function=find_train>\n<parameter=to>\nLyon\n</parameter>\n</function>\n</tool_call>",
    one,
  ],
  [
    "qwen3-coder",
    "<function=write_note>\n<parameter=path>a.html\n<parameter=text>\n<b>1 < 2 && 3</b>\n\n</parameter>\n</function>",
    [["write_note", { path: "a.html", text: "<b>1 < 2 && 3</b>\n" }]],
  ],
  [
    "qwen3-coder",
    "<function=find_train><parameter=to>7</parameter><parameter=direct>True</parameter><parameter=stops>[1, 2]</parameter></function>",
    [["find_train", { to: "7", direct: true, stops: [1, 2] }]],
  ],
  [
    "seed-oss",
    "<seed:tool_call><function=find_train><parameter=to>Lyon</parameter></function></seed:tool_call>",
    one,
    "certain",
  ],
  ["glm45", "<tool_call>find_train\n<arg_key>to</arg_key>\n<arg_value>Lyon</arg_value>\n</tool_call>", one],
  ["glm45", "<tool_call>find_train<arg_key>to</arg_key><arg_value>Lyon</arg_value></tool_call>", one],
  [
    "glm45",
    String.raw`<tool_call>find_train\n<arg_key>to</arg_key>\n<arg_value>Lyon</arg_value></tool_call>`,
    one,
  ],
  ["glm45", "<tool_call>list_stations</tool_call>", [["list_stations", {}]]],
  [
    "longcat",
    "<longcat_tool_call>find_train\n<longcat_arg_key>to</longcat_arg_key>\n<longcat_arg_value>Lyon</longcat_arg_value>\n</longcat_tool_call>",
    one,
    "certain",
  ],
  [
    "longcat",
    `<longcat_tool_call>{"name": "find_train", "arguments": ${J}}</longcat_tool_call>`,
    one,
    "certain",
  ],
  [
    "mistral-v3",
    `[TOOL_CALLS] [{"name": "find_train", "arguments": ${J}, "id": "a1B2c3D4e"}]`,
    one,
    "certain",
  ],
  ["mistral-v11", `[TOOL_CALLS]find_train[ARGS]${J}`, one, "certain"],
  [
    "mistral-v11",
    `[TOOL_CALLS]find_train[CALL_ID]a1B2c3D4e[ARGS]${J}[TOOL_CALLS]list_stations[ARGS]{}`,
    two,
    "certain",
  ],
  ["mistral-v11", `[TOOL_CALLS]find_train${J}`, one, "certain"],
  ["minimax-arrow", '[TOOL_CALL] {tool => "find_train", args => { --to "Lyon" }} [/TOOL_CALL]', one],
  ["minimax-arrow", "[TOOL_CALL]\n{tool => “find_train”, args => {\n –to “Lyon” }}\n[/TOOL_CALL]", one],
  ["minimax-arrow", `[TOOL_CALL]{"name": "find_train", "arguments": ${J}}[/TOOL_CALL]`, one],
  ["minimax-arrow", '[TOOL_CALL]{tool => "list_stations", args => {}}[/TOOL_CALL]', [["list_stations", {}]]],
  ["hermes", "<tool_call> {“name”: “find_train”, “arguments”: {“to”: “Lyon”}} </tool_call>", one],
  ["llama3-json", `<|python_start|>{"name": "find_train", "parameters": ${J}}<|python_end|>`, one, "certain"],
  ["gemma4", "thought\nI look.call:find_train{to:Lyon}", one],
  ["mistral-v11", `find_train[ARGS]${J}`, one, "declared"],
  ["llama3-json", `<|python_tag|>{"name": "find_train", "parameters": ${J}}`, one, "certain"],
  [
    "llama3-json",
    `<|python_tag|>{"name": "find_train", "parameters": ${J}}; {"name": "list_stations", "parameters": {}}<|eom_id|>`,
    two,
    "certain",
  ],
  ["llama3-json", `{"name": "find_train", "parameters": ${J}}`, one],
  [
    "llama3-json",
    `{"type": "function", "name": "find_train", "parameters": ${J}}; {"name": "list_stations", "parameters": {}}`,
    two,
  ],
  ["llama3-builtin", '<|python_tag|>find_train.call(to="Lyon")<|eom_id|>', one, "certain"],
  ["llama3-function-tag", `<function=find_train>${J}</function>`, one],
  ["llama3-function-tag", `<function=find_train${J}</function>`, one],
  ["llama3-function-tag", `<function=find_train>${J}<function>`, one],
  ["llama3-function-tag", `<function=find_train=${J}</function>`, one],
  ["llama3-function-tag", `<function=find_train,${J}</function>`, one],
  ["llama3-function-tag", `<function=find_train[]${J}</function>`, one],
  ["llama3-function-tag", `<function=find_train(${J})</function>`, one],
  ["llama3-function-tag", `find_train${J}</function>`, one],
  ["pythonic", "[find_train(to='Lyon'), list_stations()]", two],
  ["pythonic", "find_train(to='Lyon')", one],
  ["pythonic", "<|python_start|>[find_train(to='Lyon')]<|python_end|>", one, "certain"],
  ["lfm2", '<|tool_call_start|>[find_train(to="Lyon"), list_stations()]<|tool_call_end|>', two, "certain"],
  [
    "olmo3",
    '<function_calls>find_train(to="Lyon", direct=true, seats=None)\nlist_stations()</function_calls>',
    [
      ["find_train", { to: "Lyon", direct: true, seats: null }],
      ["list_stations", {}],
    ],
  ],
  [
    "deepseek-v3",
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>find_train\n\`\`\`json\n${J}\n\`\`\`<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>list_stations\n\`\`\`json\n{}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    two,
    "certain",
  ],
  [
    "deepseek-v31",
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>find_train<｜tool▁sep｜>${J}<｜tool▁call▁end｜><｜tool▁call▁begin｜>list_stations<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    two,
    "certain",
  ],
  ["deepseek-v31", `<|tool_call_begin|>find_train<|tool_sep|>${J}<|tool_call_end|>`, one, "certain"],
  [
    "deepseek-v31",
    `<｜｜tool calls begin｜｜><｜｜tool call begin｜｜>find_train<｜｜tool sep｜｜>${J}<｜｜tool call end｜｜>`,
    one,
    "certain",
  ],
  [
    "deepseek-v32",
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="find_train">\n<｜DSML｜parameter name="to" string="true">7</｜DSML｜parameter>\n<｜DSML｜parameter name="seats" string="false">2</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    [["find_train", { to: "7", seats: 2 }]],
    "certain",
  ],
  [
    "deepseek-v32",
    `<|DSML|function_calls><|DSML|invoke name="find_train">${J}</|DSML|invoke></|DSML|function_calls>`,
    one,
    "certain",
  ],
  [
    "deepseek-v32",
    '<‖DSML‖invoke name="find_train"><‖DSML‖parameter name="to" string="true">Lyon</‖DSML‖parameter></‖DSML‖invoke>',
    one,
    "certain",
  ],
  [
    "deepseek-v4",
    '<｜｜DSML｜｜tool_calls>\n<｜｜DSML｜｜invoke name="find_train">\n<｜｜DSML｜｜parameter name="to" string="true">Lyon</｜｜DSML｜｜parameter>\n</｜｜DSML｜｜invoke>\n<｜｜DSML｜｜invoke name="list_stations">\n</｜｜DSML｜｜invoke>\n</｜｜DSML｜｜tool_calls>',
    two,
    "certain",
  ],
  [
    "deepseek-v4",
    '<｜DSML｜ calls><｜DSML｜ invoke name="find_train"><｜DSML｜ parameter name="to" string="true">Lyon</｜DSML｜ parameter></｜DSML｜ invoke></｜DSML｜ calls>',
    one,
    "certain",
  ],
  [
    "kimi-k2",
    `<|tool_calls_section_begin|><|tool_call_begin|>functions.find_train:0<|tool_call_argument_begin|>${J}<|tool_call_end|><|tool_call_begin|>functions.list_stations:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>`,
    two,
    "certain",
  ],
  [
    "kimi-k2",
    `<|tool_call_begin|>functions.find_train:0<|tool_call_argument_begin|>${J}<|tool_call_end|>`,
    one,
    "certain",
  ],
  [
    "kimi-k2",
    `<|tool_call_begin|> find_train <|tool_call_argument_begin|> {to: Lyon} <|tool_call_end|>`,
    [["find_train", undefined]],
    "certain",
  ],
  [
    "minimax-m1",
    `<tool_calls>\n{"name": "find_train", "arguments": ${J}}\n{"name": "list_stations", "arguments": {}}\n</tool_calls>`,
    two,
  ],
  ["minimax-m1", `<tool_calls>[{"name": "find_train", "arguments": ${J}}]</tool_calls>`, one],
  [
    "minimax-m2",
    '<minimax:tool_call>\n<invoke name="find_train">\n<parameter name="to">Lyon</parameter>\n</invoke>\n<invoke name="list_stations">\n</invoke>\n</minimax:tool_call>',
    two,
    "certain",
  ],
  [
    "claude-legacy",
    '<function_calls>\n<invoke name="find_train">\n<parameter name="to">Lyon</parameter>\n</invoke>\n</function_calls>',
    one,
  ],
  [
    "claude-legacy",
    '<x:function_calls><x:invoke name="find_train"><x:parameter name="to">Lyon</x:parameter></x:invoke></x:function_calls>',
    one,
  ],
  ["claude-legacy", '<invoke name="find_train"><parameter name="to">Lyon</parameter></invoke>', one],
  [
    "step3",
    '<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="find_train">\n<steptml:parameter name="to">Lyon</steptml:parameter>\n</steptml:invoke><｜tool_call_end｜>\n<｜tool_calls_end｜>',
    one,
    "certain",
  ],
  [
    "step3",
    '<steptml:invoke name="find_train"><steptml:parameter name="to">Lyon</steptml:parameter></steptml:invoke>',
    one,
    "certain",
  ],
  ["granite3", `<|tool_call|>[{"name": "find_train", "arguments": ${J}}]`, one, "certain"],
  ["phi-4", `<|tool_call|>[{"name": "find_train", "arguments": ${J}}]<|/tool_call|>`, one, "certain"],
  ["qwen2.5-coder", `<tools>\n{"name": "find_train", "arguments": ${J}}\n</tools>`, one],
  ["qwen3-bracket", `[Calling tool: find_train(${J})]`, one],
  ["qwen3-bracket", `One moment. [Calling tool: find_train(${J})] [Calling tool: list_stations({})]`, two],
  ["granite-20b-fc", `<function_call> {"name": "find_train", "arguments": ${J}}`, one],
  [
    "granite-20b-fc",
    `<function_call>{"name": "find_train", "arguments": ${J}} <function_call>{"name": "list_stations", "arguments": {}}`,
    two,
  ],
  ["command-r", `Action: \`\`\`json\n[\n{"tool_name": "find_train", "parameters": ${J}}\n]\n\`\`\``, one],
  [
    "command-r7b",
    `<|START_ACTION|>[\n{"tool_call_id": "0", "tool_name": "find_train", "parameters": ${J}},\n{"tool_call_id": "1", "tool_name": "list_stations", "parameters": {}}\n]<|END_ACTION|>`,
    two,
    "certain",
  ],
  ["functionary-v3.2", `>>>all\nOne moment.\n>>>find_train\n${J}`, one],
  ["functionary-v2", `<|recipient|>find_train\n<|content|>${J}`, one, "certain"],
  [
    "firefunction",
    ` functools[{"name": "find_train", "arguments": ${J}}, {"name": "list_stations", "arguments": {}}]`,
    two,
  ],
  ["xlam", `[{"name": "find_train", "arguments": ${J}}, {"name": "list_stations", "arguments": {}}]`, two],
  ["xlam", `I need the train.\n</think>\n\n[{"name": "find_train", "arguments": ${J}}]`, one],
  ["xlam", `\`\`\`json\n[{"name": "find_train", "arguments": ${J}}]\n\`\`\``, one],
  [
    "internlm2",
    `<|action_start|><|plugin|>\n{"name": "find_train", "parameters": ${J}}<|action_end|>`,
    one,
    "certain",
  ],
  ["nemotron-json", `<TOOLCALL>[{"name": "find_train", "arguments": ${J}}]</TOOLCALL>`, one],
  [
    "functiongemma",
    "<start_function_call>call:find_train{to:<escape>Lyon<escape>,seats:2}<end_function_call>",
    [["find_train", { to: "Lyon", seats: 2 }]],
    "certain",
  ],
  [
    "gemma4",
    '<|tool_call>call:find_train{to:<|"|>Lyon, {Part-Dieu}<|"|>,direct:true,stops:[<|"|>a<|"|>]}<tool_call|>',
    [["find_train", { to: "Lyon, {Part-Dieu}", direct: true, stops: ["a"] }]],
    "certain",
  ],
  [
    "gemma-tool-code",
    '```tool_code\nprint(default_api.find_train(to="Lyon"))\nprint(default_api.list_stations())\n```',
    two,
  ],
  ["gemma-tool-code", 'print(default_api.find_train(to="Lyon"))', one],
  ["gemma-tool-code", '```tool_codeprint(default_api.find_train(to="Lyon"))```', one],
  ["glaive", `<functioncall> {"name": "find_train", "arguments": ${J}} <|endoftext|>`, one],
  ["glaive", `<functioncall> {"name": "find_train", "arguments": '{"to": "Lyon"}'}`, one],
  ["glaive", `<functioncall {"name": "find_train", "arguments": ${J}}>`, one],
  ["glaive", `<functioncall>{"name": "find_train", "arguments": ${J}}</functioncall>`, one],
  [
    "kimi-k2",
    `find_train:0<|tool_call_argument_begin|>${J}<|tool_calls_section_end|>\nlist_stations:1<|tool_call_argument_begin|>{}<|tool_calls_section_end|>`,
    two,
    "certain",
  ],
  ["kimi-k2", `functions.find_train:0<|tool_call_argument_begin|>${J}<|tool_call_end|>`, one, "certain"],
  [
    "kimi-k3",
    '<|open|>tools<|sep|><|open|>call tool="find_train" index="1"<|sep|><|open|>argument key="to" type="string"<|sep|>Lyon<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
    one,
    "certain",
  ],
  [
    "kimi-k3",
    '<|open|>toolscall tool="find_train" index="1"<|sep|><|open|>argument key="to" type="string"<|sep|>Lyonargument<|sep|><|close|>call<|sep|><|close|>toolstoolsmessage<|sep|>',
    one,
    "certain",
  ],
  [
    "apertus",
    `<|tools_prefix|>[{"find_train": ${J}}, {"list_stations": {}}]<|tools_suffix|>`,
    two,
    "certain",
  ],
  ["gigachat3", `function call<|role_sep|>\n{"name": "find_train", "arguments": ${J}}`, one, "certain"],
  [
    "harmony",
    `<|start|>assistant<|channel|>commentary to=functions.find_train <|constrain|>json<|message|>${J}<|call|>`,
    one,
    "certain",
  ],
  [
    "harmony",
    `<|channel|>analysis<|message|>Which train?<|end|><|start|>assistant to=functions.find_train<|channel|>commentary json<|message|>${J}`,
    one,
    "certain",
  ],
  ["harmony", `<|channel|>commentary to=find_train <|constrain|>json<|message|>${J}<|call|>`, one, "certain"],
  ["harmony", `assistantcommentary to=functions.find_train json${J}`, one, "certain"],
  [
    "harmony",
    "<|channel|>analysis to=python code<|message|>print(1)<|call|>",
    [["python", undefined]],
    "certain",
  ],
  [
    "multi_tool_use",
    `to=multi_tool_use.parallel json{"tool_uses": [{"recipient_name": "functions.find_train", "parameters": ${J}}, {"recipient_name": "functions.list_stations", "parameters": {}}]}`,
    two,
    "certain",
  ],
  ["multi_tool_use", `{"tool_uses": [{"recipient_name": "functions.find_train", "parameters": ${J}}]}`, one],
  ["qwen-agent", `✿FUNCTION✿: find_train\n✿ARGS✿: ${J}`, one],
  ["react", `Thought: I need a train.\nAction: find_train\nAction Input: ${J}`, one],
  ["react", "Action: find_train\nAction Input: Lyon\nObservation: 1", [["find_train", undefined]]],
  [
    "prompt-xml-tools",
    "<find_train>\n<to>Lyon</to>\n<seats>2</seats>\n</find_train>",
    [["find_train", { to: "Lyon", seats: 2 }]],
  ],
  ["prompt-xml-tools", "<list_stations></list_stations>", [["list_stations", {}]]],
  ["openai-json-leak", `{"name": "find_train", "arguments": ${J}}`, one],
  [
    "openai-json-leak",
    '{"id": "call_1", "type": "function", "function": {"name": "find_train", "arguments": "{\\"to\\": \\"Lyon\\"}"}}',
    one,
  ],
  [
    "openai-json-leak",
    `\`\`\`\n{"tool_calls": [{"name": "find_train", "arguments": ${J}}, {"name": "list_stations", "arguments": {}}]}\n\`\`\``,
    two,
  ],
  ["minja-generic", `{"tool_call": {"name": "find_train", "arguments": ${J}}}`, one],
];

const rows = closed.map(([family, text, calls, confidence = "declared"]) => ({
  family,
  text,
  calls,
  confidence,
}));
const bare = /^(?:pythonic|llama3-json|xlam|openai-json-leak|minja-generic|multi_tool_use)$/;

describe("a call written as text", () => {
  test.each(rows)("$family: $text", ({ family, text, calls, confidence }) => {
    const found = findTextCalls(text, { tools });
    expect(found.map((call) => [call.name, call.arguments])).toEqual(calls);
    for (const call of found) {
      expect(call).toMatchObject({ family, confidence });
      if (call.arguments !== undefined) expect(JSON.parse(call.argumentsText)).toEqual(call.arguments);
    }
  });

  const announced = rows.filter(({ family, text, confidence }) => {
    return (confidence === "certain" || !bare.test(family)) && !/^(?:\{|find_train|I need)/.test(text);
  });
  test.each(announced)("in the midst of prose, when a token announces it: $text", ({ text, calls }) => {
    const found = findTextCalls(`It's "quick".\n${text}`, { tools });
    expect(found.map((call) => [call.name, call.arguments])).toEqual(calls);
  });

  test("is known in every family", () => {
    expect(new Set(rows.map(({ family }) => family)).size).toBe(50);
  });

  test("covers the tokens around it", () => {
    const text = `Let me look.\n<tool_calls>[{"name": "find_train", "arguments": ${J}}, {"name": "list_stations", "arguments": {}}]</tool_calls>\nDone.`;
    const spans = findTextCalls(text, { tools }).map(({ start, end }) => text.slice(start, end));
    expect(spans).toEqual([
      `<tool_calls>[{"name": "find_train", "arguments": ${J}}, `,
      '{"name": "list_stations", "arguments": {}}]</tool_calls>',
    ]);
  });

  test("keeps the arguments as they were written, big numbers and all", () => {
    const text =
      '<tool_call>{"name": "find_train", "arguments": {"to":  "Lyon", "after": 12345678901234567890}}</tool_call>';
    expect(findTextCalls(text)[0]?.argumentsText).toBe('{"to":  "Lyon", "after": 12345678901234567890}');
  });

  test("keeps the id that the syntax carries", () => {
    const ids = (text: string) => findTextCalls(text).map(({ id }) => id);
    expect(ids(`[TOOL_CALLS] [{"name": "find_train", "arguments": ${J}, "id": "a1B2c3D4e"}]`)).toEqual([
      "a1B2c3D4e",
    ]);
    expect(ids(`[TOOL_CALLS]find_train[CALL_ID]a1B2c3D4e[ARGS]${J}`)).toEqual(["a1B2c3D4e"]);
    expect(
      ids(`<|tool_call_begin|>functions.find_train:3<|tool_call_argument_begin|>${J}<|tool_call_end|>`),
    ).toEqual(["functions.find_train:3"]);
  });

  test("is certain by its special tokens, likely by its shape, and named as declared", () => {
    const hermes = `<tool_call>{"name": "functions.find_train", "arguments": ${J}}</tool_call>`;
    expect(findTextCalls(hermes)).toMatchObject([{ name: "functions.find_train", confidence: "likely" }]);
    expect(findTextCalls(hermes, { tools })).toMatchObject([{ name: "find_train", confidence: "declared" }]);
    expect(findTextCalls(`<|python_tag|>{"name": "x", "parameters": {}}`, { tools })).toMatchObject([
      { confidence: "certain" },
    ]);
  });

  test("is told from data by its whole shape when nothing declares it", () => {
    const found = (text: string) => findTextCalls(text).map(({ confidence }) => confidence);
    expect(found(`{"name": "find_train", "arguments": ${J}}`)).toEqual(["likely"]);
    expect(found(`{"name": "find_train", "parameters": ${J}}`)).toEqual(["likely"]);
    expect(findTextCalls('{ "name": "Skill", "arguments": { "name": "none" } }', { tools })).toMatchObject([
      { name: "Skill", confidence: "likely" },
    ]);
  });
});

describe("the calls of a text that nobody runs", () => {
  const text = `<tool_call>{"name": "find_train", "arguments": ${J}}</tool_call>`;
  const offered = tools.map((tool, index) => ({ ...tool, isHosted: false, pointer: `/tools/${index}` }));
  const around = { tools: offered, prompt: () => "Help with trains.", structured: [] };
  const call = {
    kind: "call",
    role: "assistant",
    pointer: "",
    name: "find_train",
    argumentsText: J,
    arguments: JSON.parse(J) as unknown,
    isJson: true,
    wireType: "function",
    isHosted: false,
    state: "complete",
  } as const;

  test("are the structured calls that were meant", () => {
    expect(lostTextCalls(text, around)).toEqual([
      {
        family: "hermes",
        name: "find_train",
        argumentsText: J,
        arguments: JSON.parse(J),
        start: 0,
        end: text.length,
        isClosed: true,
        confidence: "declared",
      },
    ]);
  });

  test("are none where the same call also came as one, or the prompt teaches its syntax", () => {
    expect(lostTextCalls(text, { ...around, structured: [call] })).toEqual([]);
    const other = { ...call, arguments: { to: "Nice" }, argumentsText: '{"to":"Nice"}' };
    expect(lostTextCalls(text, { ...around, structured: [other] })).toHaveLength(1);
    const prompt = () => "Call a tool with <tool_call></tool_call> tags.";
    expect(lostTextCalls(text, { ...around, prompt })).toEqual([]);
  });
});

describe("a call that is cut", () => {
  const cases: readonly (readonly [text: string, name: string, args: unknown, argumentsText: string])[] = [
    [`<tool_call>\n{"name": "find_train", "arguments": ${J}}`, "find_train", toLyon, J],
    ['<tool_call>\n{"name": "find_train", "arguments": {"to": "Ly', "find_train", undefined, '{"to": "Ly'],
    ['<tool_call>\n{"name": "find_train", "argum', "find_train", undefined, ""],
    [
      "<function=write_note>\n<parameter=path> notes.txt",
      "write_note",
      undefined,
      "<parameter=path> notes.txt",
    ],
    ["<function=find_train>\n<parameter=to>Lyon</parameter>", "find_train", toLyon, '{"to":"Lyon"}'],
    ["<function=find_train>", "find_train", undefined, ""],
    [
      "<tool_call>find_train<arg_key>to</arg_key><arg_value>Ly",
      "find_train",
      undefined,
      "<arg_key>to</arg_key><arg_value>Ly",
    ],
    ['[TOOL_CALLS]find_train[ARGS]{"to": "L', "find_train", undefined, '{"to": "L'],
    ["[TOOL_CALLS]find_train[ARGS]", "find_train", undefined, ""],
    [`<|tool_call_begin|>functions.find_train:0<|tool_call_argument_begin|>${J}`, "find_train", toLyon, J],
    ["<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>find_train<｜tool▁sep｜>{", "find_train", undefined, "{"],
    [
      '<minimax:tool_call>\n<invoke name="find_train">\n<parameter name="to">Ly',
      "find_train",
      undefined,
      '<parameter name="to">Ly',
    ],
    [
      "<|channel|>commentary to=functions.find_train <|constrain|>json<|message|>",
      "find_train",
      undefined,
      "",
    ],
    ["<|tool_call_start|>[find_train(to='Ly", "find_train", undefined, "(to='Ly"],
    ['{"name": "find_train", "arguments": {"to": "Ly', "find_train", undefined, '{"to": "Ly'],
    ["<find_train>\n<to>Ly", "find_train", undefined, "<to>Ly"],
  ];
  test.each(cases)("%s", (text, name, args, argumentsText) => {
    expect(findTextCalls(text, { tools })).toMatchObject([
      { name, arguments: args, argumentsText, isClosed: false, end: text.length },
    ]);
  });

  test("is closed where the syntax has no end token, or one that servers swallow", () => {
    const isClosed = (text: string) => findTextCalls(text, { tools })[0]?.isClosed;
    expect(isClosed(`[TOOL_CALLS]find_train[ARGS]${J}`)).toBe(true);
    expect(isClosed(`<|python_tag|>{"name": "find_train", "parameters": ${J}}`)).toBe(true);
    expect(isClosed(`<|channel|>commentary to=functions.find_train json<|message|>${J}`)).toBe(true);
  });
});

describe("what is no call", () => {
  const fence = "```";
  const silent: readonly string[] = [
    "",
    "The train leaves at nine.",
    "Wrap the call in <tool_call> and </tool_call> tags.",
    "The model writes <tool_call>name</tool_call> for calls without arguments.",
    'Format: <tool_call>{"name": <function-name>, "arguments": <args-json-object>}</tool_call>',
    '<tool_call>{"name": "...", "arguments": {...}}</tool_call>',
    '<tools>\n{"name": "find_train", "description": "trains", "parameters": {"type": "object", "properties": {}}}\n</tools>',
    "[Calling tool: find_train]",
    '<tool_call>{"name": "function_name", "arguments": {}}</tool_call>',
    `Some models write\n\n${fence}\n<tool_call>\n{"name": "find_train", "arguments": ${J}}\n</tool_call>\n${fence}\n\nand a parser reads it.`,
    `1. Hermes:\n   ${fence}xml\n   <tool_call>{"name": "find_train", "arguments": ${J}}</tool_call>\n   ${fence}`,
    `- ${fence}\n  <tool_call>{"name": "find_train", "arguments": ${J}}</tool_call>\n  ${fence}`,
    `~~~~\n${fence}\n<tool_call>{"name": "find_train", "arguments": ${J}}</tool_call>\n${fence}\n~~~~`,
    `Write \`<tool_call>{"name": "find_train", "arguments": ${J}}</tool_call>\`.`,
    `Write \`\`<|python_tag|>{"name": "find_train", "parameters": ${J}}\`\`.`,
    `> <tool_call>{"name": "find_train", "arguments": ${J}}</tool_call>`,
    'Others write `<function=find_train>` or a bare object such as {"name": "find_train", "parameters": {"to": "Lyon"}}.',
    `It printed "<function=find_train>{}</function>" and stopped.`,
    "It printed '<|tool_call_begin|>functions.find_train:0<|tool_call_argument_begin|>{}<|tool_call_end|>' and stopped.",
    "It printed “<function=find_train>{}</function>” and stopped.",
    "<function=find_train> is how it begins, and </function> is how it ends.",
    '{"log": "<tool_call>{\\"name\\": \\"find_train\\", \\"arguments\\": {}}</tool_call>"}',
    '{"name": "Ada", "city": "London"}',
    '{"name": "Ada", "parameters": {"to": "Lyon"}}',
    '{"name": "find_train", "description": "Finds a train", "parameters": {"type": "object", "properties": {}}}',
    '{"name": "find_train", "parameters": {"type": "object", "properties": {"to": {"type": "string"}}}}',
    `Here it is: {"name": "find_train", "arguments": ${J}}`,
    `{"name": "find_train", "arguments": ${J}}\n\nShall I run it?`,
    "[1, 2, 3]",
    '["find_train", "list_stations"]',
    "[find_train(to='Lyon')] would be the call.",
    "[the docs](https://example.com/find_train)",
    "[print(1), len(x=2)]",
    "print(1)",
    "sorted(key=1)",
    "Action: think about it\nAction Input: none",
    "Action: escalate\nAction Input: none",
    `Usage: train [ARGS] {file}`,
    "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n{}",
    `>>>quoted <tool_call>{"name": "find_train", "arguments": ${J}}</tool_call>`,
    ">>>find_train\nis the header",
    "<details><summary>More</summary>text</details>",
    "<find_train> is the element, <to> its child.",
    "<find_train><b>bold</b></find_train>",
    "<function_calls>are listed here</function_calls>",
    "The mail goes to=functions.",
    "<|channel|>final<|message|>The train leaves at nine.<|return|>",
    "<|start|>functions.find_train to=assistant<|channel|>commentary<|message|>{}<|end|>",
    `<think>\nI'd write <tool_call>{"name": "find_train", "arguments": ${J}}</tool_call>\n</think>\nWhich day?`,
    `I'd write <tool_call>{"name": "find_train", "arguments": ${J}}</tool_call>\n</think>\nWhich day?`,
    `Action: ${fence}json\n[{"tool_name": "directly_answer", "parameters": {}}]\n${fence}`,
    `${fence}tool_code\nimport os\n${fence}`,
    `${fence}tool_code\nprint(len(x=1))\n${fence}`,
    '{"response": "The train leaves at nine."}',
    "<tool_call>",
    "<tool_call>{",
    '{"',
    "[TOOL_CALLS]",
  ];
  test.each(["<think>\n\n</think>\n", "<think></think>", "<thinking>I look it up.</thinking>"])(
    "%s, though a tool has that name",
    (text) => {
      const thinks = ["think", "thinking"].map((name) => ({ name }));
      expect(findTextCalls(text, { tools: thinks })).toEqual([]);
    },
  );

  test("a tool that is called think is called with parameters", () => {
    const [found] = findTextCalls("<think>\n<thought>Rest</thought>\n</think>", {
      tools: [{ name: "think", parameters: { type: "object", properties: { thought: { type: "string" } } } }],
    });
    expect(found).toMatchObject({ name: "think", arguments: { thought: "Rest" } });
  });

  test.each(silent)("%s", (text) => {
    expect(findTextCalls(text, { tools })).toEqual([]);
  });

  test("a plan inside reasoning, unless the turn ends with it", () => {
    const call = `<tool_call>{"name": "find_train", "arguments": ${J}}</tool_call>`;
    expect(findTextCalls(`<think>${call}</think>`, { tools })).toHaveLength(1);
    expect(findTextCalls(`<think>${call}`, { tools })).toHaveLength(1);
    expect(findTextCalls(`<think>${call}</think>\n${call}`, { tools })).toMatchObject([
      { start: 15 + call.length + 1 },
    ]);
  });

  test("a literal, but only as far as it goes", () => {
    const call = `<tool_call>{"name": "find_train", "arguments": ${J}}</tool_call>`;
    expect(findTextCalls(`It's 5" long, don't ask.\n${call}`, { tools })).toHaveLength(1);
    expect(findTextCalls(`A stray \` and a ' quote "here\n\n${call}`, { tools })).toHaveLength(1);
    expect(findTextCalls(`${fence}\ncode\n${fence}\n${call}`, { tools })).toHaveLength(1);
    expect(findTextCalls(`> quoted\n\n${call}`, { tools })).toHaveLength(1);
    expect(
      findTextCalls(`<function=write_note><parameter=text>"open\n\`tick</parameter></function> ${call}`, {
        tools,
      }),
    ).toHaveLength(2);
  });

  test("a broken one does not hide the next", () => {
    const broken = '<tool_call>{"name": "find_train", "arguments": {"to": "the "old" town"}}</tool_call>\n';
    const good = `<tool_call>{"name": "find_train", "arguments": ${J}}</tool_call>`;
    expect(findTextCalls(broken + good, { tools })).toMatchObject([{ start: broken.length }]);
  });
});

describe("a syntax that the system prompt teaches", () => {
  const react = findTextCalls(`Action: find_train\nAction Input: ${J}`)[0] as TextCall;
  const hermes = findTextCalls(
    `<tool_call>{"name": "find_train", "arguments": ${J}}</tool_call>`,
  )[0] as TextCall;
  const cline = findTextCalls("<find_train><to>Lyon</to></find_train>", { tools })[0] as TextCall;
  const bare = findTextCalls(`{"name": "find_train", "parameters": ${J}}`)[0] as TextCall;
  const list = findTextCalls("[find_train(to='Lyon')]")[0] as TextCall;

  test("is the protocol", () => {
    expect(
      teachesSyntax(
        "Use this format:\nAction: the tool\nAction Input: its input\nObservation: the result",
        react,
      ),
    ).toBe(true);
    expect(teachesSyntax("Return JSON within <tool_call></tool_call> XML tags.", hermes)).toBe(true);
    expect(teachesSyntax("## find_train\n<find_train>\n<to>city</to>\n</find_train>", cline)).toBe(true);
    expect(teachesSyntax('Respond with {"name": the function, "parameters": its arguments}.', bare)).toBe(
      true,
    );
    expect(teachesSyntax("Put calls in the format [func_name1(param=value)].", list)).toBe(true);
  });

  test("is not taught by another syntax, nor by being forbidden", () => {
    expect(teachesSyntax("You are a helpful travel agent.", hermes)).toBe(false);
    expect(teachesSyntax("Action: the tool\nAction Input: its input", hermes)).toBe(false);
    expect(teachesSyntax("Never write <tool_call> tags as text.", hermes)).toBe(false);
    expect(teachesSyntax("Call tools properly. Don't print <tool_call>, please.", hermes)).toBe(false);
    expect(teachesSyntax("", hermes)).toBe(false);
  });

  test("is left out when the system prompt is known", () => {
    const text = `Action: find_train\nAction Input: ${J}`;
    expect(findTextCalls(text, { tools })).toHaveLength(1);
    expect(findTextCalls(text, { tools, systemText: "Action: the tool\nAction Input: its input" })).toEqual(
      [],
    );
  });
});

describe("a control token", () => {
  const found: readonly (readonly [text: string, tokens: readonly string[]])[] = [
    ["find_train<|channel|>commentary", ["<|channel|>"]],
    ["hello<‖DSML‖tool_calls>world", ["<‖DSML‖tool_calls>"]],
    ["Done.<｜end▁of▁sentence｜>", ["<｜end▁of▁sentence｜>"]],
    ["Done.<|im_end|>\n<|im_start|>user", ["<|im_end|>", "<|im_start|>"]],
    ["The train leaves at nine.\n</tool_call>", ["</tool_call>"]],
    ["The train leaves at nine.</tool_call>", ["</tool_call>"]],
    ["Lyon</parameter>\n</function>", ["</parameter>", "</function>"]],
    ["Let me look.\n<tool_call>\n", ["<tool_call>"]],
    ["I will look it up.\n</think>\nThe train leaves at nine.", ["</think>"]],
    ["I will look it up.\n</think>", ["</think>"]],
    ["<tool_response>\n{}\n</tool_response>", ["<tool_response>", "</tool_response>"]],
    ["[TOOL_CALLS]", ["[TOOL_CALLS]"]],
    ["Hello <|tool_calls_sec", ["<|tool_calls_sec"]],
    ["Hello <｜DSML｜inv", ["<｜DSML｜inv"]],
    ["calls_end|>The train", ["calls_end|>"]],
    ["analysisWhich train?assistantfinalThe 9:05.", ["assistantfinal"]],
    ["ML‖tool_calls>The train", ["ML‖tool_calls>"]],
    ["<|channel|>analysis<|message|>Which train?<|end|>", ["<|channel|>", "<|message|>", "<|end|>"]],
  ];
  test.each(found)("stands in %s", (text, tokens) => {
    expect(findControlTokens(text).map(({ token }) => token)).toEqual(tokens);
  });

  const silent: readonly string[] = [
    "",
    "The train leaves at nine.",
    "Wrap the call in <tool_call> and </tool_call> tags.",
    "It ends with `<|im_end|>`.",
    "```\n<|im_start|>user\n```",
    'It printed "<|im_end|>" and stopped.',
    "<think>\nWhich train?\n</think>\nThe train leaves at nine.",
    "<think>\nWhich train?\n</think>",
    `<think>\n<tool_call>\n{"name": "find_train"}\n</tool_call>\n</think>\nWhich day?`,
    `<tool_call>{"name": "find_train", "arguments": ${J}}</tool_call>`,
    `<|start|>assistant<|channel|>commentary to=functions.find_train json<|message|>${J}<|call|>`,
    "The assistantFinal flag and the assistantfinalize() hook are set.",
    `assistantcommentary to=functions.find_train json${J}`,
    "a <| b |> c",
    "| a | b |\n|---|---|",
    "Usage: train [ARGS]",
    "f <|> g",
  ];
  test.each(silent)("does not stand in %s", (text) => {
    expect(findControlTokens(text)).toEqual([]);
  });

  test("is left over beside a call", () => {
    const text = `<|channel|>analysis<|message|>Which?<|end|><|start|>assistant<|channel|>commentary to=functions.find_train json<|message|>${J}<|call|>`;
    expect(findControlTokens(text).map(({ token }) => token)).toEqual([
      "<|channel|>",
      "<|message|>",
      "<|end|>",
    ]);
  });
});

describe("the parallel wrapper", () => {
  const uses = {
    tool_uses: [
      { recipient_name: "functions.find_train", parameters: toLyon },
      { recipient_name: "functions.list_stations", parameters: {} },
    ],
  };
  const real = [
    { name: "find_train", argumentsText: '{"to":"Lyon"}', arguments: toLyon },
    { name: "list_stations", argumentsText: "{}", arguments: {} },
  ];

  test("gives the real calls, from a value or its text", () => {
    expect(splitParallelWrapper("multi_tool_use.parallel", uses)).toEqual(real);
    expect(splitParallelWrapper("multi_tool_use.parallel", JSON.stringify(uses))).toEqual(real);
    expect(splitParallelWrapper("functions.multi_tool_use.parallel", uses)).toEqual(real);
    expect(splitParallelWrapper("multi_tool_use_parallel", uses)).toEqual(real);
  });

  test("gives nothing for what is none", () => {
    expect(splitParallelWrapper("find_train", uses)).toEqual([]);
    for (const args of [
      undefined,
      null,
      1,
      "",
      "{",
      {},
      { tool_uses: {} },
      { tool_uses: [1] },
      { tool_uses: [{ parameters: {} }] },
    ]) {
      expect(splitParallelWrapper("multi_tool_use.parallel", args)).toEqual([]);
    }
  });
});

describe("hostile text", () => {
  const pieces = [
    ...closed.flatMap(([, text]) => text.split(/(?<=[>\]}:])/)),
    ..."{}[]()<>|｜\"'`\n,:=\\ ".split(""),
    "```",
    "<think>",
    "</think>",
    "a",
    "1",
    "[ARGS]",
    "to=",
    "find_train",
  ];

  test("never throws, and offsets stay inside the text, in order", () => {
    const text = fc.oneof(
      fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((each) => each.join("")),
      fc.string(),
    );
    fc.assert(
      fc.property(text, fc.constantFrom(undefined, tools), (source, declared) => {
        const context = declared ? { tools: declared } : {};
        for (const spans of [findTextCalls(source, context), findControlTokens(source, context)]) {
          let last = 0;
          for (const { start, end } of spans) {
            expect(start).toBeGreaterThanOrEqual(last === end ? start : Math.min(last, start));
            expect(end).toBeGreaterThan(start);
            expect(end).toBeLessThanOrEqual(source.length);
            last = start;
          }
        }
        for (const call of findTextCalls(source, context)) expect(call.name).not.toBe("");
        for (const { token, start, end } of findControlTokens(source, context))
          expect(token).toBe(source.slice(start, end));
      }),
      { numRuns: 2000 },
    );
  });

  test("a call cut anywhere keeps its name, and is never taken for whole with other arguments", () => {
    for (const [family, text] of closed) {
      if (family === "react") continue; // A line of plain text has no end but its own.
      const whole = findTextCalls(text, { tools });
      for (let length = 0; length < text.length; length++) {
        for (const [index, call] of findTextCalls(text.slice(0, length), { tools }).entries()) {
          if (call.isClosed && whole[index])
            expect
              .soft([call.name, call.arguments], text.slice(0, length))
              .toEqual([whole[index].name, whole[index].arguments]);
        }
      }
    }
  });

  const long = (piece: string, length = 250_000) => piece.repeat(Math.ceil(length / piece.length));
  const repeated = [
    "The train leaves at nine, and it is on time. ",
    'The train\'s "late" `today`.\n',
    "<tool_call>",
    "<tool_call>{",
    '<tool_call>{"a":"',
    "<tool_call>{'a':\"</tool_call>",
    '<tool_call>{"name":"find_train","arguments":{"a":[',
    "<tool_call>find_train<arg_key>",
    "<tool_call>find_train ",
    "<function=find_train><parameter=to>",
    "<function=find_train>",
    "<function=find_train>{",
    '<invoke name="find_train">',
    '<invoke name="find_train"><parameter name="to">',
    "<find_train>",
    "<find_train><to>",
    "<find_train><a1>",
    "[TOOL_CALLS]find_train[ARGS]",
    "[TOOL_CALLS]find_train ",
    "[TOOL_CALLS][",
    "find_train[ARGS]{",
    "<|tool_call_begin|>",
    "<|tool_call_begin|>functions.find_train:0<|tool_call_argument_begin|>x",
    "<|tool_calls_section_begin|>        ",
    '<｜DSML｜invoke name="find_train">',
    "<|channel|>commentary to=find_train ",
    "<|channel|>commentary to=find_train<|message|>x",
    "<|channel|>",
    "to=functions.",
    "<|tool_call|>[",
    "<|tool_call>call:find_train{",
    "Action: find_train\nAction Input: ",
    "Action: find_train\n",
    ">>>find_train\n{",
    "```tool_code\nprint(default_api.find_train(",
    "default_api.find_train(to=[",
    "✿FUNCTION✿: find_train\n✿ARGS✿: ",
    "[find_train(",
    '{"name":',
    "[[[[",
    "((((",
    "```",
    "`",
    "` `` ``` ```` ",
    "“",
    "'a ",
    '"\n',
    "\n> ",
    "\n```\n````",
    "<|im_start|>",
    "<|",
    "<|tool ",
    "</tool_call> ",
    "</think>",
    " ",
    "\n",
    "\t\n ",
    "<steptml:invoke ",
    "functools[",
    "<|python_tag|>a.call(",
    "<tool_call>          ",
  ];
  // What takes the square of its length does not end before the test is given up.
  test.each(repeated)("%j over and over does not hang", { timeout: 30_000 }, (piece) => {
    for (const source of [
      long(piece),
      `${long(piece)}<tool_call>`,
      `{"name":"a","arguments":{"to":"${long(piece)}`,
    ]) {
      expect(() => {
        findTextCalls(source, { tools });
        findControlTokens(source, { tools });
      }).not.toThrow();
    }
  });

  test("a megabyte is read, whether nothing is in it or much", () => {
    expect(findTextCalls(long('The train\'s "late" `today`, <b>is it?</b>\n', 1_000_000), { tools })).toEqual(
      [],
    );
    expect(() => findTextCalls(long("<tool_call>", 1_000_000), { tools })).not.toThrow();
  });
});
