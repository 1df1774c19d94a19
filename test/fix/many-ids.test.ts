import { expect, test } from "vitest";
import { fixLogs } from "../../src/fix/fix.ts";
import { memorySource } from "../../src/reading/source.ts";
import { asks, calls, fixed, logOf, result, tells } from "./log.ts";

test("calls of one turn that share an id all get ids of their own", async () => {
  const numbers = [1, 2, 3, 4];
  const asked = {
    role: "assistant",
    content: null,
    tool_calls: numbers.map((number) => ({
      id: "call",
      type: "function",
      function: { name: "read", arguments: JSON.stringify({ path: `${number}.txt` }) },
    })),
  };
  const { messages } = await fixed(
    logOf([
      { sent: [asks, asked, ...numbers.map((number) => result("call", `File ${number}.`))], back: tells },
    ]),
  );
  const [, repaired] = messages(1) as { readonly tool_calls: { readonly id: string }[] }[];
  expect(repaired?.tool_calls.map(({ id }) => id)).toEqual(["call", "call_2", "call_3", "call_4"]);
});

test("each of many ids that the provider rejects is rewritten once, however many findings there are", async () => {
  const count = 80;
  const id = (number: number): string => `${"x".repeat(80)}${number}`;
  const rounds = Array.from({ length: count }, (_, number) => [
    calls(id(number), "read", { path: `${number}.txt` }),
    result(id(number), `File ${number}.`),
  ]).flat();
  const source = memorySource("run.jsonl", Buffer.from(logOf([{ sent: [asks, ...rounds], back: tells }])));
  const { runs } = await fixLogs([{ path: "run.jsonl", source }]);
  const [request] = runs.flatMap(({ requests }) => requests);
  // The first finding rewrites all of them, and each of the others is a reason for one call.
  expect(new Set(request?.whys.map(({ finding }) => finding)).size).toBe(count);
  const reasons = request?.entries.flatMap(({ whys }) => whys) ?? [];
  expect(reasons.length).toBeLessThanOrEqual(4 * count);
});
