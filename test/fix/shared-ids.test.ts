import { describe, expect, test } from "vitest";
import { check, fix, read } from "../../src/index.ts";
import { lines } from "./log.ts";

const cities = ["Oslo", "Rome"] as const;
type City = (typeof cities)[number];

const weather: Readonly<Record<City, string>> = { Oslo: "rain, 7 °C", Rome: "sun, 21 °C" };
const tool = "get_weather";
const id = "call_0";

/** A protocol's request: two calls with one id, and the results of these cities, in this order. */
const requests: Readonly<Record<string, (results: readonly City[]) => object>> = {
  "Messages, one message": (results) => ({
    model: "claude-sonnet-4-5",
    max_tokens: 100,
    messages: [
      { role: "user", content: "Weather in Oslo and Rome?" },
      {
        role: "assistant",
        content: cities.map((city) => ({ type: "tool_use", id, name: tool, input: { city } })),
      },
      {
        role: "user",
        content: results.map((city) => ({ type: "tool_result", tool_use_id: id, content: weather[city] })),
      },
    ],
  }),
  "Messages, messages apart": (results) => ({
    model: "claude-sonnet-4-5",
    max_tokens: 100,
    messages: [
      { role: "user", content: "Weather in Oslo and Rome?" },
      ...cities.map((city) => ({
        role: "assistant",
        content: [{ type: "tool_use", id, name: tool, input: { city } }],
      })),
      ...results.map((city) => ({
        role: "user",
        content: [{ type: "tool_result", tool_use_id: id, content: weather[city] }],
      })),
    ],
  }),
  "Chat Completions, one message": (results) => ({
    model: "gpt-5",
    messages: [
      { role: "user", content: "Weather in Oslo and Rome?" },
      {
        role: "assistant",
        content: null,
        tool_calls: cities.map((city) => ({
          id,
          type: "function",
          function: { name: tool, arguments: JSON.stringify({ city }) },
        })),
      },
      ...results.map((city) => ({ role: "tool", tool_call_id: id, content: weather[city] })),
    ],
  }),
  Responses: (results) => ({
    model: "gpt-5",
    input: [
      { role: "user", content: "Weather in Oslo and Rome?" },
      ...cities.map((city) => ({
        type: "function_call",
        call_id: id,
        name: tool,
        arguments: JSON.stringify({ city }),
      })),
      ...results.map((city) => ({ type: "function_call_output", call_id: id, output: weather[city] })),
    ],
  }),
  Bedrock: (results) => ({
    modelId: "anthropic.claude-sonnet-4-5-20250929-v1:0",
    messages: [
      { role: "user", content: [{ text: "Weather in Oslo and Rome?" }] },
      {
        role: "assistant",
        content: cities.map((city) => ({ toolUse: { toolUseId: id, name: tool, input: { city } } })),
      },
      {
        role: "user",
        content: results.map((city) => ({
          toolResult: { toolUseId: id, content: [{ text: weather[city] }], status: "success" },
        })),
      },
    ],
  }),
};

/** Where OpenAI is only presumed, a shared id of Responses is an info, and nothing is repaired. */
const sentTo = (name: string): object =>
  name === "Responses" ? { url: "https://api.openai.com/v1/responses" } : {};

/** The results of the second request by the city that their call asks for, in a log that was repaired. */
async function answersIn(log: Uint8Array): Promise<readonly (readonly [string, string])[]> {
  const { exchanges } = await read(log, { name: "run.jsonl" });
  const history = exchanges[1]?.request?.history;
  const items = Array.from(
    { length: history?.length ?? 0 },
    (_, index) => history?.items(index) ?? [],
  ).flat();
  const calls = items.filter((item) => item.kind === "call");
  return items.flatMap((item) => {
    const call = item.kind === "result" && calls.find((each) => each.id === item.callId);
    return call ? [[JSON.parse(call.argumentsText).city, item.text] as const] : [];
  });
}

describe.each(Object.entries(requests))("calls of one turn with one id: %s", (name, request) => {
  const logWith = (...results: readonly (readonly City[])[]): Buffer =>
    Buffer.from(lines(results.map((each) => ({ ...sentTo(name), request: request(each) }))));

  test.each([[["Rome"]], [["Oslo"]], [[]]] as const)(
    "get the results that an earlier request shows to be theirs, where %j are left",
    async (left) => {
      const { bytes } = await fix(logWith(cities, left), { name: "run.jsonl" });
      expect(Object.fromEntries(await answersIn(bytes))).toEqual(weather);
      expect(await answersIn(bytes)).toHaveLength(2);
    },
  );

  test("keep their id where nothing shows which of them the result answers", async () => {
    const log = logWith(["Rome"], ["Rome"]);
    const { bytes, report } = await fix(log, { name: "run.jsonl" });
    expect(Buffer.from(bytes).equals(log)).toBe(true);
    expect(report.edits.filter(({ applied }) => applied)).toEqual([]);
  });

  test("share a result that is not called another one's", async () => {
    const { findings } = await check(logWith(cities, ["Rome"]), { name: "run.jsonl" });
    expect(findings.map(({ rule }) => rule)).not.toContain("rewritten-history");
  });
});
