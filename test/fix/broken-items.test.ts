import { expect, test } from "vitest";
import { fix } from "../../src/index.ts";

const asked = '{"role":"user","content":"Refund order 17, please."}';
const called = (id: string, tool: string): string =>
  `{"role":"assistant","content":null,"tool_calls":[{"id":"${id}","type":"function","function":{"name":"${tool}","arguments":"{}"}}]}`;
const answered = (id: string, more = ""): string =>
  `{"role":"tool","tool_call_id":"${id}","content":"12.50"${more}}`;
const replied = (message: string): object => ({
  choices: [{ index: 0, message: JSON.parse(message) }],
});

test("an item that is no JSON is put nowhere else, and the report says why", async () => {
  const histories = [
    [asked],
    [asked, called("call_1", "look_up"), answered("call_1", ',"took":1e')],
    [asked, called("call_2", "refund"), answered("call_2")],
  ];
  const replies = [
    called("call_1", "look_up"),
    called("call_2", "refund"),
    '{"role":"assistant","content":"Done."}',
  ];
  const log = histories.map((history, index) => ({
    url: "https://api.openai.com/v1/chat/completions",
    body: `{"model":"gpt-5","messages":[${history.join(",")}]}`,
    response: replied(replies[index] as string),
  }));
  const text = log.map((record) => `${JSON.stringify(record)}\n`).join("");
  const { report } = await fix(Buffer.from(text), { name: "run.jsonl" });
  expect(report.edits.map(({ rule, applied, why }) => ({ rule, applied, why }))).toEqual([
    { rule: "dropped-turns", applied: false, why: "the new value for `/messages/1` is no JSON" },
  ]);
});
