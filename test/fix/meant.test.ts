import { describe, expect, test } from "vitest";
import { asks, calls, fixed, found, logOf, looks, result, tells } from "./log.ts";

const { tool_calls: made } = looks;
const tools = [
  { type: "function", function: { name: "get_weather", parameters: { type: "object", properties: {} } } },
];

describe("members under another name", () => {
  const whole = logOf([
    { sent: [asks], back: looks },
    { sent: [asks, looks, found], back: tells },
  ]);
  const sent = (message: object, answer: object = found) =>
    logOf([
      { sent: [asks], back: looks },
      { sent: [asks, message, answer], back: tells },
    ]);

  test.each([
    ["tool_call", sent({ role: "assistant", content: null, tool_call: made })],
    ["toolCalls", sent({ role: "assistant", content: null, toolCalls: made })],
    ["toolCallId", sent(looks, { role: "tool", toolCallId: "call_1", content: found.content })],
  ])("`%s` gets the name that the API knows, in its place", async (_, broken) => {
    const { text, report } = await fixed(broken, { protocol: "openai-chat" });
    expect(text).toBe(whole);
    expect(report.edits).toMatchObject([{ rule: "invalid-request", safety: "safe", applied: true }]);
  });

  test("stay where the right name stands too", async () => {
    const both = sent({ ...looks, toolCalls: made });
    expect((await fixed(both)).text).toBe(both);
  });

  test("are corrected in what the assistant said, sent as if it were input", async () => {
    const body = (type: string) =>
      `${JSON.stringify({
        request: {
          model: "gpt-5",
          store: false,
          input: [
            { role: "assistant", content: [{ type, text: "18 degrees." }] },
            { role: "user", content: "And in Cusco?" },
          ],
        },
      })}\n`;
    expect((await fixed(body("input_text"))).text).toBe(body("output_text"));
  });

  test("half of a character is marked, where that is allowed", async () => {
    const log = (content: string) =>
      `${JSON.stringify({ request: { model: "gpt-5", messages: [asks, looks, result("call_1", content)] } })}\n`;
    expect((await fixed(log("deployed \ud83d"))).text).toBe(log("deployed \ud83d"));
    const { messages } = await fixed(log("deployed \ud83d"), { classes: ["safe", "lossy"] });
    expect(messages(1).at(-1)).toEqual(result("call_1", "deployed ?"));
  });
});

describe("calls that stand in a history as text", () => {
  const written = {
    role: "assistant",
    content: 'I\'ll look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>',
  };
  const text = (content: string) => ({ role: "user", content });
  const thanks = { role: "user", content: "And in Bergen?" };
  const of = (...sent: readonly object[]) => logOf([{ sent, back: tells }], { tools });

  test.each([["Tool result: -3 °C"], ["<tool_response>\n-3 °C\n</tool_response>"], ["Observation: -3 °C"]])(
    "become calls with the result that %j tells",
    async (told) => {
      const { messages } = await fixed(of(asks, written, text(told), tells, thanks));
      const [, call] = messages(1) as { tool_calls: { id: string }[] }[];
      const id = call?.tool_calls[0]?.id ?? "";
      expect(messages(1)).toEqual([
        asks,
        calls(id, "get_weather", { city: "Oslo" }, "I'll look."),
        result(id, "-3 °C"),
        tells,
        thanks,
      ]);
    },
  );

  test("take the id of the result that stands behind them alone", async () => {
    const { messages } = await fixed(of(asks, written, found, tells, thanks));
    expect(messages(1).slice(1, 3)).toEqual([
      calls("call_1", "get_weather", { city: "Oslo" }, "I'll look."),
      found,
    ]);
  });

  test("take the id that the reply gave them", async () => {
    const alone = {
      role: "assistant",
      content: '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>',
    };
    const { messages } = await fixed(
      logOf(
        [
          { sent: [asks], back: looks },
          { sent: [asks, alone, text("Tool result: -3 °C")], back: tells },
        ],
        { tools },
      ),
    );
    expect(messages(2)).toEqual([asks, looks, found]);
  });

  test("get a made-up result only where that is allowed", async () => {
    const broken = of(asks, written, thanks);
    expect((await fixed(broken)).text).toBe(broken);
    const { messages } = await fixed(broken, { classes: ["safe", "inventing"] });
    expect(messages(1)).toHaveLength(4);
    expect(messages(1)[2]).toMatchObject({
      role: "tool",
      content: "[No result was recorded for this call. Added by toollint fix.]",
    });
  });

  test("stay as they are where words of the user follow that are more than a result", async () => {
    const broken = of(asks, written, text("Thanks! Tool result: -3 °C"), tells, thanks);
    expect((await fixed(broken, { classes: ["safe"] })).text).toBe(broken);
  });

  test("stay as they are where their arguments were cut", async () => {
    const cut = {
      role: "assistant",
      content: '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Os',
    };
    const broken = of(asks, cut, text("Tool result: -3 °C"), tells, thanks);
    expect((await fixed(broken, { classes: ["safe", "lossy", "inventing"] })).text).toBe(broken);
  });
});

describe("a result that one request left out", () => {
  const well = { role: "user", content: "Well?" };

  test("is taken from the request that has it", async () => {
    const { messages } = await fixed(
      logOf([
        { sent: [asks], back: looks },
        { sent: [asks, looks, well], back: tells },
        { sent: [asks, looks, found, well, tells, asks], back: tells },
      ]),
    );
    expect(messages(2)).toEqual([asks, looks, found, well]);
  });

  test("gets its own id where it stands under one that no call has", async () => {
    const two = {
      role: "assistant",
      content: null,
      tool_calls: ["Oslo", "Bergen"].map((city, index) => ({
        id: `call_${index}`,
        type: "function",
        function: { name: "get_weather", arguments: JSON.stringify({ city }) },
      })),
    };
    const right = [result("call_0", "-3 °C"), result("call_1", "6 °C")];
    const { messages } = await fixed(
      logOf([
        { sent: [asks], back: two },
        { sent: [asks, two, result("8f21", "6 °C"), result("77aa", "-3 °C")], back: tells },
        { sent: [asks, two, ...right, tells, well], back: tells },
      ]),
    );
    expect(messages(2)).toEqual([asks, two, right[1], right[0]]);
  });

  test("is not guessed where requests answer the call differently", async () => {
    const broken = logOf([
      { sent: [asks], back: looks },
      { sent: [asks, looks, well], back: tells },
      { sent: [asks, looks, found, well, tells, asks], back: tells },
      { sent: [asks, looks, result("call_1", "aborted"), well, tells, asks, tells, well], back: tells },
    ]);
    expect((await fixed(broken)).messages(2)).toEqual([asks, looks, well]);
  });
});

test("an edit stays in the report when a later one removes what it changed", async () => {
  const answer = { role: "tool", tool_call_id: "call_1", content: '{"celsius":-3}' };
  const encoded = result("call_1", JSON.stringify(answer.content));
  const more = { role: "user", content: "And in Cusco?" };
  const log = logOf([
    { sent: [asks, looks, looks, answer, answer], back: tells },
    { sent: [asks, looks, looks, answer, encoded, tells, more], back: tells },
  ]);
  const { messages, report } = await fixed(log);
  expect(messages(2)).toEqual([asks, looks, answer, tells, more]);
  const own = report.edits.filter(({ location }) => location.exchange === 2);
  expect(own.map(({ rule, applied }) => [rule, applied])).toEqual([
    ["duplicate-call-id", true],
    ["rewritten-history", true],
    ["duplicate-tool-result", true],
  ]);
});
