import { describe, expect, test } from "vitest";
import { json } from "../../src/containers/files/json.ts";
import { ask, asks, goesOn, open, run, spot, stream, told } from "./stories.ts";

const lines = (...records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");
const calls = stream("chatcmpl-1");
const says = stream("chatcmpl-2", "It is 18 °C.");

/** Cut where it happens to be: in the middle of events, too. */
const cut = (text: string, size: number): string[] => text.match(new RegExp(`.{1,${size}}`, "gs")) ?? [];
const events = (text: string): string[] => text.split(/(?<=\n\n)/);

describe("a stream of which each record holds a piece is one reply", () => {
  test("an event a record, as a proxy hands it on", async () => {
    const log = (pieces: (text: string) => object[]): string =>
      lines(
        { event: "request", body: asks },
        ...pieces(calls),
        { event: "request", body: goesOn },
        ...pieces(says),
      );
    const plain = log((text) => events(text).map((data) => ({ event: "chunk", data })));
    expect(await told(plain)).toEqual(run);
    const bare = log((text) =>
      text
        .trim()
        .split("\n\n")
        .map((line) => ({ event: "chunk", line })),
    );
    expect(await told(bare)).toEqual(run);
  });

  test.each([7, 100, 333, 5000])("cut after each %i characters", async (size) => {
    const pieces = (id: string, text: string): object[] =>
      cut(text, size).map((content, index) => ({
        type: "response_chunk",
        request_id: id,
        chunk_index: index,
        content,
      }));
    const log = lines(
      { type: "request", id: "r1", body: asks },
      ...pieces("r1", calls),
      { type: "response_meta", request_id: "r1", status_code: 200 },
      { type: "request", id: "r2", body: goesOn },
      ...pieces("r2", says),
      { type: "response_meta", request_id: "r2", status_code: 200 },
    );
    expect(
      await told(log.replaceAll('"id":', '"request_id":').replaceAll('\\"request_id\\"', '\\"id\\"')),
    ).toEqual(run);
  });

  test.each<[string, (text: string) => Buffer[]]>([
    ["an event each", (text) => events(text).map((event) => Buffer.from(event))],
    ...[90, 333].map((size): [string, (text: string) => Buffer[]] => [
      `${size} bytes each, also in the middle of a character`,
      (text) => {
        const bytes = Buffer.from(text);
        return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
      },
    ]),
  ])("in base64, %s", async (_, pieces) => {
    const chunks = (text: string): object[] =>
      pieces(text).map((piece) => ({ type: "chunk", data: piece.toString("base64") }));
    const log = lines(
      { type: "request", body: asks },
      ...chunks(calls),
      { type: "request", body: goesOn },
      ...chunks(says),
    );
    expect(await told(log)).toEqual(run);
  });

  test("cut between the name of its last event and what that says", async () => {
    const event = (type: string, more: object = {}): string =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
    const message = { id: "msg_1", type: "message", role: "assistant", model: "claude-opus-5", content: [] };
    const whole = [
      event("message_start", { message }),
      event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
      event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "18 °C." } }),
      event("content_block_stop", { index: 0 }),
      event("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } }),
      event("message_stop"),
    ].join("");
    for (const end of ["data: {", '{"type":"message_stop"}', "\ndata: "]) {
      const at = whole.lastIndexOf(end);
      const pieces = [...cut(whole.slice(0, at), 60), whole.slice(at)];
      const body = {
        model: "claude-opus-5",
        max_tokens: 100,
        messages: [{ role: "user", content: "Warm?" }],
      };
      const log = lines({ kind: "req", body }, ...pieces.map((chunk) => ({ kind: "chunk", chunk })));
      expect(await told(log)).toEqual(['user "Warm?" → assistant "18 °C." (end_turn)']);
    }
  });

  test("pieces of several streams that run at once are told apart by their ids", async () => {
    const first = cut(stream("chatcmpl-1", "9 °C."), 60);
    const second = cut(stream("chatcmpl-2", "15 °C."), 60);
    const both = first.flatMap((data, index) => [
      { seq: 2 * index, request_id: "r1", data },
      ...(second[index] === undefined ? [] : [{ seq: 2 * index + 1, request_id: "r2", data: second[index] }]),
    ]);
    const rest = second
      .slice(first.length)
      .map((data, index) => ({ seq: 90 + index, request_id: "r2", data }));
    const log = lines(
      { request_id: "r1", body: ask("Oslo?") },
      { request_id: "r2", body: ask("Bern?") },
      ...both,
      ...rest,
    );
    expect(await told(log)).toEqual([
      'user "Oslo?" → assistant "9 °C." (stop)',
      'user "Bern?" → assistant "15 °C." (stop)',
    ]);
  });

  test("also where the records are elements of one array", async () => {
    const records = [
      { event: "request", body: asks },
      ...cut(calls, 150).map((data, index) => ({ event: "chunk", n: index, data })),
      { event: "request", body: goesOn },
      ...cut(says, 150).map((data, index) => ({ event: "chunk", n: index, data })),
    ];
    expect(await told(JSON.stringify(records, null, 2), json)).toEqual(run);
  });

  test("a stream that ended early goes on in no other one", async () => {
    const early = events(says).slice(0, 2);
    const log = lines(
      { event: "request", body: asks },
      ...early.map((data) => ({ event: "chunk", data })),
      { event: "request", body: asks },
      ...events(calls).map((data) => ({ event: "chunk", data })),
    );
    const replies = (await open(log)).exchanges.map(({ reply }) => reply?.state);
    expect(replies).toEqual(["open", "complete"]);
    expect((await told(log))[1]).toBe(run[0]);
  });

  test("what is said of it stands in the record that holds it", async () => {
    const log = lines(
      { event: "request", body: asks },
      ...events(calls).map((data) => ({ event: "chunk", data })),
    );
    const reply = (await open(log)).exchanges[0]?.reply;
    const fragments = reply?.items[0]?.fragments;
    expect(fragments && spot(reply.place.locateAt(fragments.first))).toMatch(/^2:\d+ .*weather/);
    expect(fragments && spot(reply.place.locateAt(fragments.last))).toMatch(/^[45]:\d+ .*Zürich/);
  });

  test("whole streams in records of the same shape stay replies by themselves", async () => {
    const log = lines({ data: calls }, { data: says });
    expect(await told(log)).toEqual([
      '? → call weather {"city":"Zürich"} (tool_calls)',
      '? → assistant "It is 18 °C." (stop)',
    ]);
  });
});
