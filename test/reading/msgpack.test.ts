import { describe, expect, test } from "vitest";
import { msgpackValue } from "../../src/reading/msgpack.ts";

const long = (length: number): string => "ü".repeat(length / 2);
const text = (value: string, ...head: number[]): Buffer =>
  Buffer.concat([Buffer.from(head), Buffer.from(value)]);

describe("a value of MessagePack is the value of JSON", () => {
  test.each<[string, Buffer, unknown]>([
    ["nothing", Buffer.from([0xc0]), null],
    ["no", Buffer.from([0xc2]), false],
    ["yes", Buffer.from([0xc3]), true],
    ["a small number", Buffer.from([0x7f]), 127],
    ["a small number below zero", Buffer.from([0xe0]), -32],
    ["a byte", Buffer.from([0xcc, 255]), 255],
    ["two bytes", Buffer.from([0xcd, 1, 0]), 256],
    ["four bytes", Buffer.from([0xce, 0, 1, 0, 0]), 65_536],
    ["eight bytes", Buffer.from([0xcf, 0, 0, 0, 1, 0, 0, 0, 0]), 2 ** 32],
    ["a signed byte", Buffer.from([0xd0, 0x80]), -128],
    ["two signed bytes", Buffer.from([0xd1, 0xff, 0]), -256],
    ["four signed bytes", Buffer.from([0xd2, 0xff, 0xff, 0, 0]), -65_536],
    ["eight signed bytes", Buffer.from([0xd3, 255, 255, 255, 255, 255, 255, 255, 254]), -2],
    ["a short fraction", Buffer.from([0xca, 0x3f, 0xc0, 0, 0]), 1.5],
    ["a fraction", Buffer.from([0xcb, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0]), 1.5],
    ["a short text", text("Zürich", 0xa7), "Zürich"],
    ["a text", text(long(40), 0xd9, 40), long(40)],
    ["a long text", text(long(300), 0xda, 1, 44), long(300)],
    ["a longer text", text(long(300), 0xdb, 0, 0, 1, 44), long(300)],
    ["bytes", Buffer.from([0xc4, 2, 0xff, 0]), null],
    ["a list", Buffer.from([0x92, 1, 0xc0]), [1, null]],
    ["a long list", Buffer.from([0xdc, 0, 2, 1, 2]), [1, 2]],
    ["a longer list", Buffer.from([0xdd, 0, 0, 0, 1, 3]), [3]],
    ["an object", Buffer.from([0x81, 0xa1, 97, 1]), { a: 1 }],
    ["a long object", Buffer.from([0xde, 0, 1, 0xa1, 97, 2]), { a: 2 }],
    ["a longer object", Buffer.from([0xdf, 0, 0, 0, 1, 0xa1, 97, 3]), { a: 3 }],
    [
      "the members of an object of Python",
      Buffer.from([0xc7, 10, 5, 0x94, 0xa1, 109, 0xa1, 67, 0x81, 0xa1, 97, 1, 0xa0]),
      { a: 1 },
    ],
    ["an extension of another kind", Buffer.from([0xd4, 1, 7]), null],
  ])("%s", (_, bytes, value) => {
    expect(msgpackValue(bytes)).toEqual(value);
  });

  test("a member may be called __proto__", () => {
    const whole = msgpackValue(Buffer.concat([text("__proto__", 0x81, 0xa9), Buffer.from([1])]));
    expect(Object.keys(whole as object)).toEqual(["__proto__"]);
  });
});

describe("bytes that are no such value are none", () => {
  test.each<[string, Buffer]>([
    ["none", Buffer.alloc(0)],
    ["more than one value", Buffer.from([1, 2])],
    ["a text that ends early", Buffer.from([0xa5, 97])],
    ["a list with more elements than bytes", Buffer.from([0xdd, 255, 255, 255, 255, 1])],
    ["an object with more members than bytes", Buffer.from([0xdf, 255, 255, 255, 255, 1])],
    ["a byte that begins nothing", Buffer.from([0xc1])],
    ["nested too deeply", Buffer.alloc(5000, 0x91)],
    ["extensions nested too deeply", Buffer.alloc(5000, 0xd4)],
  ])("%s", (_, bytes) => {
    expect(msgpackValue(bytes)).toBeUndefined();
  });
});
