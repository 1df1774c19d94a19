import { describe, expect, it } from "vitest";
import { jsonPlace } from "../../src/containers/payloads/slice.ts";
import { type BodyEdit, writeBack } from "../../src/containers/write/write-back.ts";
import type { Span } from "../../src/reading/place.ts";
import type { PayloadPlace } from "../../src/traffic/place.ts";
import { open } from "./stories.ts";

/** A session of an agent: each record names the one before it. */
const said = [
  { type: "user", message: { role: "user", content: "How warm is it?" } },
  {
    type: "assistant",
    message: {
      id: "msg_1",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: [{ type: "tool_use", id: "toolu_1", name: "weather", input: {} }],
    },
  },
  {
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "18 °C" }] },
  },
  {
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_9", content: "lost" }] },
  },
  { type: "user", message: { role: "user", content: "Well?" } },
  {
    type: "assistant",
    message: {
      id: "msg_2",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: [{ type: "text", text: "18 °C." }],
    },
  },
] as const;

function session(
  records: readonly (readonly [object, place: number, before: number])[],
  newline = "\n",
): string {
  return records
    .map(([record, place, before]) =>
      JSON.stringify({
        parentUuid: before < 0 ? null : `u${before}`,
        isSidechain: false,
        sessionId: "s1",
        version: "2.0.0",
        uuid: `u${place}`,
        timestamp: `2025-09-14T10:00:0${place}Z`,
        ...record,
      }),
    )
    .map((line) => line + newline)
    .join("");
}

const log = session(said.map((record, place) => [record, place, place - 1]));

/** The session with edits of its last request, which holds all that was said before. */
async function edited(text: string, ...edits: readonly BodyEdit[]): Promise<string> {
  const { source, exchanges } = await open(text);
  const { request, session } = exchanges.at(-1) ?? {};
  const place = request?.place as PayloadPlace;
  const { bytes, refused } = writeBack(source, [{ place, edits, session }]);
  const out = bytes.toString("utf8");
  if (refused.length > 0) expect(out).toBe(text);
  return refused[0]?.why ?? out;
}

describe("the records of a session", () => {
  it("have a value changed, and nothing else", async () => {
    expect(await edited(log, { op: "replace", pointer: "/2/content/0/tool_use_id", json: '"toolu_2"' })).toBe(
      log.replace('"tool_use_id":"toolu_1"', '"tool_use_id":"toolu_2"'),
    );
    expect(await edited(log, { op: "insert", pointer: "/2/content/0/is_error", json: "true" })).toBe(
      log.replace('"content":"18 °C"}', '"content":"18 °C","is_error":true}'),
    );
  });

  it("go with their lines, and who followed them follows the record before", async () => {
    expect(await edited(log, { op: "remove", pointer: "/3" })).toBe(
      session(
        said.flatMap((record, place) =>
          place === 3 ? [] : [[record, place, place === 4 ? 2 : place - 1] as const],
        ),
      ),
    );
    expect(
      await edited(
        log,
        { op: "remove", pointer: "/3" },
        { op: "remove", pointer: "/4" },
        { op: "remove", pointer: "/2" },
      ),
    ).toBe(
      session([
        [said[0], 0, -1],
        [said[1], 1, 0],
        [said[5], 5, 1],
      ]),
    );
    expect(await edited(log.replaceAll("\n", "\r\n"), { op: "remove", pointer: "/0" })).toBe(
      session(
        said.flatMap((record, place) =>
          place === 0 ? [] : [[record, place, place === 1 ? -1 : place - 1] as const],
        ),
        "\r\n",
      ),
    );
  });

  it("go from the list of their document", async () => {
    const document = (contents: readonly object[]): string =>
      JSON.stringify(
        contents.map((content) => ({ ts: 1, ...content })),
        null,
        2,
      );
    const contents = [
      { role: "user", content: [{ type: "text", text: "How warm is it?" }] },
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "weather", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "18 °C" }] },
      { role: "user", content: [{ type: "text", text: "Well?" }] },
      { role: "assistant", content: [{ type: "text", text: "18 °C." }] },
    ];
    expect(
      await edited(document(contents), { op: "remove", pointer: "/2" }, { op: "remove", pointer: "/3" }),
    ).toBe(document([...contents.slice(0, 2), ...contents.slice(4)]));
  });

  it("are made in the form of their neighbours, and who followed the record before follows the new one", async () => {
    const json = JSON.stringify({ role: "user", content: "And in Rome?" });
    const out = (await edited(log, { op: "insert", pointer: "/3", json })).split("\n");
    const made = JSON.parse(out[3] ?? "") as { uuid: string };
    expect(made).toEqual({
      ...(JSON.parse(out[2] ?? "") as object),
      parentUuid: "u2",
      uuid: expect.stringMatching(/^u2-/),
      message: JSON.parse(json),
    });
    expect([...out.slice(0, 3), ...out.slice(4)].join("\n")).toBe(
      log.replace('"parentUuid":"u2"', `"parentUuid":"${made.uuid}"`),
    );
  });

  it("keep their links where two of them share a line", async () => {
    const lines = log.split("\n");
    const text = [...lines.slice(0, 3), `${lines[3]}${lines[4]}`, ...lines.slice(5)].join("\n");
    const json = JSON.stringify({ role: "user", content: "And in Rome?" });
    const out = (await edited(text, { op: "insert", pointer: "/3", json })).split("\n");
    const made = JSON.parse(out[3] ?? "") as { uuid: string };
    expect(out.toSpliced(3, 1).join("\n")).toBe(
      text.replace('"parentUuid":"u2"', `"parentUuid":"${made.uuid}"`),
    );
  });

  it("stand behind the round of the call that they answer, whatever comes after it", async () => {
    const answer = { type: "tool_result", tool_use_id: "toolu_1", content: "19 °C" };
    const json = JSON.stringify({ role: "user", content: [answer] });
    const out = (await edited(log, { op: "insert", pointer: "/5", json, answers: "toolu_1" })).split("\n");
    const made = JSON.parse(out[4] ?? "") as { uuid: string };
    expect(made).toMatchObject({ parentUuid: "u3", message: { content: [answer] } });
    expect([...out.slice(0, 4), ...out.slice(5)].join("\n")).toBe(
      log.replace('"parentUuid":"u3"', `"parentUuid":"${made.uuid}"`),
    );
  });

  it("are put in by whoever knows their form, before or behind another", async () => {
    const { source, exchanges } = await open(log);
    const record = exchanges.at(-1)?.session?.recordAt("/4");
    const place = jsonPlace(record?.span as Span);
    const { bytes } = writeBack(source, [
      {
        place,
        edits: [
          { op: "insert", pointer: "", json: '{ "type": "a" }' },
          { op: "insert", pointer: "", json: '{"type":"b"}', after: "" },
        ],
      },
    ]);
    const lines = log.split("\n");
    expect(bytes.toString()).toBe(
      [...lines.slice(0, 4), '{"type":"a"}', lines[4], '{"type":"b"}', ...lines.slice(5)].join("\n"),
    );
  });
});
