import { expect, test } from "vitest";
import { sseFrames } from "../../src/containers/payloads/frames.ts";
import { peekValue } from "../../src/containers/payloads/peek.ts";
import { appEvents } from "../../src/protocols/app-events/index.ts";
import type { PayloadPlace } from "../../src/traffic/place.ts";

const place = {} as PayloadPlace;

/** A stream whose frames hold name and data in one object. */
const framed = (...events: [name: string, data: object][]): string =>
  events.map(([event, data]) => `data: ${JSON.stringify({ event, data })}\n\n`).join("");

/** A stream that uses the `event:` field for the name. */
const named = (...events: [name: string, data: object][]): string =>
  events.map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join("");

const decode = (text: string) =>
  appEvents.decodeStream({ frames: sseFrames(text), place, status: 200, framing: "sse", isCut: false });

const recognize = (value: object, event?: string) => appEvents.recognize(peekValue(value, event));

const cell = { tool_id: "toolu_1", tool_name: "update_cell" };

test.each([
  ["in one object", framed],
  ["in the event field", named],
])("a turn with the names %s gives text, call and result", (_, write) => {
  const reply = decode(
    write(
      ["text_start", {}],
      ["text_delta", { text: "I'll change " }],
      ["text_delta", { text: "the cell." }],
      ["content_block_stop", {}],
      ["tool_start", cell],
      ["content_block_stop", {}],
      ["tool_execute", { ...cell, tool_input: { index: 3 } }],
      ["tool_result", { ...cell, result: { saved: true } }],
      ["done", {}],
    ),
  );
  expect(reply.items).toMatchObject([
    { kind: "message", role: "assistant", text: "I'll change the cell.", fragments: { count: 2 } },
    {
      kind: "call",
      id: "toolu_1",
      name: "update_cell",
      argumentsText: '{"index":3}',
      fragments: { count: 2 },
    },
    { kind: "result", callId: "toolu_1", name: "update_cell", text: '{"saved":true}' },
  ]);
  expect(reply.state).toBe("complete");
  expect(reply.finish).toBeUndefined();
});

test("a call that is only announced keeps empty arguments", () => {
  const reply = decode(framed(["tool_start", cell], ["content_block_stop", {}], ["done", {}]));
  expect(reply.items).toMatchObject([
    { kind: "call", id: "toolu_1", argumentsText: "", arguments: {}, state: "complete", pointer: "/0/data" },
  ]);
});

test("arguments may come in fragments, and without an id they belong to the newest call", () => {
  const reply = decode(
    framed(
      ["tool_start", cell],
      ["tool_input_delta", { partial_json: '{"ind' }],
      ["tool_input_delta", { partial_json: 'ex":3}' }],
      ["done", {}],
    ),
  );
  expect(reply.items).toMatchObject([{ kind: "call", arguments: { index: 3 }, fragments: { count: 3 } }]);
});

test("several calls are kept apart by their ids", () => {
  const other = { tool_id: "toolu_2", tool_name: "delete_cell" };
  const reply = decode(
    framed(
      ["tool_start", cell],
      ["tool_start", other],
      ["tool_execute", { tool_id: "toolu_1", tool_input: { index: 3 } }],
      ["tool_execute", { tool_id: "toolu_2", tool_input: { index: 4 } }],
      ["tool_result", { tool_id: "toolu_2", error: "no such cell" }],
    ),
  );
  expect(reply.items).toMatchObject([
    { kind: "call", name: "update_cell", arguments: { index: 3 } },
    { kind: "call", name: "delete_cell", arguments: { index: 4 } },
    { kind: "result", callId: "toolu_2", name: "delete_cell", text: "no such cell", isError: true },
  ]);
});

test("a stream without its end is open, and so is a call that nothing followed", () => {
  const reply = decode(framed(["text_delta", { text: "One moment" }], ["tool_start", cell]));
  expect(reply.state).toBe("open");
  expect(reply.items).toMatchObject([{ text: "One moment" }, { kind: "call", state: "open" }]);
});

test("the end of one step is not the end of the stream", () => {
  const reply = decode(framed(["step_end", {}], ["text_end", { text: "all of it again" }]));
  expect(reply).toMatchObject({ state: "open", items: [] });
});

test("a reason to stop is read where an application passes it on", () => {
  const reply = decode(framed(["message_delta", { stop_reason: "tool_use" }], ["done", {}]));
  expect(reply.finish).toMatchObject({
    reason: "tool_use",
    meaning: "calls",
    pointer: "/0/data/stop_reason",
  });
});

test("an error event is the reply's error", () => {
  expect(decode(framed(["error", { message: "kernel died" }])).error).toMatchObject({
    message: "kernel died",
    isMidStream: true,
  });
});

test("such streams are told by names that only they have", () => {
  expect(recognize({ event: "tool_start", data: cell })).toEqual({ part: "event", certainty: 0.75 });
  expect(recognize({ event: "text_delta", data: { text: "hi" } })?.part).toBe("event");
  expect(recognize({ event: "content_block_stop", data: {} })?.part).toBe("event");
  expect(recognize(cell, "tool_start")?.part).toBe("event");
  expect(recognize(cell)).toBeUndefined();
});

test("records of a log and events of providers are left to others", () => {
  expect(recognize({ event: "message", data: { user: "ada" } })).toBeUndefined();
  expect(recognize({ event: "tool_result", data: { rows: 3 } })).toBeUndefined();
  expect(recognize({ event: "tool_start", data: cell, request: {} })).toBeUndefined();
  expect(recognize({ event: "text_delta", data: { choices: [], text: "" } })).toBeUndefined();
  expect(
    recognize({ event: "content_block_delta", data: { type: "content_block_delta", delta: "x" } }),
  ).toBeUndefined();
  expect(recognize({ event: "user.login", data: {} })).toBeUndefined();
  expect(recognize({ type: "content_block_stop", index: 0 }, "content_block_stop")).toBeUndefined();
});

test("a done event ends the stream", () => {
  const [step, done] = sseFrames(framed(["step_done", {}], ["done", {}]));
  expect(step && appEvents.isTerminal(step)).toBe(false);
  expect(done && appEvents.isTerminal(done)).toBe(true);
});
