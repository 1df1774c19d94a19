import { expect, test } from "vitest";
import { decodeEventStream, eventStreamText } from "../../src/containers/payloads/aws-event-stream.ts";

type Headers = Readonly<Record<string, string | Buffer>>;

/** A message as AWS frames it; the checksums are left at zero, as recorders leave them that edit what they keep. */
function message(headers: Headers, payload: string): Buffer {
  const head = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const size = Buffer.alloc(2);
      size.writeUInt16BE(value.length);
      const written = typeof value === "string" ? [Buffer.from([7]), size, Buffer.from(value)] : [value];
      return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), ...written]);
    }),
  );
  const prelude = Buffer.alloc(12);
  const body = Buffer.from(payload);
  prelude.writeUInt32BE(12 + head.length + body.length + 4, 0);
  prelude.writeUInt32BE(head.length, 4);
  return Buffer.concat([prelude, head, body, Buffer.alloc(4)]);
}

function event(name: string, payload: string): Buffer {
  return message(
    { ":event-type": name, ":content-type": "application/json", ":message-type": "event" },
    payload,
  );
}

const answer = [
  ["messageStart", '{"p":"abcd","role":"assistant"}'],
  ["contentBlockDelta", '{"contentBlockIndex":0,"delta":{"text":"−3 °C in Oslo"}}'],
  ["messageStop", '{"stopReason":"end_turn"}'],
] as const;
const stream = Buffer.concat(answer.map(([name, payload]) => event(name, payload)));
const messages = answer.map(([name, data]) => ({ event: name, data }));

test("the messages of a stream are its events, by name and payload", () => {
  expect(decodeEventStream(stream)).toEqual(messages);
});

test("InvokeModel's wrapping is taken off, and the model's own event has no other name", () => {
  const delta =
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"−3 °C in Oslo"}}';
  const payload = JSON.stringify({ bytes: Buffer.from(delta).toString("base64"), p: "abcdefgh" });
  expect(decodeEventStream(event("chunk", payload))).toEqual([{ event: undefined, data: delta }]);
});

test("an exception goes by its own name, and an error says what stands in its headers", () => {
  const exception = { ":exception-type": "throttlingException", ":message-type": "exception" };
  const error = { ":message-type": "error", ":error-code": "InternalError", ":error-message": "Try again." };
  const bytes = Buffer.concat([message(exception, '{"message":"Too many tokens"}'), message(error, "")]);
  expect(decodeEventStream(bytes)).toEqual([
    { event: "throttlingException", data: '{"message":"Too many tokens"}' },
    { event: "InternalError", data: '{"message":"Try again."}' },
  ]);
});

test("headers of other types than text are passed over", () => {
  const headers = {
    ":date": Buffer.concat([Buffer.from([8]), Buffer.alloc(8)]),
    flag: Buffer.from([0]),
    ":event-type": "messageStop",
    ":message-type": "event",
  };
  expect(decodeEventStream(message(headers, "{}"))).toEqual([{ event: "messageStop", data: "{}" }]);
});

test("a stream that is cut anywhere keeps the messages before the cut", () => {
  const ends = answer.map(
    (_, count) =>
      Buffer.concat(answer.slice(0, count + 1).map(([name, payload]) => event(name, payload))).length,
  );
  for (let size = 0; size <= stream.length; size++) {
    const whole = ends.filter((end) => end <= size).length;
    const read = decodeEventStream(stream.subarray(0, size));
    expect(read ?? []).toEqual(messages.slice(0, whole));
  }
});

test("a broken message ends the reading", () => {
  const broken = Buffer.concat([stream, Buffer.from([0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0]), stream]);
  expect(decodeEventStream(broken)).toEqual(messages);
});

test.each([
  ["nothing", Buffer.alloc(0)],
  ["zeros", Buffer.alloc(64)],
  ["JSON", Buffer.from('{"output":{"message":{"role":"assistant","content":[]}}}')],
  ["gzip", Buffer.from("1f8b0800000000000003abcdef0123456789abcdef0123456789", "hex")],
  ["a length without headers", Buffer.from("0000001000000000000000000000000000000000", "hex")],
  ["the start of a PNG", Buffer.from("89504e470d0a1a0a0000000d49484452000001000000010008060000", "hex")],
])("%s is no event stream", (_, bytes) => {
  expect(decodeEventStream(bytes)).toBeUndefined();
  expect(eventStreamText(bytes)).toBeUndefined();
});

test("as text, the stream is server-sent events", () => {
  const bytes = Buffer.concat([event("messageStop", '{"stopReason":\n"end_turn"}'), event("metadata", "{}")]);
  expect(eventStreamText(bytes)?.toString("utf8")).toBe(
    'event: messageStop\ndata: {"stopReason":\ndata: "end_turn"}\n\nevent: metadata\ndata: {}\n\n',
  );
});
