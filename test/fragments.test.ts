import { describe, expect, test } from "vitest";
import { checkFiles } from "../src/check/check.ts";
import { fix } from "../src/index.ts";
import { bytesSource } from "../src/reading/source.ts";

/** The root findings above info, as `rule:severity`. */
async function found(log: string, path = "pasted.txt"): Promise<string[]> {
  const { report } = await checkFiles([{ path, source: bytesSource(path, Buffer.from(log)) }]);
  return report.findings
    .filter(({ severity, cause }) => severity !== "info" && cause === null)
    .map(({ rule, severity }) => `${rule}:${severity}`);
}

/** A call and a result that names another one, in the form of an API. */
const forms = {
  "items of Responses": (callId: string, resultId: string) => [
    { type: "function_call", id: "fc_1", call_id: callId, name: "get_fare", arguments: '{"to":"Ghent"}' },
    { type: "function_call_output", call_id: resultId, output: "12 EUR" },
  ],
  "messages of Chat Completions": (callId: string, resultId: string) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: callId, type: "function", function: { name: "get_fare", arguments: '{"to":"Ghent"}' } },
      ],
    },
    { role: "tool", tool_call_id: resultId, content: "12 EUR" },
  ],
  "messages of Anthropic": (callId: string, resultId: string) => [
    {
      role: "assistant",
      content: [{ type: "tool_use", id: callId, name: "get_fare", input: { to: "Ghent" } }],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: resultId, content: "12 EUR" }] },
  ],
};

const compact = (value: unknown): string => JSON.stringify(value);
const laidOut = (value: unknown): string => JSON.stringify(value, undefined, 2);

describe.each(Object.entries(forms))("records with one call: %s", (_, form) => {
  test.each([
    ["a line each", compact],
    ["laid out", laidOut],
  ])("%s", async (_name, write) => {
    const log = (resultId: string): string => form("call_1", resultId).map(write).join("\n");
    expect(await found(log("call_2"))).toEqual(["call-id-mismatch:warning"]);
    expect(await found(log("call_1"))).toEqual([]);
  });

  test("that keep no ids", async () => {
    const log = form("call_1", "call_2")
      .map(compact)
      .map((line) => line.replace(/"(?:id|(?:tool_)?call_id|tool_use_id)":"\w+",?/g, ""));
    expect(await found(log.join("\n"))).toEqual([]);
  });

  test("a result of a call that was made before them", async () => {
    expect(await found(form("call_1", "call_2").map(compact).reverse().join("\n"))).toEqual([]);
  });
});

const talk =
  "The gateway answers as below, since version 3.1, on Linux and on macOS, with and without a proxy.\n";

/** A message whose call has half of its arguments, as each API sends it. */
const cutOff: Record<string, unknown> = {
  "a choice": {
    index: 0,
    message: {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", type: "function", function: { name: "get_fare", arguments: '{"to":' } }],
    },
    finish_reason: "tool_calls",
  },
  "a message": {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "call_1", type: "function", function: { name: "get_fare", arguments: '{"to":' } }],
  },
  "an item": { type: "function_call", call_id: "call_1", name: "get_fare", arguments: '{"to":' },
};

describe.each(Object.entries(cutOff))("%s in a block of code, between many words", (_, value) => {
  test.each([
    ["a fence", (json: string) => `${talk.repeat(9)}\n\`\`\`json\n${json}\n\`\`\`\n\n${talk}`],
    ["tildes in a quote", (json: string) => `${talk.repeat(9)}\n> ~~~\n> ${json}\n> ~~~\n`],
    ["no end", (json: string) => `${talk.repeat(9)}\n\`\`\`\n${json}\n`],
  ])("%s", async (_name, around) => {
    expect(await found(around(compact(value)))).toEqual(["incomplete-arguments:warning"]);
  });
});

test.each(["a message", "an item"])("%s within a program is a part of its source", async (name) => {
  const program = `const wanted = ${compact(cutOff[name])};\n${"expect(told(log)).toEqual(wanted);\n".repeat(12)}`;
  expect(await found(`${talk.repeat(9)}\n\`\`\`ts\n${program}\`\`\`\n`)).toEqual([]);
});

/** The parts of messages that a call and its result are, without what stands around them. */
const parts = {
  "items of Responses": forms["items of Responses"],
  "calls of Chat Completions": (callId: string, resultId: string) => [
    { id: callId, type: "function", function: { name: "get_fare", arguments: '{"to":"Ghent"}' } },
    { role: "tool", tool_call_id: resultId, content: "12 EUR" },
  ],
  "blocks of Anthropic": (callId: string, resultId: string) => [
    { type: "tool_use", id: callId, name: "get_fare", input: { to: "Ghent" } },
    { type: "tool_result", tool_use_id: resultId, content: "12 EUR" },
  ],
  "blocks of Converse": (callId: string, resultId: string) => [
    { toolUse: { toolUseId: callId, name: "get_fare", input: { to: "Ghent" } } },
    { toolResult: { toolUseId: resultId, content: [{ text: "12 EUR" }] } },
  ],
  "parts of Gemini": (callId: string, resultId: string) => [
    { functionCall: { id: callId, name: "get_fare", args: { to: "Ghent" } } },
    { functionResponse: { id: resultId, name: "get_fare", response: { fare: "12 EUR" } } },
  ],
};

/** As Python prints it. */
const inPython = (value: unknown): string =>
  compact(value).replaceAll(/"((?:[^"\\]|\\.)*)"/g, (_, text: string) => `'${text.replaceAll('\\"', '"')}'`);

const pasted: Record<string, (values: readonly object[]) => string> = {
  "laid out, with commas": (values) => `\`\`\`json\n${values.map(laidOut).join(",\n")}\n\`\`\`\n`,
  "laid out, without commas": (values) => `\`\`\`\n${values.map(laidOut).join("\n")}\n\`\`\`\n`,
  "in a quote": (values) =>
    `\`\`\`json\n${values.map(laidOut).join(",\n")}\n\`\`\``
      .split("\n")
      .map((line) => `> ${line}`)
      .join("\n"),
  "as Python prints it": (values) => `\`\`\`\n${values.map(inPython).join(",\n")}\n\`\`\`\n`,
  "with a comment between": (values) => `\`\`\`js\n${values.map(laidOut).join("\n// and then\n")}\n\`\`\`\n`,
  "as code that adds each": (values) =>
    `\`\`\`py\n${values.map((value) => `input.append(${compact(value)})`).join("\n")}\n\`\`\`\n`,
};

describe.each(Object.entries(parts))("%s without messages around them", (_name, form) => {
  const links = ["call-id-mismatch:error"];

  test.each(Object.entries(pasted))("%s", async (_, write) => {
    expect(await found(`${talk.repeat(4)}\n${write(form("call_1", "call_2"))}`, "issue.md")).toEqual(links);
    expect(await found(`${talk.repeat(4)}\n${write(form("call_1", "call_1"))}`, "issue.md")).toEqual([]);
  });

  test("in blocks apart", async () => {
    const apart = (resultId: string, between = ""): string => {
      const [call, result] = form("call_1", resultId).map((value) => `\`\`\`\n${laidOut(value)}\n\`\`\`\n`);
      return `${talk}\n${call}\nwhich we answer:\n${between}\n${result}`;
    };
    expect(await found(apart("call_1"), "issue.md")).toEqual([]);
    expect(await found(apart("call_2"), "issue.md")).toEqual(links);
    const other = `\`\`\`json\n${laidOut({ runs: 2, tools: ["get_fare"] })}\n\`\`\`\n`;
    expect(await found(apart("call_2", other), "issue.md")).toEqual([]);
  });

  test.each([0, 1])("alone, %i", async (at) => {
    const value = form("call_1", "call_1")[at];
    expect(await found(`${talk}\n\`\`\`\n${laidOut(value)}\n\`\`\`\n`, "issue.md")).toEqual([]);
  });

  test("a result whose call is not there, before a call", async () => {
    const [call, result] = form("call_1", "call_2");
    const log = [result, call].map(laidOut).join(",\n");
    expect(await found(`${talk}\n\`\`\`\n${log}\n\`\`\`\n`, "issue.md")).toEqual([]);
  });
});

/** A request, and a part of its reply with arguments that its schema does not allow. */
const schema = { type: "object", properties: { to: { type: "string" } }, required: ["to"] };
const asked: Record<string, readonly [request: object, part: string]> = {
  "a call of Chat Completions": [
    {
      model: "gpt-5",
      messages: [{ role: "user", content: "What is the fare to Ghent?" }],
      tools: [{ type: "function", function: { name: "get_fare", parameters: schema } }],
    },
    laidOut({
      id: "call_1",
      type: "function",
      function: { name: "get_fare", arguments: '{"from":"Ghent"}' },
    }),
  ],
  "the function of a call": [
    {
      model: "gpt-5",
      messages: [{ role: "user", content: "What is the fare to Ghent?" }],
      tools: [{ type: "function", function: { name: "get_fare", parameters: schema } }],
    },
    `"function": ${laidOut({ name: "get_fare", arguments: '{"from":"Ghent"}' })}`,
  ],
  "a block of Anthropic": [
    {
      model: "claude-sonnet-4-5",
      max_tokens: 100,
      messages: [{ role: "user", content: "What is the fare to Ghent?" }],
      tools: [{ name: "get_fare", input_schema: schema }],
    },
    laidOut({ type: "tool_use", id: "toolu_1", name: "get_fare", input: { from: "Ghent" } }),
  ],
  "a part of Gemini": [
    {
      contents: [{ role: "user", parts: [{ text: "What is the fare to Ghent?" }] }],
      tools: [{ functionDeclarations: [{ name: "get_fare", parameters: { ...schema, type: "OBJECT" } }] }],
    },
    laidOut({ functionCall: { name: "get_fare", args: { from: "Ghent" } } }),
  ],
};

test.each(Object.entries(asked))("%s behind a request is its reply", async (_, [request, part]) => {
  const log = `Request:\n\`\`\`json\n${laidOut(request)}\n\`\`\`\nResponse:\n\`\`\`json\n${part}\n\`\`\`\n`;
  expect(await found(log, "issue.md")).toEqual(["invalid-arguments:warning"]);
});

test("code with variables for ids and results is a program", async () => {
  const code = `messages.append({"role": "assistant", "content": None, "tool_calls": [
    {"id": call.id, "type": "function", "function": {"name": call.function.name, "arguments": call.function.arguments}}
]})
messages.append({"role": "tool", "tool_call_id": call.id, "content": result})`;
  expect(await found(`${talk}\n\`\`\`python\n${code}\n\`\`\`\n`, "issue.md")).toEqual([]);
});

test.each(["toolu_01...", "toolu_01…"])("an id that somebody shortened has no wrong form: %s", async (id) => {
  const log = forms["messages of Anthropic"](id, id).map(laidOut).join(",\n");
  expect(await found(`${talk}\n\`\`\`json\n${log}\n\`\`\`\n`, "issue.md")).toEqual([]);
});

test("a program that prints its messages again and again", async () => {
  const [call, result] = forms["messages of Chat Completions"]("call_1", "call_1");
  const printed = [call, call, result, { ...call, id: "msg_1" }, result].map(laidOut);
  expect(await found(printed.map((json) => `[AGENT] message:\n${json}\n`).join("\n"), "run.log")).toEqual([]);
});

test.each([
  "items of Responses",
  "calls of Chat Completions",
  "blocks of Anthropic",
  "blocks of Converse",
] as const)("fix writes into the paste: %s", async (name) => {
  const paste = (resultId: string): string =>
    `${talk}\n\`\`\`json\n${parts[name]("call_1", resultId).map(laidOut).join(",\n")}\n\`\`\`\n`;
  const { bytes } = await fix(Buffer.from(paste("call_2")));
  expect(Buffer.from(bytes).toString()).toBe(paste("call_1"));
});

test("blocks of Anthropic on a line each are no log of events", async () => {
  const lines = (resultId: string): string =>
    parts["blocks of Anthropic"]("call_1", resultId).map(compact).join("\n");
  expect(await found(lines("call_2"))).toEqual(["call-id-mismatch:error"]);
  expect(await found(lines("call_1"))).toEqual([]);
});
