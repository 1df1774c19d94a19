import { describe, expect, test } from "vitest";
import { yieldOf } from "../damage/told.ts";
import { written } from "./edits.ts";
import { answers, asks, goesOn, run, told, wantsTool } from "./stories.ts";
import { exchanges, logs, viewers } from "./viewers.ts";

describe.each(Object.entries(viewers))("a log as shown by %s is read as the log", (_, shown) => {
  test.each(Object.entries(logs))("%s", async (_, log) => {
    const plain = await told(log);
    expect(plain.join()).toContain("Zürich");
    expect(await told(shown(log))).toEqual(plain);
  });
});

describe.each(Object.entries(viewers))(
  "a byte that is not UTF-8 displaces nothing behind it: %s",
  (_, shown) => {
    test.each(Object.entries(logs))("%s", async (_, log) => {
      const damaged = (text: string): Buffer => {
        const bytes = Buffer.from(text);
        const at = bytes.indexOf("ü");
        return Buffer.concat([bytes.subarray(0, at), Buffer.from([0xfc]), bytes.subarray(at + 2)]);
      };
      const { counts } = await yieldOf("run.log", damaged(log));
      expect((await yieldOf("run.log", damaged(shown(log)))).counts).toEqual(counts);
    });
  },
);

describe("of records that were copied otherwise than those beside them, it is said that they are not read", () => {
  const kinds = { "a word processor": "typographic ones", "the source of a page": "entities of HTML" };
  const session = `{"type":"session","id":"p1"}\n{"type":"message","message":{"role":"user"}}`;
  const laidOut = `got\n${JSON.stringify(asks, undefined, 1)}`;
  for (const [viewer, reason] of Object.entries(kinds)) {
    const shown = (log: string): string => viewers[viewer]?.(log) ?? "";
    test.each([
      ["a session before a text log", `${shown(session)}\n${logs["a text log"]}`],
      ["a body behind it", `${logs["a text log"]}\n${shown(laidOut)}`],
    ])(`${viewer}: %s`, async (_, log) => {
      expect((await yieldOf("run.log", Buffer.from(log))).statements.join()).toContain(reason);
    });
  }
  const printed = logs.lines.split("\n", 1).join().replaceAll("'", "\\'").replaceAll('"', "'");
  test.each([
    ["entities", printed.replaceAll("'", "&#39;"), "entities of HTML"],
    ["named entities", printed.replaceAll("'", "&apos;"), "entities of HTML"],
    ["typographic quotes", printed.replace(/'([^']*)'/g, "‘$1’"), "typographic ones"],
  ])("what Python prints in %s", async (_, copy, reason) => {
    const log = Buffer.from(`${logs["a text log"]}\n${copy}\n`);
    expect((await yieldOf("run.log", log)).statements.join()).toContain(reason);
  });
  test("nothing is said of two names in prose", async () => {
    const log = `${logs["a text log"]}\n“model”: the name\n“messages”: the list\n`;
    expect((await yieldOf("run.log", Buffer.from(log))).statements).toEqual([]);
  });
});

test("it is said that the log is a copy", async () => {
  const { statements } = await yieldOf(
    "run.log",
    Buffer.from(viewers["cat -n"]?.(logs["one document"]) ?? ""),
  );
  expect(statements).toEqual(["1: copied from a viewer: line numbers"]);
});

describe("ids that count the rows of a table are no line numbers", () => {
  const bodies = [asks, wantsTool, goesOn, answers].map((body) => JSON.stringify(body));
  const bare = bodies.map((body, at) => `${at + 1}\t${body}`);
  const rows = bare.map((row) => `${row}\tok`);
  const copied = (row: string): string => row.replaceAll("\\", "\\\\");
  test.each([
    ["a dump", ["COPY calls (id, body, note) FROM stdin;", ...rows.map(copied), "\\."]],
    ["a dump of one column more", ["COPY calls (id, body) FROM stdin;", ...bare.map(copied), "\\."]],
    ["what a client of a database prints", ["id\tbody\tnote", ...rows]],
    ["the same without names", rows],
    ["the same with bars", rows.map((row) => row.replaceAll("\t", "|"))],
  ])("%s", async (_, lines) => {
    const { statements, counts } = await yieldOf("run.log", Buffer.from(`${lines.join("\n")}\n`));
    expect(statements).toEqual([]);
    expect(counts).toEqual((await yieldOf("run.log", Buffer.from(bodies.join("\n")))).counts);
  });
});

test("edits reach the copy, written as it is", async () => {
  const edit = { op: "replace" as const, pointer: "/messages/0/content", json: '"How <cold>?"' };
  const changed = run[1]?.replace("How warm is it in Zürich?", "How <cold>?");
  for (const name of ["cat -n", "a browser", "the source of a page"]) {
    const fixed = await written(viewers[name]?.(logs.lines.replace("\n", "\n\n")) ?? "", { 2: [edit] });
    expect((await told(fixed))[1]).toBe(changed);
    expect(fixed).toContain(
      name === "the source of a page" ? "&quot;How &lt;cold&gt;?&quot;" : '"How <cold>?"',
    );
  }
});

describe("lines that a repair adds or removes leave the numbers in order", () => {
  const message = '{ "role": "user",\n  "content": "And\\nnow?" }';
  const edits = {
    added: { op: "insert" as const, pointer: "/messages/1", json: message },
    removed: { op: "remove" as const, pointer: "/messages/0" },
    "replaced by less": { op: "replace" as const, pointer: "/messages/0", json: message },
    "replaced by more": {
      op: "replace" as const,
      pointer: "/messages/0/content",
      json: '[\n  { "type": "text",\n    "text": "And\\nnow?" }\n]',
    },
  };
  const numbering = Object.keys(viewers).slice(0, 7);
  test.each(Object.entries(edits))("%s", async (_, edit) => {
    for (const log of [logs["one document"], logs["a text log"]]) {
      const plain = await told(await written(log, { 2: [edit] }));
      expect(plain).not.toEqual(await told(log));
      for (const name of numbering) {
        const shown = viewers[name]?.(log) ?? "";
        const fixed = await written(shown, { 2: [edit] });
        expect(fixed.split("\n")).toHaveLength(shown.split("\n").length);
        expect(await told(fixed)).toEqual(plain);
      }
    }
  });
});

describe("texts that only look like copies stay as they are", () => {
  const said = async (content: string, layout?: number): Promise<string> => {
    const request = { ...asks, messages: [{ role: "user", content }] };
    const log = JSON.stringify({ request, response: answers }, undefined, layout);
    const [only] = await told(log);
    expect((await yieldOf("run.log", Buffer.from(log))).statements).toEqual([]);
    return only ?? "";
  };
  test.each([
    ["numbered lines in a message", "1\t{\n2\t}\n3\t[]\n4\tx"],
    ["the source of a page in a message", "{&quot;role&quot;: &quot;user&quot;}"],
    ["typographic quotes in a message", "{“role”: “user”}"],
    ["blanks of French in a message", "Prix\u00a0: «\u00a05\u00a0»,\u00a0{\u00a0\u00a0"],
    ["JSON with hard blanks in a message", '{"role":\u00a0"user"}\n\u00a0\u00a0"x"'],
  ])("%s", async (_, content) => {
    for (const layout of [undefined, 2])
      expect(await said(content, layout)).toContain(JSON.stringify(content));
  });

  test("lines of a log that begin with numbers of their own", async () => {
    const log = exchanges.map((each, at) => `${7 * at + 1}: ${JSON.stringify(each)}`).join("\n");
    expect((await yieldOf("run.log", Buffer.from(log))).statements).toEqual([]);
  });
});

test("a blank within quotes that do not match is no copy", async () => {
  const log = `sent "{"model":\u00a0"gpt-5","messages":[{"role":"user","content":"Hi"}]}"\n`;
  expect((await yieldOf("run.log", Buffer.from(log))).isUnread).toBe(false);
});
