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
    { rule: "dropped-turns", applied: false, why: "the new value for `/messages/1` is not JSON" },
  ]);
});

test.each(["null", '"null"'])("arguments that are %s become an object with nothing in it", async (input) => {
  const text = `{"url":"https://api.anthropic.com/v1/messages","request":{"model":"claude-sonnet-4-5","max_tokens":99,"messages":[{"role":"user","content":"What time is it?"},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"get_time","input":${input}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"noon"}]}]},"response":{"status":400,"body":{"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0.tool_use.input: Input should be a valid dictionary"}}}}\n`;
  const { bytes, report } = await fix(Buffer.from(text), { name: "run.jsonl" });
  expect(Buffer.from(bytes).toString()).toBe(text.replace(`"input":${input}`, '"input":{}'));
  expect(report.edits).toMatchObject([{ rule: "misencoded-arguments", safety: "safe", applied: true }]);
});
