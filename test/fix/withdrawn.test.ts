import { describe, expect, test } from "vitest";
import { type Client, clients, Run } from "../healthy/client.ts";
import { asks, calls, fixed, found, lines, logOf, looks, result, tells, unsafe } from "./log.ts";

/** A log in which the model's messages have another role wherever they come back. */
function withRole(client: Client, role: string): string {
  const run = new Run(client).says("What about order 17?");
  run.round("look_up", { order: 17 }, "order 17: 12.50", "I am looking it up.");
  run.answers("Order 17 costs 12.50.").says("Thank you.").answers("You are welcome.");
  return run
    .text(
      run.log.map((record) => {
        const { request, ...rest } = record as { readonly request: object };
        const text = JSON.stringify(request).replaceAll(/"role":"(?:assistant|model)"/g, `"role":"${role}"`);
        return { request: JSON.parse(text), ...rest };
      }),
    )
    .trimEnd();
}

describe.each(clients.map((client) => [client.protocol, client] as const))("%s", (_, client) => {
  test.each(["ai", "model", "bot", "agent", "system", ""])(
    "no text is written twice because its role is `%s`",
    async (role) => {
      const log = `${withRole(client, role)}\n`;
      const once = await fixed(log, unsafe);
      for (const line of once.text.trimEnd().split("\n")) {
        const { request } = JSON.parse(line) as { readonly request: object };
        expect(JSON.stringify(request).split("I am looking it up.").length).toBeLessThanOrEqual(2);
      }
      expect((await fixed(once.text, unsafe)).text).toBe(once.text);
    },
  );
});

test("a message that answers a call does not become the model's", async () => {
  const log = logOf([
    { sent: [asks], back: looks },
    { sent: [asks, looks, { ...found, role: "bot" }], back: tells },
  ]);
  expect((await fixed(log)).text).not.toContain('"role":"assistant","tool_call_id"');
});

test("a history is not emptied, whatever is wrong with its messages", async () => {
  const body = { contents: [{ role: "user" }, { role: "model" }], generationConfig: { temperature: 0 } };
  const [record] = JSON.parse(`[${logOf([{ sent: [asks], back: tells }])}]`) as [object];
  const log = lines([{ ...record, request: body }]);
  const { text, report } = await fixed(log, unsafe);
  expect(text).toBe(log);
  expect(report.edits.filter(({ applied }) => applied)).toEqual([]);
});

test("a repair that leads to a loop is left, and the report says so", async () => {
  const rounds = ["call_1", "call_2", "call_3", "call_4"].map((id) =>
    calls(id, "get_weather", { city: "Oslo" }),
  );
  const sent: object[] = [asks];
  const log = logOf([
    ...rounds.map((back, index) => {
      const own = [...sent];
      sent.push(...(index === 0 ? [] : [back]), result(`call_${index + 1}`, "-3 °C"));
      return { sent: own, back };
    }),
    { sent, back: tells },
  ]);
  const { text, report } = await fixed(log);
  expect((await fixed(text)).text).toBe(text);
  for (const { applied, why } of report.edits)
    if (!applied) expect(why).toMatch(/^it (?:was tried|would lead)/);
});

test("a request that cannot be written does not keep the others from being repaired", async () => {
  const broken = [
    { sent: [asks], back: looks },
    { sent: [asks, found], back: tells },
  ];
  const [first, second] = logOf(broken).trimEnd().split("\n") as [string, string];
  const cut = second.replace('"messages"', '"note":\u0001,"messages"');
  const log = `${first}\n${second}\n${cut}\n`;
  const { text } = await fixed(log);
  expect(text.split("\n")[1]).toContain('"tool_calls"');
  expect(text.split("\n")[2]).toBe(cut);
});

test("requests for a count of tokens change nothing in a healthy log", async () => {
  const [, , anthropic] = clients as [Client, Client, Client];
  const run = new Run(anthropic).says("What about order 17?");
  run.round("look_up", { order: 17 }, "order 17: 12.50").answers("Order 17 costs 12.50.");
  const counts = run.log.map((record) => {
    const { request, ...rest } = record as { readonly request: { readonly messages: object[] } };
    return {
      ...rest,
      url: `${anthropic.url}/count_tokens`,
      request: { model: "claude-sonnet-4-5", messages: request.messages },
      response: { input_tokens: 321 },
    };
  });
  const log = run.text(run.log.flatMap((record, index) => [counts[index] as object, record]));
  expect((await fixed(log, unsafe)).text).toBe(log);
});

test("a repair that would make a session of what was read as one request is withdrawn", async () => {
  const says = (role: string, ts: number, content: object) => ({ role, ts, content: [content] });
  const whole = JSON.stringify([
    says("user", 1770000000000, { type: "text", text: "How warm is it in Bern?" }),
    says("assistant", 1770000001000, { type: ["tool_use"], name: "weather", input: {} }),
    says("user", 1770000002000, { type: "tool_result", tool_use_id: "toolu_1", content: "17 °C" }),
    says("assistant", 1770000003000, { type: "text", text: "It is 17 °C." }),
  ]);
  const damaged = whole.replace('"content":"17', '"\u0000content":"17');
  const { text, report } = await fixed(damaged, { name: "run.json", ...unsafe });
  expect(text).toBe(damaged);
  expect(report.edits.map(({ rule, why }) => [rule, why])).toEqual([
    ["orphaned-tool-result", "the repaired log would read as 2 exchanges instead of 1"],
  ]);
});
