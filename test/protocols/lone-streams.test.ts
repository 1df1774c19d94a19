import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";

/** A few events of a stream, as people paste them: the log broke the stream off, not the server. */

const sse = (events: readonly object[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

async function findingsOf(log: string): Promise<readonly string[]> {
  const { findings } = await check(log);
  return findings.map(({ rule, severity, message }) => `${severity} ${rule}: ${message}`);
}

const chunk = (delta: object, more: object = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1788687333,
  model: "gpt-5",
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
});
const fragment = (text: string, more: object = {}) =>
  chunk({ tool_calls: [{ index: 0, ...more, function: { arguments: text } }] });
const started = chunk({
  role: "assistant",
  tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "weather", arguments: "" } }],
});

const middles: Readonly<Record<string, readonly object[]>> = {
  "openai-chat, in a call": [fragment('{"city":'), fragment('"Os')],
  "openai-chat, with blank members": [fragment('{"city":', { id: "", type: "" }), fragment('"Os')],
  "openai-chat, in a text": [chunk({ content: "It " }), chunk({ content: "rains" })],
  "openai-chat, one chunk": [fragment('{"city":')],
  anthropic: [
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"ci' } },
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: 'ty"' } },
  ],
  "openai-responses": [
    { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 0, delta: '{"ci' },
    { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 0, delta: 'ty"' },
  ],
  "bedrock-converse": [
    { contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: '{"ci' } } } },
    { contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: 'ty"' } } } },
  ],
};
const isMiddle =
  "info truncated-stream: the log has only a part of the stream, without its beginning and its end";

describe("events out of the middle of a stream", () => {
  const kept: readonly (readonly [string, (events: readonly object[]) => string])[] = [
    ["as events", sse],
    ["as lines", (events) => events.map((event) => `${JSON.stringify(event)}\n`).join("")],
    [
      "in a log of a program",
      (events) =>
        events.map((event) => `14:35:44 DEBUG client -- onEvent() ${JSON.stringify(event)}\n`).join(""),
    ],
  ];
  const cases = Object.entries(middles).flatMap(([name, events]) =>
    kept.map(([form, write]) => [name, form, write(events)] as const),
  );
  test.each(cases)("%s, %s", async (_name, _form, log) => {
    expect(await findingsOf(log)).toEqual([isMiddle]);
  });

  test("one chunk over several lines", async () => {
    expect(await findingsOf(JSON.stringify(fragment('{"city":'), null, 4))).toEqual([isMiddle]);
  });

  test("with the end of the stream, the arguments are no broken ones", async () => {
    const log = `${sse([fragment('slo"}'), chunk({}, { finish_reason: "tool_calls" })])}data: [DONE]\n\n`;
    expect(await findingsOf(log)).toEqual([
      "info truncated-stream: the log has only a part of the stream, without its beginning",
    ]);
  });

  test("a call whose first fragment is there, without a name, is the server's fault", async () => {
    const nameless = chunk({ tool_calls: [{ index: 0, id: "call_1", function: { arguments: "" } }] });
    const log = sse([nameless, fragment("{}"), chunk({}, { finish_reason: "tool_calls" })]);
    expect(await findingsOf(log)).toContainEqual(
      "warning malformed-stream: the server's fragments of a call do not fit together: no fragment names the tool",
    );
  });
});

describe("a log that ends in the middle of an event", () => {
  const whole = sse([started, fragment('{"city":')]);
  const cut = `${whole}data: ${JSON.stringify(fragment('"Oslo')).slice(0, -40)}`;

  test.each([
    ["of raw events", cut],
    ["of indented events", cut.replaceAll(/^(?=.)/gm, "   ")],
    ["and a line end", `${cut}\n`],
  ])("%s", async (_, log) => {
    expect(await findingsOf(log)).toContainEqual(
      "info truncated-stream: the log ends in the middle of an event of the stream",
    );
  });

  test("at the end of an event, it may be the stream that ended", async () => {
    expect(await findingsOf(whole)).toEqual([
      "warning truncated-stream: the stream ends without its terminal event, inside the call to `weather`",
    ]);
  });

  test("after its request, the reply broke off", async () => {
    const request = { model: "gpt-5", stream: true, messages: [{ role: "user", content: "Rain?" }] };
    const [found] = await findingsOf(JSON.stringify({ request, response: cut }));
    expect(found).toBe(
      "error truncated-stream: the stream ends without its terminal event, inside the call to `weather`",
    );
  });
});

describe("a server without roles that gives each chunk an id of its own", () => {
  const own = (index: number, delta: object, more: object = {}) => ({
    ...chunk(delta, more),
    id: `chatcmpl-${index}`,
  });
  const call = (id: string, name: string, text: string) => ({
    tool_calls: [{ index: 0, id, type: "function", function: { name, arguments: text } }],
  });
  const chunks = [
    own(0, { content: "" }),
    own(1, call("call_a", "weather", "")),
    own(2, call("call_b", "", '{"city":"Os')),
    own(3, call("call_c", "", 'lo"}')),
    own(4, {}, { finish_reason: "tool_calls" }),
  ];

  test.each([
    ["as events", `${sse(chunks)}data: [DONE]\n\n`],
    ["as lines", chunks.map((each) => `${JSON.stringify(each)}\n`).join("")],
  ])("sends one reply, with one call: %s", async (_, log) => {
    const report = await check(log);
    expect(report.files[0]?.exchanges).toBe(1);
    const found = report.findings.map(({ severity, message }) => `${severity}: ${message}`);
    expect(found).toContainEqual(
      "info: the server sends a call without a usable id: the id changes from `call_a` to `call_b`",
    );
    expect(found.filter((each) => !each.startsWith("info"))).toEqual([]);
  });

  test("two replies of servers that give one id to all chunks stay two", async () => {
    const text = (id: string, content: string) => ({ ...chunk({ content }), id });
    const end = (id: string) => ({ ...chunk({}, { finish_reason: "stop" }), id });
    const log = sse([text("a", "It "), text("a", "rains"), text("b", "Not "), text("b", "here"), end("b")]);
    expect((await check(log)).files[0]?.exchanges).toBe(2);
  });
});
