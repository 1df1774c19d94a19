import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";

/** Traces of Langfuse: the records stand in any order, and say when they began and when they were stored. */

const parameters = { type: "object", properties: { query: { type: "string" } }, required: ["query"] };
const definitions: Readonly<Record<string, object>> = {
  "OpenAI's": { type: "function", function: { name: "search", description: "Searches.", parameters } },
  "Responses'": { type: "function", name: "search", parameters },
  "Anthropic's": { name: "search", description: "Searches.", input_schema: parameters },
  "Gemini's": { functionDeclarations: [{ name: "search", parameters }] },
};

const prompt = [
  { role: "system", content: "Be helpful." },
  { role: "user", content: "Who made the bridge?" },
];
const call = {
  role: "assistant",
  content: "",
  additional_kwargs: {
    tool_calls: [
      { id: "call_1", type: "function", function: { name: "search", arguments: '{"query":"bridge"}' } },
    ],
  },
};
const result = { role: "tool", content: "Brunel, 1864", tool_call_id: "call_1" };
const answer = { role: "assistant", content: "Brunel did." };

const at = (second: number): string => `2026-02-03T09:38:${String(second).padStart(2, "0")}.000Z`;
type Names = readonly [start: string, stored: string];
const observation = (
  [start, stored]: Names,
  started: number,
  kept: number,
  input: readonly object[],
  output: object,
) => ({
  id: `o${started}`,
  type: "GENERATION",
  name: "ChatOpenAI",
  [start]: at(started),
  model: "gpt-5",
  [stored]: at(kept),
  input,
  output,
});

function trace(tool: object, names: Names = ["startTime", "createdAt"]): readonly object[] {
  const offered = { role: "tool", content: tool };
  return [
    observation(names, 10, 59, [...prompt, offered], call),
    observation(names, 20, 40, [...prompt, call, result, offered], answer),
  ];
}

async function checked(log: string): Promise<object> {
  const { findings, files } = await check(log);
  return {
    findings: findings.map(({ rule, severity }) => `${severity} ${rule}`),
    exchanges: files[0]?.exchanges,
    conversations: files[0]?.conversations,
  };
}

const healthy = { findings: [], exchanges: 2, conversations: 1 };

describe("the tools that a request offers stand behind its history, as messages", () => {
  test.each(Object.entries(definitions))("in %s form", async (_name, tool) => {
    expect(await checked(JSON.stringify({ trace: { id: "t1" }, observations: trace(tool) }))).toEqual(
      healthy,
    );
  });

  test("a result that is JSON is a result", async () => {
    const spoken = { ...result, content: { name: "Brunel", year: 1864 } };
    const names = ["startTime", "createdAt"] as const;
    const observations = [
      observation(names, 10, 59, prompt, call),
      observation(names, 20, 40, [...prompt, call, spoken], answer),
    ];
    expect(await checked(JSON.stringify({ trace: { id: "t1" }, observations }))).toEqual(healthy);
  });
});

const names: readonly Names[] = [
  ["startTime", "createdAt"],
  ["start_time", "created_at"],
  ["started_at", "timestamp"],
];

describe("a record's start says when it was sent, not when it was stored", () => {
  test.each(names)("%s before %s", async (start, stored) => {
    const tool = definitions["OpenAI's"] as object;
    const observations = trace(tool, [start, stored]);
    for (const log of [
      JSON.stringify({ observations }),
      observations.map((each) => JSON.stringify(each)).join("\n"),
      observations
        .map((each) => {
          const { [stored]: kept, ...others } = each as Record<string, unknown>;
          return JSON.stringify({ [stored]: kept, ...others });
        })
        .join("\n"),
    ])
      expect(await checked(log)).toEqual(healthy);
  });
});
