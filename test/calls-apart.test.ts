import { describe, expect, test } from "vitest";
import { check } from "../src/index.ts";

/** Clients and gateways that keep each fragment of a streamed call as a call of its own. */

const question = { role: "user", content: "Which options?" };
const texts = ["", "{", '"options": ["a', '"]}'];
const called = (id: string, name: string, text: string) => ({
  id,
  type: "function",
  function: { name, arguments: text },
});
const inPieces = texts.map((text, index) =>
  called(index === 0 ? "call_1" : "", index === 0 ? "show" : "", text),
);
const withIds = texts.map((text, index) => called(`call_${index + 1}`, index === 0 ? "show" : "", text));
const result = { role: "tool", tool_call_id: "call_1", content: "null" };
const tools = [
  { type: "function", function: { name: "show", parameters: { type: "object", properties: {} } } },
];
const request = (calls: readonly object[]) => ({
  model: "gpt-5",
  tools,
  messages: [question, { role: "assistant", content: "", tool_calls: calls }, result],
});
const items = texts.map((text, index) => ({
  type: "function_call",
  call_id: index === 0 ? "call_1" : "",
  name: index === 0 ? "show" : "",
  arguments: text,
}));
const output = { type: "function_call_output", call_id: "call_1", output: "null" };
const responsesTools = [{ type: "function", name: "show", parameters: { type: "object", properties: {} } }];

async function rootsOf(log: object): Promise<readonly string[]> {
  const { findings } = await check(JSON.stringify(log));
  return findings.flatMap(({ rule, kind, severity, cause }) =>
    cause === null && severity !== "info" ? `${severity} ${rule}/${kind}` : [],
  );
}

describe("a call in pieces is one finding", () => {
  test.each([
    ["in a request", request(inPieces), "error"],
    ["in a request, with an id for each piece", request(withIds), "error"],
    ["in a request beside another call", request([called("call_0", "show", "{}"), ...inPieces]), "error"],
    [
      "in a request of the Responses API",
      { model: "gpt-5", tools: responsesTools, input: [question, ...items, output] },
      "error",
    ],
    [
      "in a reply",
      {
        choices: [
          { message: { role: "assistant", content: "", tool_calls: inPieces }, finish_reason: "tool_calls" },
        ],
      },
      "warning",
    ],
    [
      "in LangChain's list of the provider's calls",
      {
        type: "ai",
        content: "",
        additional_kwargs: {
          tool_calls: texts.map((text, index) => ({
            index: null,
            id: "0",
            type: "function",
            function: { name: index === 0 ? "show" : null, arguments: text },
          })),
        },
        tool_calls: [{ name: "show", args: {}, id: "0", type: "tool_call" }],
        invalid_tool_calls: texts
          .slice(1)
          .map((args) => ({ name: null, args, id: "0", error: null, type: "invalid_tool_call" })),
      },
      "warning",
    ],
  ])("%s", async (_, log, severity) => {
    expect(await rootsOf(log)).toContain(`${severity} lost-fragments/apart`);
    expect((await rootsOf(log)).filter((each) => /fragments|arguments|malformed/.test(each))).toHaveLength(1);
  });

  test("and says what the pieces are together", async () => {
    const { findings } = await check(JSON.stringify(request(inPieces)));
    expect(findings.find(({ rule }) => rule === "lost-fragments")?.message).toBe(
      'the fragments of one call to `show` are kept as 4 calls; together their arguments are `{"options": ["a"]}`',
    );
  });
});

test.each([
  [
    "as Spring AI prints the calls",
    '[ToolCall[id=call_1, type=function, name=show, arguments=], ToolCall[id=, type=function, name=, arguments={"options": ["a], ToolCall[id=, type=function, name=, arguments="]], ToolCall[id=, type=function, name=, arguments=}]]\n',
  ],
  [
    "as LangChain prints a message",
    "AIMessage(content='', additional_kwargs={'tool_calls': [{'index': None, 'id': '0', 'function': {'arguments': '', 'name': 'show'}, 'type': 'function'}, {'index': None, 'id': '0', 'function': {'arguments': '{\"options\": [\"a', 'name': None}, 'type': 'function'}, {'index': None, 'id': '0', 'function': {'arguments': '\"]', 'name': None}, 'type': 'function'}, {'index': None, 'id': '0', 'function': {'arguments': '}', 'name': None}, 'type': 'function'}]})\n",
  ],
])("a report of a call in pieces is one finding, too: %s", async (_, log) => {
  const { findings } = await check(log);
  const roots = findings.filter(({ cause, severity }) => cause === null && severity !== "info");
  expect(roots.map(({ message }) => message)).toEqual([
    'the fragments of one call to `show` are kept as 4 calls; together their arguments are `{"options": ["a"]}`',
  ]);
});

test.each([
  ["a whole call before one without a name", [called("call_1", "show", '{"a":1}'), called("", "", "{}")]],
  ["pieces that make no whole", inPieces.slice(0, 3)],
  ["two calls that are both cut off", [called("call_1", "show", '{"a"'), called("call_2", "hide", ":1}")]],
])("%s: no call in pieces", async (_, calls) => {
  const { findings } = await check(JSON.stringify(request(calls)));
  expect(findings.filter(({ rule }) => rule === "lost-fragments")).toEqual([]);
});
