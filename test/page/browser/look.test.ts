import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { browserPath, skipped, Visitor } from "./browser.ts";
import { agentLog, pageOf } from "./logs.ts";

const nasty = [
  "</script><script>alert(1)</script>",
  "<!-- <script>",
  "\u2028\u2029\u202e\u200b\u0007",
  "$& $1 $`",
  "javascript:alert(1)",
  `"'><img src=x onerror=alert(1)>`,
  "&lt;b&gt; `code` </title></style>",
].join(" ");

describe.skipIf(browserPath === undefined)(`the look of the page${skipped}`, () => {
  const visitor = new Visitor();
  let broken = "";
  let healthy = "";
  let others: Readonly<Record<string, string>> = {};

  beforeAll(async () => {
    broken = await pageOf("check", agentLog({ steps: 60, breakAt: 21, loop: [30, 42] }));
    const run = agentLog({ steps: 6 });
    healthy = await pageOf("check", run, agentLog({ steps: 4 }));
    const unanswered = run.replaceAll('"tool_call_id":"call_', '"tool_call_id":"gone_');
    others = {
      "a diff": await pageOf("diff", agentLog({ steps: 6, breakAt: 4 }), run),
      "a conversation": await pageOf("show", agentLog({ steps: 8, loop: [2, 5] })),
      "many findings": await pageOf("check", unanswered),
      "a hostile log": await pageOf("check", agentLog({ steps: 4, breakAt: 3, text: nasty })),
      "a hostile diff": await pageOf("diff", agentLog({ steps: 4, text: nasty }), agentLog({ steps: 4 })),
    };
  }, 120_000);

  afterAll(() => visitor.close());

  describe.each(["light", "dark"] as const)("%s", (scheme) => {
    test("nothing that axe objects to: a broken run", async () => {
      const { page } = await visitor.open(broken, { scheme });
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press("f");
      await page.getByRole("button", { name: "The diff of the request" }).click();
      await page.locator("pre.diff ins").first().waitFor();
      await page.getByRole("button", { name: "Filter" }).click();
      await page.getByRole("searchbox").fill("needle");
      await expect.poll(() => page.locator("#search-result").textContent()).toMatch(/^1 of /);
      expect(await violations(page)).toEqual([]);
      await page.context().close();
    });

    test("nothing that axe objects to: the calls, the keys, a healthy run", async () => {
      const { page } = await visitor.open(healthy, { scheme });
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press("t");
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press("?");
      expect(await violations(page)).toEqual([]);
      await page.context().close();
    });

    test.each([1280, 390])("nothing that axe objects to: other pages, %i pixels wide", async (width) => {
      for (const [name, html] of Object.entries(others)) {
        const { page, complaints } = await visitor.open(html, { scheme, width });
        expect(await violations(page), name).toEqual([]);
        expect(complaints, name).toEqual([]);
        await page.context().close();
      }
    });

    test("nothing that axe objects to: a narrow window", async () => {
      const { page } = await visitor.open(broken, { scheme, width: 390, height: 844 });
      for (const tab of ["Steps", /^Step \d/, /^Findings/]) {
        await page
          .getByRole("group", { name: "Parts of the page" })
          .getByRole("button", { name: tab, exact: true })
          .click();
        expect(await violations(page), String(tab)).toEqual([]);
      }
      await page.context().close();
    });
  });

  test("a narrow window has one column and never scrolls sideways", async () => {
    const { page } = await visitor.open(broken, { width: 390, height: 844 });
    const tabs = page.getByRole("group", { name: "Parts of the page" }).getByRole("button");
    expect(await tabs.count()).toBe(3);
    const visible = async (): Promise<boolean[]> =>
      Promise.all(
        [".column.steps", ".column.middle", ".column.side"].map((each) => page.locator(each).isVisible()),
      );
    expect(await visible()).toEqual([false, true, false]);
    await tabs.nth(0).click();
    expect(await visible()).toEqual([true, false, false]);
    await page.locator(".step-row.is-current").waitFor();
    await page.locator("[data-step]").nth(3).click();
    expect(await visible()).toEqual([false, true, false]);
    await tabs.nth(2).click();
    expect(await visible()).toEqual([false, false, true]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    await page.context().close();
  });

  test.each([1280, 390])("long names and long words leave the window %i pixels wide", async (width) => {
    const long = await pageOf("check", agentLog({ steps: 3, text: "word".repeat(300) }));
    const { page } = await visitor.open(long.replaceAll("run-1.jsonl", `${"long-name-".repeat(40)}.jsonl`), {
      width,
    });
    const right = await page.evaluate<number>(
      "Math.max(...[...document.querySelectorAll('.toolbar > *, #verdict > *, .column, .column.side *')].map((each) => each.getBoundingClientRect().right))",
    );
    expect(right).toBeLessThanOrEqual(width);
    await page.context().close();
  });

  test("without scripts the verdict and the findings stand there", async () => {
    const { page, complaints } = await visitor.open(broken, { scripts: false });
    for (const selector of [
      "#verdict h1",
      "#verdict .change",
      "[data-finding=f1] h3",
      "[data-finding=f1] pre",
    ])
      expect(await page.locator(selector).first().isVisible(), selector).toBe(true);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test("under a policy that forbids scripts the verdict and the findings stand there", async () => {
    const strict = broken.replace(
      '<meta name="viewport"',
      `<meta http-equiv="Content-Security-Policy" content="script-src 'none'"><meta name="viewport"`,
    );
    const { page } = await visitor.open(strict.replace("<html ", '<html data-ready="true" '));
    expect(await page.locator("#app").textContent()).toBe("");
    expect(await page.locator("#verdict h1").isVisible()).toBe(true);
    expect(await page.locator("[data-finding=f1]").isVisible()).toBe(true);
    await page.context().close();
  });

  test("on paper stand the verdict, the findings and the steps that they touch", async () => {
    const { page } = await visitor.open(broken);
    await page.emulateMedia({ media: "print" });
    await page.locator(".printed .step").first().waitFor();
    expect(await page.locator("#verdict h1").isVisible()).toBe(true);
    expect(await page.locator("[data-finding=f1]").isVisible()).toBe(true);
    expect(await page.locator(".printed h2").first().textContent()).toBe("Step 21");
    for (const selector of [".toolbar", ".column.steps", ".column.middle", ".copy"])
      expect(await page.locator(selector).first().isVisible(), selector).toBe(false);
    await page.emulateMedia({ media: "screen" });
    await expect.poll(() => page.locator(".printed .step").count()).toBe(0);
    await page.context().close();
  });
});
