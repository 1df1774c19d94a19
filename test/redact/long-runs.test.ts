import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { bytesSource } from "../../src/reading/source.ts";
import { redact } from "../../src/redact/redact.ts";
import { zipped } from "../shrink/logs.ts";

const key = Buffer.from("a key of the tests");
const redacted = async (name: string, bytes: Buffer): Promise<Buffer | undefined> =>
  (await redact([{ path: name, source: bytesSource(name, bytes) }], { key })).files[0]?.content;

/** More than an expression can match at once, and an image of a few megabytes. */
const size = 9 << 20;

test.each([
  ["figures", "0"],
  ["letters", "é"],
  ["words with dashes", "lindqvist-afar_"],
  ["hosts", "lindqvist."],
])("a run of %s without an end is redacted", async (_, unit) => {
  const text = unit.repeat(size / unit.length);
  const log = `${JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content: text }] })}\n`;
  const content = (await redacted("run.jsonl", Buffer.from(log)))?.toString();
  expect(content?.length).toBe(log.length);
  expect(content?.includes("lindqvist")).toBe(false);
});

test("an image of several megabytes in a text is noise of its length", async () => {
  const image = Buffer.from(Array.from({ length: size }, (_, at) => (at * 7919 + (at >> 8)) & 255));
  const url = `data:image/png;base64,${image.toString("base64")}`;
  const log = `${JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }] })}\n`;
  const content = (await redacted("run.jsonl", Buffer.from(log)))?.toString();
  expect(content?.length).toBe(log.length);
  expect(content?.slice(0, 200)).not.toBe(log.slice(0, 200));
});

test("an archive whose files share their bytes is not unpacked", async () => {
  const bytes = zipped("run.jsonl", Buffer.from("{}\n".repeat(1000)));
  const end = bytes.lastIndexOf("PK\u0005\u0006");
  const from = bytes.readUInt32LE(end + 16);
  const entry = bytes.subarray(from, end);
  const list = Buffer.concat(Array.from({ length: 1000 }, () => entry));
  const close = Buffer.from(bytes.subarray(end));
  close.writeUInt32LE(list.length, 12);
  close.writeUInt16LE(1000, 8);
  close.writeUInt16LE(1000, 10);
  const bomb = Buffer.concat([bytes.subarray(0, from), list, close]);
  bomb.writeUInt32LE(0xffff, from + 20);
  await expect(redacted("run.zip", bomb)).rejects.toThrow("unpack it");
});

const request = (content: string): string =>
  `${JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content }] })}\n`;
const body = gzipSync(request("Lindqvist asks. ".repeat(300_000))).toString("base64");
const values = gzipSync(`[${Array.from({ length: 90_000 }, (_, at) => `{"a":${at}}`).join(",")}]`);

test.each([
  ["run.jsonl.gz", gzipSync(request("Lindqvist asks. ".repeat(700_000)))],
  ["run.jsonl", Buffer.from(`{"request":"${body}"}\n`.repeat(3))],
  ["values.jsonl", Buffer.from(`{"request":"${values.toString("base64")}"}\n${request("go")}`)],
])("%s holds too much in less than 1 MiB, and is refused", async (name, bytes) => {
  expect(bytes.length).toBeLessThan(1 << 20);
  await expect(redacted(name, bytes)).rejects.toThrow(`what is packed in ${name} holds more than 8 MiB`);
});

test("no file is made of a log in which nothing was understood, where that is asked for", async () => {
  const source = bytesSource("run.jsonl", Buffer.from('{"a":"Lindqvist"}\n'.repeat(3)));
  const settings = { key, onlyUnderstood: true };
  expect((await redact([{ path: "run.jsonl", source }], settings)).files).toEqual([]);
});
