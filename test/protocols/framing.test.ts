import { describe, expect, test } from "vitest";
import { decodedWithFraming } from "../../src/protocols/framing.ts";
import { protocols } from "../../src/protocols/index.ts";
import type { Frame, Frames } from "../../src/traffic/payload.ts";
import type { PayloadPlace } from "../../src/traffic/place.ts";

const place = { origin: { start: 0, end: 100 } } as unknown as PayloadPlace;
const frame = (data: string, start: number, flaw?: Frame["flaw"]): Frame => ({
  value: flaw === "cut" ? undefined : JSON.parse(data),
  data,
  extent: { start, end: start + data.length },
  ...(flaw && { flaw }),
});
const whole = '{"type":"x"}';
const ended = (text: string): string => text.slice(0, -2);
const withGap = (text: string): string => text.replace(":", " ");

// Its transcripts have no streams.
const streaming = protocols.filter(({ name }) => name !== "plain").map((each) => [each.name, each] as const);

describe.each(streaming)("the frames of a stream: %s", (_, protocol) => {
  const flawsOf = (frames: Frames, isCut = false) =>
    decodedWithFraming({ frames, place, status: 200, framing: "sse", isCut }, (body) =>
      protocol.decodeStream(body),
    )
      .flaws.filter(({ kind }) => kind === "cut-frame" || kind === "unseparated-frames")
      .map(({ detail, extent }) => `${extent?.start}: ${detail}`);

  test("an event in the middle that is not whole is a flaw, however the stream ends", () => {
    expect(flawsOf([frame(whole, 0), frame(ended(whole), 20, "cut"), frame(whole, 40)])).toEqual([
      "20: an event ends in the middle",
    ]);
    expect(flawsOf([frame(whole, 0), frame(withGap(whole), 20, "cut"), frame(whole, 40)], true)).toEqual([
      "20: an event is not valid JSON: a colon is expected here",
    ]);
  });

  test("half an event at the end of a recording that is cut is none", () => {
    expect(flawsOf([frame(whole, 0), frame(ended(whole), 20, "cut")], true)).toEqual([]);
  });

  test("an event without a blank line before it is named once", () => {
    const frames = [frame(whole, 0), frame(whole, 20, "glued"), frame(whole, 40, "glued")];
    expect(flawsOf(frames)).toEqual(["20: no blank line between events"]);
  });

  test("what begins with a brace between words is no event", () => {
    const words = { value: undefined, data: "and", extent: { start: 30, end: 33 } };
    expect(flawsOf([frame(whole, 0), frame("{", 20, "cut"), words, frame(whole, 40)])).toEqual([]);
  });

  test("an event that somebody wrote without its data is none", () => {
    for (const data of [
      "{json object}",
      "{ chunk }",
      "{...}",
      "{…}",
      '{"choices": [...]}',
      '{"type":"x", ...}',
      '{"type": … }',
    ])
      expect(flawsOf([frame(data, 0, "cut"), frame(whole, 80)])).toEqual([]);
    expect(flawsOf([frame('{"type":x}', 0, "cut"), frame(whole, 80)])).toHaveLength(1);
  });

  test("an event with words before its JSON, or without its brace, is a flaw among events of JSON", () => {
    const led = (data: string, event?: string): Frame => ({
      value: undefined,
      data,
      extent: { start: 20, end: 20 + data.length },
      ...(event !== undefined && { event }),
    });
    for (const data of [`x${whole}`, `INFO ${whole}`, whole.slice(1)])
      expect(flawsOf([frame(whole, 0), led(data), frame(whole, 60)])).toEqual([
        expect.stringMatching(/^20: an event is not valid JSON: /),
      ]);
    const words = { value: undefined, data: "and", extent: { start: 90, end: 93 } };
    expect(flawsOf([frame(whole, 0), led(`say ${whole}`), words])).toEqual([]);
    expect(flawsOf([frame(whole, 0), led(`INFO ${whole}`, "log"), frame(whole, 60)])).toEqual([]);
  });
});
