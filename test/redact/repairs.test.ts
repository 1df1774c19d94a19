import { expect, test } from "vitest";
import { bytesSource } from "../../src/reading/source.ts";
import { redact } from "../../src/redact/redact.ts";

/** Requests that lost the call which their result belongs to, each after the request that made it. */
function dropped(count: number): string {
  const lines = Array.from({ length: count }, (_, index) => {
    const id = `call_${index}`;
    const call = { id, type: "function", function: { name: "ls", arguments: "{}" } };
    const asked = { role: "user", content: `question ${index}` };
    const replyOf = (message: object, reason: string): object => ({
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: reason }],
    });
    return [
      {
        request: { model: "gpt-5", messages: [asked] },
        response: replyOf({ role: "assistant", content: null, tool_calls: [call] }, "tool_calls"),
      },
      {
        request: { model: "gpt-5", messages: [asked, { role: "tool", tool_call_id: id, content: "ok" }] },
        response: replyOf({ role: "assistant", content: "Done." }, "stop"),
      },
    ];
  });
  return lines
    .flat()
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}

test.each([
  [20, true],
  [900, false],
])("the repairs of a log with %s mistakes are compared: %s", async (count, isCompared) => {
  const text = dropped(count);
  expect(text.length).toBeLessThan(1e6);
  const source = bytesSource("run.jsonl", Buffer.from(text));
  const { differences, comparesRepairs, report, reportAfter } = await redact([{ path: "run.jsonl", source }]);
  expect({ differences, comparesRepairs }).toEqual({ differences: [], comparesRepairs: isCompared });
  expect(reportAfter.findings).toHaveLength(report.findings.length);
});
