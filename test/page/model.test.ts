import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { checkFiles } from "../../src/check/check.ts";
import { placedItems } from "../../src/conversation/conversation.ts";
import { compact, expand } from "../../src/page/compact.ts";
import { conversationsOf } from "../../src/page/conversations.ts";
import type { PageData } from "../../src/page/data.ts";
import { FileTable } from "../../src/page/files.ts";
import { historyAt } from "../../src/page/history.ts";
import { ItemTable } from "../../src/page/items.ts";
import { TextTable } from "../../src/page/texts.ts";
import { fillLater, laterTexts, pack, unpack, withoutLater } from "../../src/page/wire.ts";
import { fileSource } from "../../src/reading/source.ts";

const samples = path.join(import.meta.dirname, "../../samples");
const logs = readdirSync(samples, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.(?:log|jsonl|json|har|yaml|txt)$/.test(file) && !file.includes("expected"))
  .sort();

async function built(file: string) {
  const source = fileSource(path.join(samples, file), file);
  const { runs } = await checkFiles([{ path: file, source }]);
  const tables = { files: new FileTable(), texts: new TextTable() };
  const items = new ItemTable(tables.texts, () => 0);
  const { conversations, places } = conversationsOf(runs, {}, { ...tables, items });
  const { texts, blocks } = tables.texts.close(1 << 20);
  const data: PageData = {
    kind: "show",
    version: "0.0.0",
    title: file,
    files: tables.files.files,
    conversations,
    items: items.items,
    findings: [],
    diagnoses: [],
    repairs: [],
    texts,
  };
  // As plain data: what is undefined is absent.
  return { data: JSON.parse(JSON.stringify(data)) as PageData, blocks, places, items };
}

test("there are samples", () => expect(logs.length).toBeGreaterThan(10));

test.each(logs)("%s: every request has its history, and the packed index its data", async (file) => {
  const { data, places, items } = await built(file);
  for (const [step, at] of places) {
    const conversation = data.conversations[at.conversation];
    if (!step.request || !conversation) continue;
    const own = [...placedItems(step)].map((placed) => items.numberOf(placed));
    expect(historyAt(conversation, at.step).map(({ item }) => item)).toEqual(own);
  }
  expect(unpack(JSON.parse(JSON.stringify(pack(data))))).toEqual(data);
});

test("an item and its text are in the page once, whatever requests repeat them", async () => {
  const { data, blocks } = await built("rag-read-loop/passing.log");
  const [conversation] = data.conversations;
  const sent = conversation?.steps.map((_, step) => historyAt(conversation, step).length) ?? [];
  expect(Math.max(...sent)).toBeGreaterThan(6);
  const keys = data.items.map(({ kind, callId, preview }) => `${kind} ${callId} ${preview}`);
  expect(new Set(keys).size).toBe(keys.length);
  const written = blocks.map((block = "") => gunzipSync(Buffer.from(block, "base64")).toString()).join("");
  const { sizes } = data.texts;
  expect(written).toHaveLength(sizes.reduce((sum, size) => sum + size, 0));
  const parts = written.match(/\{"metadata"/g) ?? [];
  expect(parts.length).toBe(data.items.filter(({ kind }) => kind === "result").length);
});

test("a call and its result know each other", async () => {
  const { data } = await built("rag-read-loop/passing.log");
  const calls = [...data.items.entries()].filter(([, { kind }]) => kind === "call");
  expect(calls.length).toBeGreaterThan(2);
  for (const [number, call] of calls) {
    expect(data.items[call.partner ?? -1]?.kind).toBe("result");
    expect(data.items[call.partner ?? -1]?.partner).toBe(number);
  }
});

test("plain data comes back from its compact form", () => {
  const values = [
    [],
    [1, 2, 3, -5, 1e15],
    [1.5, 2],
    [[1, 2], [], [3]],
    [{ a: 1, b: null }, { a: 2 }, { b: "x", c: [{ d: [] }] }],
    { a: [{ b: { c: null } }, { b: null }, {}] },
    [1, "two", { three: 3 }, null, [4]],
    "text",
    null,
  ];
  for (const value of values) expect(expand(JSON.parse(JSON.stringify(compact(value))))).toEqual(value);
});

test("previews and ids that come later are those that were taken out", async () => {
  const { data } = await built("rag-read-loop/failing.log");
  const page = { ...data, items: withoutLater(data.items) };
  expect(page.items.every(({ preview, callId }) => preview === "" && callId === undefined)).toBe(true);
  fillLater(page, laterTexts(data.items));
  expect(page.items).toEqual(data.items);
});

test("the largest texts are left out where a page has too little room, raw events before all others", () => {
  const table = new TextTable();
  // Of digits in no order, which compress to half at best.
  const noise = (length: number, seed: number): string => {
    let text = "";
    for (let at = 0; text.length < length; at++)
      text += createHash("sha256").update(`${seed} ${at}`).digest("hex");
    return text.slice(0, length);
  };
  const small = table.add(noise(2_000, 1));
  const large = table.add(noise(90_000, 2));
  const events = table.add(noise(30_000, 3), "events");
  const index = table.add(noise(5_000, 4), "index");
  const before = table.written + table.pending;
  const { texts, blocks } = table.close(9_000);
  expect(before).toBeGreaterThan(30_000);
  expect(texts.blocks[large]).toBe(-1);
  expect(texts.blocks[events]).toBe(-1);
  expect(texts.leftOut).toEqual({ count: 2, bytes: 120_000 });
  const kept = (number: number) =>
    gunzipSync(Buffer.from(blocks[texts.blocks[number] ?? -1] ?? "", "base64")).toString();
  expect(kept(small)).toBe(noise(2_000, 1));
  expect(kept(index)).toBe(noise(5_000, 4));
});
