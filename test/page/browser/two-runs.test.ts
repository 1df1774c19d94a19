import { afterAll, describe, expect, test } from "vitest";
import type { PageConversation, PageData, PageItem, PageStep } from "../../../src/page/data.ts";
import { documentChunks } from "../../../src/page/document.ts";
import { TextTable } from "../../../src/page/texts.ts";
import { violations } from "./axe.ts";
import { browserPath, skipped, Visitor } from "./browser.ts";

const place = { file: 0, line: 1, column: 1 };

const items: readonly PageItem[] = [
  { kind: "message", role: "user", preview: "How warm is it in Paris?", bytes: 24, place },
  { kind: "call", role: "assistant", tool: "weather", preview: '{"city":"Paris"}', bytes: 16, place },
  { kind: "message", role: "assistant", preview: "18 degrees.", bytes: 11, place },
];

/** A run whose replies are these items. */
function run(file: number, replies: readonly number[]): PageConversation {
  const steps = replies.map((item, index): PageStep => {
    const first = { item: 0, line: 1, column: 1 };
    return {
      number: index + 1,
      exchange: index + 1,
      file,
      turn: 1,
      relation: index === 0 ? "start" : "continuation",
      request: {
        line: 1,
        column: 1,
        length: 1,
        history: [first],
        added: index === 0 ? [first] : [],
        gone: [],
        loss: null,
        changed: [],
        moved: [],
        unanswered: [],
      },
      reply: { line: index + 2, column: 1, form: "json", items: [{ item, line: index + 2, column: 1 }] },
    };
  });
  return {
    name: "c1",
    id: `c${file + 1}`,
    file,
    protocol: "openai-chat",
    kind: "requests",
    opening: "How warm is it in Paris?",
    calledBy: null,
    totals: { turns: 1, calls: 1, tokens: null, durationMs: null },
    steps,
    loops: [],
  };
}

function page(own: Pick<PageData, "kind" | "conversations" | "diff" | "replay">): string {
  const data: Omit<PageData, "texts"> = {
    version: "0.0.0",
    title: "failing.jsonl ↔ passing.jsonl",
    files: ["failing.jsonl", "passing.jsonl"].map((path) => ({
      path,
      container: "jsonl",
      protocols: ["openai-chat"],
      exchanges: 3,
    })),
    items,
    findings: [],
    diagnoses: [],
    repairs: [],
    ...own,
  };
  const body = ['<section id="verdict"><h1>The runs part at step 2.</h1></section>'];
  return [...documentChunks({ data, texts: new TextTable().close(1 << 20), body })].join("");
}

describe.skipIf(browserPath === undefined)(`two runs in a browser${skipped}`, () => {
  const visitor = new Visitor();

  afterAll(() => visitor.close());

  test("a diff aligns the runs, and begins where they part", async () => {
    const html = page({
      kind: "diff",
      conversations: [run(0, [1, 1, 1]), run(1, [1, 2])],
      diff: {
        rows: [
          { left: 0, right: 0, state: "same", differences: [] },
          { left: 1, right: 1, state: "different", differences: ["reply: `weather` is called again"] },
          { left: 2, right: -1, state: "only-left", differences: [] },
        ],
        first: 1,
        verdict: ["The runs part at step 2."],
      },
    });
    const { page: opened, complaints } = await visitor.open(html);
    const middle = opened.locator("#step-view");
    expect(await opened.getByRole("option", { selected: true }).getAttribute("data-step")).toBe("2");
    expect(await middle.locator(".diff-verdict").textContent()).toContain("weather is called again");
    const [left, right] = [middle.locator(".pair > .side").nth(0), middle.locator(".pair > .side").nth(1)];
    expect(await left.locator(".half.reply .tool").textContent()).toBe("weather");
    expect(await right.locator(".half.reply .line").textContent()).toBe("18 degrees.");
    await opened.keyboard.press("j");
    expect(await right.textContent()).toBe("No such step in the right run.");
    await opened.keyboard.press("g");
    expect(await middle.locator("h2").allTextContents()).toEqual(["Step 2", "Step 2"]);
    await opened.keyboard.press("k");
    expect(await middle.locator(".diff-verdict").textContent()).toContain("These steps are the same.");
    await middle.getByRole("button", { name: "first divergence" }).click();
    expect(await middle.locator("h2").allTextContents()).toEqual(["Step 2", "Step 2"]);
    expect(await violations(opened)).toEqual([]);
    const again = await visitor.open(html, { hash: "conversation=c2&step=1", scheme: "dark" });
    expect(await violations(again.page)).toEqual([]);
    expect(await again.page.getByRole("option", { selected: true }).getAttribute("data-step")).toBe("1");
    expect([...complaints, ...again.complaints]).toEqual([]);
    await again.page.context().close();
    await opened.context().close();
  });

  test("a replay has its runs next to each other, each with its outcome", async () => {
    const round = { status: 200, text: "", stopReason: "tool_calls" };
    const calls = [{ name: "weather", arguments: '{"city":"Paris"}' }];
    const html = page({
      kind: "replay",
      conversations: [run(0, [1, 1])],
      replay: {
        url: "http://127.0.0.1:8080/v1/chat/completions",
        step: 1,
        verdict: "passes",
        runs: [
          { history: "broken", outcome: "calls `weather` again", rounds: [{ ...round, calls }] },
          { history: "repaired", outcome: "answers", rounds: [{ ...round, calls: [], text: "18 degrees." }] },
        ],
      },
    });
    const { page: opened, complaints } = await visitor.open(html);
    expect(await opened.locator(".run h3").allTextContents()).toEqual([
      "Broken history run 1",
      "Repaired history run 1",
    ]);
    expect(await opened.locator(".outcome").allTextContents()).toEqual(["calls weather again", "answers"]);
    expect(await opened.locator(".run pre").allTextContents()).toEqual([
      'weather {"city":"Paris"}',
      "18 degrees.",
    ]);
    expect(await opened.locator("[data-step].is-current").getAttribute("data-step")).toBe("2");
    expect(await violations(opened)).toEqual([]);
    const dark = await visitor.open(html, { scheme: "dark" });
    expect(await violations(dark.page)).toEqual([]);
    await dark.page.context().close();
    expect(complaints).toEqual([]);
    await opened.context().close();
  });
});
