import { script, style } from "page:app";
import { afterAll, describe, expect, test } from "vitest";
import type { PageData, PageItem, PageStep } from "../../../src/page/data.ts";
import { documentChunks } from "../../../src/page/document.ts";
import { TextTable } from "../../../src/page/texts.ts";
import { browserPath, skipped, Visitor } from "./browser.ts";

/** A page about one run with so many steps, each of which calls a tool with a result. */
function longRun(steps: number): string {
  const place = { file: 0, line: 1, column: 1 };
  const items: PageItem[] = [
    { kind: "message", role: "user", preview: "Read every file.", bytes: 16, place },
  ];
  const texts = new TextTable();
  const list = Array.from({ length: steps }, (_, index): PageStep => {
    const [call, result] = [items.length, items.length + 1];
    const at = { line: index + 1, column: 70 };
    items.push(
      {
        kind: "call",
        role: "assistant",
        tool: "read_file",
        callId: `call_${index}`,
        preview: `{"path":"src/part-${index}.ts"}`,
        bytes: 30,
        place: { file: 0, ...at },
        partner: result,
      },
      {
        kind: "result",
        role: "tool",
        tool: "read_file",
        callId: `call_${index}`,
        preview: `export const part = ${index};`,
        text: texts.add(`export const part = ${index};\n${"// a line of the file\n".repeat(16)}`),
        bytes: 400,
        place: { file: 0, ...at },
        partner: call,
      },
    );
    const history =
      index === 0
        ? [{ item: 0, ...at }]
        : [
            { from: index - 1, start: 0, count: 2 * index - 1 },
            { item: call - 2, ...at },
            { item: call - 1, ...at },
          ];
    return {
      number: index + 1,
      exchange: index + 1,
      file: 0,
      turn: 1,
      relation: index === 0 ? "start" : "continuation",
      durationMs: 200 + ((index * 7919) % 3000),
      request: {
        ...at,
        length: 2 * index + 1,
        history,
        added: index === 0 ? [{ item: 0, ...at }] : [{ item: call - 1, ...at }],
        gone: [],
        loss: null,
        changed: [],
        moved: [],
        unanswered: [],
      },
      reply: { ...at, form: "json", items: [{ item: call, ...at }], wantsTools: true },
    };
  });
  const data: Omit<PageData, "texts"> = {
    kind: "show",
    version: "0.0.0",
    title: "long.jsonl",
    files: [{ path: "long.jsonl", container: "jsonl", protocols: ["openai-chat"], exchanges: steps }],
    conversations: [
      {
        name: "c1",
        id: "c1",
        file: 0,
        protocol: "openai-chat",
        kind: "requests",
        opening: "Read every file.",
        calledBy: null,
        totals: { turns: 1, calls: steps, tokens: null, durationMs: null },
        steps: list,
        loops: [],
      },
    ],
    items,
    findings: [],
    diagnoses: [],
    repairs: [],
  };
  return [
    ...documentChunks({
      data,
      texts: texts.close(18 << 20),
      body: ["<section id='verdict'><h1>Long</h1></section>"],
    }),
  ].join("");
}

test("the app is small", () => {
  // In UTF-16 code units of the minified source, which is ASCII.
  expect(script.length + style.length).toBeLessThan(150_000);
});

describe.skipIf(browserPath === undefined)(`a long run in a browser${skipped}`, () => {
  const visitor = new Visitor();

  afterAll(() => visitor.close());

  test("10,000 steps are as few elements as 100, wherever one looks", async () => {
    const { page, complaints } = await visitor.open(longRun(10_000), { hash: "step=9000" });
    const elements = (): Promise<number> => page.evaluate("document.querySelectorAll('#app *').length");
    expect(await elements()).toBeLessThan(900);
    expect(await page.locator("#step-view h2").first().textContent()).toBe("Step 9000");
    const box = await page.locator('[data-step="9000"]').boundingBox();
    expect(box && box.y > 0 && box.y < 800).toBe(true);
    await page.getByRole("button", { name: /^Sent \(history\)/ }).click();
    await page.getByRole("button", { name: /earlier items: show 200/ }).click();
    expect(await page.locator(".kept .item").count()).toBe(220);
    await page.keyboard.press("t");
    expect(await elements()).toBeLessThan(900);
    const field = page.getByRole("searchbox");
    await field.fill("part = 7777;");
    await field.press("Enter");
    await expect.poll(() => page.locator("#search-result").textContent()).toBe("1 of 1");
    expect(await page.locator("#step-view h2").first().textContent()).toBe("Step 7779");
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
