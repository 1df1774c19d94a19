import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";

/** Bodies as PHP prints them. */

type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);
const entries = (value: Value): [string | number, Value][] =>
  isList(value) ? value.map((each, at) => [at, each]) : Object.entries(value as Record<string, Value>);
const isArray = (value: Value): boolean => typeof value === "object" && value !== null;

function varDump(value: Value, indent = ""): string {
  if (value === null) return `${indent}NULL\n`;
  if (typeof value === "string") return `${indent}string(${Buffer.byteLength(value)}) "${value}"\n`;
  if (!isArray(value)) return `${indent}${typeof value === "boolean" ? "bool" : "int"}(${value})\n`;
  const members = entries(value).map(
    ([key, each]) => `${indent}  [${JSON.stringify(key)}]=>\n${varDump(each, `${indent}  `)}`,
  );
  return `${indent}array(${members.length}) {\n${members.join("")}${indent}}\n`;
}

function printR(value: Value, indent = ""): string {
  if (!isArray(value)) return value === null ? "" : `${value}`;
  const members = entries(value).map(
    ([key, each]) => `${indent}    [${key}] => ${printR(each, `${indent}        `)}\n`,
  );
  return `Array\n${indent}(\n${members.join("")}${indent})\n`;
}

function varExport(value: Value, indent = ""): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return `'${value.replace(/['\\]/g, "\\$&")}'`;
  if (!isArray(value)) return `${value}`;
  const members = entries(value).map(([key, each]) => {
    const name = typeof key === "number" ? key : `'${key}'`;
    return `${indent}  ${name} => ${isArray(each) ? `\n${indent}  ` : ""}${varExport(each, `${indent}  `)},\n`;
  });
  return `array (\n${members.join("")}${indent})`;
}

function source(value: Value): string {
  if (!isArray(value)) return value === null ? "null" : varExport(value);
  return `[${entries(value)
    .map(([key, each]) => (typeof key === "number" ? source(each) : `'${key}' => ${source(each)}`))
    .join(", ")}]`;
}

function dump(value: Value, indent = ""): string {
  if (typeof value === "string") return value.includes("\n") ? `"""\n${value}\n"""` : `"${value}"`;
  if (!isArray(value)) return `${value}`;
  const members = entries(value).map(
    ([key, each]) => `${indent}  ${JSON.stringify(key)} => ${dump(each, `${indent}  `)}\n`,
  );
  return members.length === 0 ? "[]" : `array:${members.length} [▼\n${members.join("")}${indent}]`;
}

const forms: readonly (readonly [string, (value: Value) => string])[] = [
  ["var_dump", varDump],
  ["print_r", printR],
  ["var_export", varExport],
  ["the source", source],
  ["dump", dump],
];

const request = (resultId: string, city = "Oslo"): Value => ({
  model: "gpt-4o",
  messages: [
    { role: "user", content: "What's the weather in [Zürich] (now)?" },
    {
      role: "assistant",
      content: "I look.",
      tool_calls: [
        {
          id: "call_1",
          type: "function",
          function: { name: "weather", arguments: JSON.stringify({ city }) },
        },
      ],
    },
    { role: "tool", tool_call_id: resultId, content: "rain" },
    { role: "user", content: "And tomorrow?" },
  ],
});

const tools: Value = [
  {
    type: "function",
    function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
  },
];

async function findingsOf(log: string): Promise<readonly string[]> {
  const { findings } = await check(Buffer.from(log));
  return findings.map(({ rule, severity }) => `${severity} ${rule}`);
}

describe.each(forms)("what %s prints", (_, print) => {
  const log = (body: Value): string => `[2026-01-02 10:00:00] local.DEBUG: request\n${print(body)}\n\nsent\n`;
  const whole = (id: string): Value => ({ ...(request(id) as Record<string, Value>), tools });

  test("shows a result under another id", async () => {
    expect(await findingsOf(log(whole("call_2")))).toEqual(["error call-id-mismatch"]);
  });

  test("passes where the history is right", async () => {
    expect(await findingsOf(log(whole("call_1")))).toEqual([]);
  });

  test("passes where objects have no members, which PHP prints as lists", async () => {
    const contents = [{ role: "user", parts: [{ text: "Hello" }] }];
    const body: Value = { contents, generationConfig: {}, toolConfig: {}, safetySettings: [] };
    expect(await findingsOf(log(body))).toEqual([]);
  });

  test("may be the messages alone", async () => {
    const { messages } = request("call_2") as Record<string, Value>;
    expect(await findingsOf(log(messages ?? []))).toEqual(["error call-id-mismatch"]);
  });

  test("is a part where the log ends", async () => {
    const whole = log(request("call_2"));
    const at = whole.indexOf("And tomorrow");
    expect(await findingsOf(whole.slice(0, at))).toEqual([
      "error orphaned-tool-result",
      "info unreadable-record",
    ]);
  });
});

test("objects of a client tell their members in its own names", async () => {
  const log = `OpenAI\\Responses\\Chat\\CreateResponse Object
(
    [id] => chatcmpl-1
    [object] => chat.completion
    [created] => 1677652288
    [model] => gpt-4o
    [choices] => Array
        (
            [0] => OpenAI\\Responses\\Chat\\CreateResponseChoice Object
                (
                    [index] => 0
                    [message] => OpenAI\\Responses\\Chat\\CreateResponseMessage Object
                        (
                            [role] => assistant
                            [content] => 
                            [toolCalls] => Array
                                (
                                    [0] => OpenAI\\Responses\\Chat\\CreateResponseToolCall Object
                                        (
                                            [id] => call_1
                                            [type] => function
                                            [function] => OpenAI\\Responses\\Chat\\CreateResponseToolCallFunction Object
                                                (
                                                    [name] => weather
                                                    [arguments] => {"city":"Os
                                                )

                                        )

                                )

                        )

                    [finishReason] => tool_calls
                )

        )

)
`;
  expect(await findingsOf(log)).toContain("warning incomplete-arguments");
  expect(await findingsOf(log.replace('"Os', '"Oslo"}'))).toEqual(["info unclosed-loop"]);
});

test("other arrays of a program are no traffic", async () => {
  const log = `${varDump({ name: "tool", items: [1, 2], content: "a" })}\n${printR({ call: "x", list: [1] })}\n`;
  const { files } = await check(Buffer.from(`${log}${varDump(request("call_1"))}`));
  expect(files[0]?.exchanges).toBe(1);
});
