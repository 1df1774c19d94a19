import { describe, expect, test } from "vitest";
import { keepings } from "./kept-logs.ts";
import { chat, messages } from "./runs.ts";
import { yieldOf } from "./told.ts";

const kept = (name: string, run = messages): Buffer => Buffer.from(keepings[name]?.keep(run) ?? "", "latin1");

describe("a damaged file of Burp", () => {
  const whole = kept("burp").toString("latin1");
  const at = whole.indexOf("CDATA[", whole.indexOf('<response base64="true">')) + 40;

  test.each([
    [
      "zeros in the base64",
      `${whole.slice(0, at)}\0\0\0\0${whole.slice(at + 4)}`,
      "the base64 of the response is damaged",
    ],
    [
      "a part of the base64 that is missing",
      whole.slice(0, at) + whole.slice(at + 3),
      "a part of the base64 of the response is missing",
    ],
    [
      "a first tag that is gone",
      whole.replace("<request ", "<reqest "),
      "the request has no start tag: it was not read",
    ],
    [
      "an item that does not begin",
      whole.replace("<item>", "<itm>"),
      "an item ends here, but its start tag is missing: it was not read",
    ],
  ])("tells %s", async (_, log, message) => {
    const { statements } = await yieldOf("run.xml", Buffer.from(log, "latin1"));
    expect(statements.join("\n")).toContain(message);
  });

  test("says nothing of a whole one", async () => {
    expect((await yieldOf("run.xml", kept("burp"))).statements).toEqual([]);
  });
});

describe("a file of an archive", () => {
  /** Gives the first file in the list of an archive a checksum. */
  function stating(checksum: number): Buffer {
    const archive = kept("zip", chat);
    archive.writeUInt32LE(checksum, archive.indexOf("PK\x01\x02") + 16);
    return archive;
  }

  test("whose checksum is another one is named", async () => {
    const { statements } = await yieldOf("run.saz", stating(0x12345678));
    expect(statements.join("\n")).toContain("raw/1_c.txt is damaged: its checksum does not match");
  });

  test("that states no checksum is read in silence", async () => {
    expect((await yieldOf("run.saz", stating(0))).statements).toEqual([]);
  });
});
