import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { PageData } from "../../src/page/data.ts";
import { documentChunks } from "../../src/page/document.ts";
import { TextTable } from "../../src/page/texts.ts";
import { unpack } from "../../src/page/wire.ts";

const data: Omit<PageData, "texts"> = {
  kind: "check",
  version: "0.0.0",
  title: "</title><script>alert(1)</script>\u2028.jsonl",
  files: [],
  conversations: [],
  items: [],
  findings: [],
  diagnoses: [],
  repairs: [],
};

function blocksOf(texts: readonly string[], room = 1_000_000) {
  const table = new TextTable();
  for (const text of texts) table.add(text);
  return table.close(room);
}

function written(texts: readonly string[] = []): string {
  return [...documentChunks({ data, texts: blocksOf(texts), body: ["<h1>2 errors</h1>\n"] })].join("");
}

function elements(html: string, pattern: RegExp): string[] {
  return [...html.matchAll(pattern)].map((match) => match[1] ?? "");
}

describe("the document", () => {
  test("allows its own script and style by their hashes, and nothing else", () => {
    const html = written();
    const [policy = ""] = elements(html, /Content-Security-Policy" content="([^"]+)"/g);
    const hash = (text = "") => createHash("sha256").update(text).digest("base64");
    const [style] = elements(html, /<style>([\s\S]*?)<\/style>/g);
    const [script] = elements(html, /<script>([\s\S]*?)<\/script>/g);
    expect(script).not.toBe("");
    expect(style).not.toBe("");
    expect(policy).toBe(
      `default-src 'none'; script-src 'sha256-${hash(script)}'; style-src 'sha256-${hash(style)}'; img-src data:; base-uri 'none'; form-action 'none'`,
    );
  });

  test("has its static part before any script", () => {
    const html = written();
    expect(html.indexOf("2 errors")).toBeGreaterThan(0);
    expect(html.indexOf("2 errors")).toBeLessThan(html.indexOf("<script"));
  });

  test("keeps what stands in the log out of its markup", () => {
    const html = written();
    expect(html.match(/<script/g)).toHaveLength(2);
    expect(html).not.toContain('\u2028.jsonl"');
    const [index = ""] = elements(html, /id="index">([^<]*)<\/script>/g);
    expect(unpack(JSON.parse(index)).title).toBe(data.title);
  });
});

test("a text comes back from its block", () => {
  const texts = ["first", "", "</script>\u2028 $& 🙂", "x".repeat(300_000), "last"];
  const { texts: index, blocks } = blocksOf(texts);
  expect(index.sizes).toEqual([5, 0, 16, 300_000, 4]);
  expect(index.blocks).toEqual([0, 0, 0, 1, 2]);
  const plain = blocks.map((block = "") => gunzipSync(Buffer.from(block, "base64")).toString());
  expect(plain[0]).toBe("first</script>\u2028 $& 🙂");
  expect(plain.slice(1)).toEqual(texts.slice(3));
});

test("a block is the same on every system and at any time", () => {
  const [block = ""] = blocksOf(["weather"]).blocks;
  const header = [...Buffer.from(block, "base64").subarray(0, 10)];
  expect(header).toEqual([31, 139, 8, 0, 0, 0, 0, 0, 0, 255]);
});
