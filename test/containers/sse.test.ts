import { describe, expect, it, test } from "vitest";
import { sse } from "../../src/containers/files/sse.ts";
import { looksLikeEvents } from "../../src/containers/payloads/frames.ts";
import { ask, chunks, open, spot, stream, told } from "./stories.ts";

const wantsTool = '? → call weather {"city":"Zürich"} (tool_calls)';
const says = '? → assistant "It is 18 °C." (stop)';

describe("a raw stream", () => {
  test.each([
    ["as it came", stream("chatcmpl-1"), [wantsTool]],
    ["with Windows line ends", stream("chatcmpl-1").replaceAll("\n", "\r\n"), [wantsTool]],
    ["with the oldest line ends", stream("chatcmpl-1").replaceAll("\n", "\r"), [wantsTool]],
    ["with a byte order mark", `\ufeff${stream("chatcmpl-1")}`, [wantsTool]],
    [
      "with comments before and between",
      `: OPENROUTER PROCESSING\n\n${stream("chatcmpl-1").replaceAll("\n\n", "\n\n: ping\n\n")}`,
      [wantsTool],
    ],
    [
      "with its JSON laid out by hand",
      stream("chatcmpl-1").replace(
        /^data: (\{.*)$/gm,
        (_, data: string) => `data: ${JSON.stringify(JSON.parse(data), null, 2)}`,
      ),
      [wantsTool],
    ],
    ["without spaces behind the colons", stream("chatcmpl-1").replaceAll("data: ", "data:"), [wantsTool]],
    ["without blank lines", stream("chatcmpl-1").replaceAll("\n\n", "\n"), [wantsTool]],
    ["without its end mark", stream("chatcmpl-1").replace("data: [DONE]\n\n", ""), [wantsTool]],
    [
      "cut in the middle of an event",
      stream("chatcmpl-2", "It is 18 °C.").slice(0, 230),
      ['? → assistant "It is " (open)'],
    ],
    ["twice in a file", stream("chatcmpl-1") + stream("chatcmpl-2", "It is 18 °C."), [wantsTool, says]],
    [
      "twice, without end marks",
      (stream("chatcmpl-1") + stream("chatcmpl-2", "It is 18 °C.")).replaceAll("data: [DONE]\n\n", ""),
      [wantsTool, says],
    ],
    [
      "twice, the first one cut",
      `${stream("chatcmpl-1").slice(0, 300)}\n\n${stream("chatcmpl-2", "It is 18 °C.")}`,
      ["? → call weather  (open)", says],
    ],
    [
      "behind events of somebody else",
      `event: hello\ndata: {"session":"s1"}\n\n${stream("chatcmpl-2", "It is 18 °C.")}`,
      [says],
    ],
  ])("%s", async (_, log, expected) => {
    expect(await told(log)).toEqual(expected);
    expect((await open(log)).container).toBe("sse");
  });

  it("with named events", async () => {
    const event = (type: string, more: object = {}): string =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
    const log =
      event("message_start", {
        message: {
          id: "msg_1",
          type: "message",
          role: "assistant",
          model: "claude-sonnet-4-5",
          content: [],
          stop_reason: null,
          usage: {},
        },
      }) +
      event("content_block_start", {
        index: 0,
        content_block: { type: "tool_use", id: "toolu_1", name: "weather", input: {} },
      }) +
      event("ping") +
      event("content_block_delta", {
        index: 0,
        delta: { type: "input_json_delta", partial_json: '{"city":' },
      }) +
      event("content_block_delta", {
        index: 0,
        delta: { type: "input_json_delta", partial_json: '"Zürich"}' },
      }) +
      event("content_block_stop", { index: 0 }) +
      event("message_delta", { delta: { stop_reason: "tool_use" }, usage: {} }) +
      event("message_stop");
    expect(await told(log)).toEqual(['? → call weather {"city":"Zürich"} (tool_use)']);
    expect(await told(log + log.replaceAll("msg_1", "msg_2"))).toHaveLength(2);
  });

  it("is the same reply wherever it is cut, up to the cut", async () => {
    const whole = stream("chatcmpl-2", "It is 18 °C.");
    const bytes = Buffer.from(whole);
    for (let end = 0; end < bytes.length; end++) {
      const [found] = await told(bytes.subarray(0, end), sse);
      expect([
        undefined,
        "? → (open)",
        '? → assistant "It is " (open)',
        '? → assistant "It is 18 °C." (open)',
        says,
      ]).toContain(found);
    }
  });
});

test("a fragment's place is its event", async () => {
  const log = `: Grüezi\n\n${stream("chatcmpl-1").replaceAll("\n", "\r\n")}${stream("chatcmpl-2", "It is 18 °C.")}`;
  const { exchanges } = await open(log);
  const spots = exchanges.map(
    ({ reply }) => reply?.items[0]?.fragments && spot(reply.place.locateAt(reply.items[0].fragments.first)),
  );
  expect(spots).toEqual([
    `3:7 ${JSON.stringify(chunks("chatcmpl-1", undefined)[0])}`,
    `13:7 ${JSON.stringify(chunks("chatcmpl-2", "It is 18 °C.")[0])}`,
  ]);
  expect(exchanges.map(({ reply }) => reply && spot(reply.place.origin).slice(0, 20))).toEqual([
    '3:7 {"id":"chatcmpl-',
    '13:7 {"id":"chatcmpl',
  ]);
});

describe("streams are told by their first field", () => {
  test.each([
    ["data: {}\n\n", true],
    ["\ufeffevent: ping\ndata: {}\n\n", true],
    ["\n\n: comment\n\n  :x\nid: 1\ndata: {}\n", true],
    [": comment\rdata: {}\r\r", true],
    ["event: ping\n\n", false],
    ["note: see data: below\n", false],
    ["hello\ndata: {}\n", false],
    ["", false],
  ])("%j: %s", (text, expected) => {
    expect(looksLikeEvents(text)).toBe(expected);
  });

  test("in no more time than their length asks for", () => {
    expect(looksLikeEvents(`${"\n: x\n".repeat(2_000)}data:`)).toBe(false);
    expect(looksLikeEvents(`${" \t".repeat(2_000)}data:`)).toBe(true);
  });

  test("a file is one as far as its lines are fields", () => {
    const certainty = (text: string): number => sse.recognize(Buffer.from(text), true);
    expect(certainty(stream("chatcmpl-1"))).toBe(0.95);
    expect(certainty(`${stream("chatcmpl-1").repeat(4)}done\n`)).toBe(0.6);
    expect(certainty(`${stream("chatcmpl-1")}INFO one\nINFO two\n`)).toBe(0);
  });
});

describe("a stream with a code before each of its lines", () => {
  const stream = `f:{"messageId":"msg-1"}
9:{"toolCallId":"call_1","toolName":"weather","args":{"city":"Bern"}}
a:{"toolCallId":"call_1","result":"17 °C"}
e:{"finishReason":"tool-calls","isContinued":false}
0:"It is "
0:"17 °C."
d:{"finishReason":"stop"}
`;
  test("is one reply: what the model said, called and was given", async () => {
    expect((await open(stream)).container).toBe("sse");
    expect(await told(stream)).toEqual([
      '? → call weather {"city":"Bern"}, result 17 °C, assistant "It is 17 °C." (stop)',
    ]);
  });

  test("is found as the body of a reply, too", async () => {
    const log = JSON.stringify({ request: ask("How warm is it?"), response: stream });
    expect((await told(log))[0]).toContain('assistant "It is 17 °C." (stop)');
  });

  test("is not seen in a text that only looks like one at first", async () => {
    expect((await open('0:"a"\nname: "b"\n')).container).not.toBe("sse");
  });
});
