import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { browserPath, skipped, Visitor } from "./browser.ts";
import { agentLog, pageOf } from "./logs.ts";

describe.skipIf(browserPath === undefined)(`the page in a browser${skipped}`, () => {
  const visitor = new Visitor();
  let broken = "";

  beforeAll(async () => {
    broken = await pageOf("check", agentLog({ steps: 120, breakAt: 61, loop: [70, 82] }));
  }, 60_000);

  afterAll(() => visitor.close());

  function current(page: Page) {
    return page.locator("[data-step].is-current");
  }

  function heading(page: Page) {
    return page.locator("#step-view h2").first();
  }

  test("shows the answer before any click, and asks nobody for anything", async () => {
    const { page, complaints, requests } = await visitor.open(broken);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toContain("earlier rounds");
    for (const text of ["#verdict .counts", "#verdict .change", "[data-finding=f1] h3"])
      expect(await page.locator(text).first().isVisible(), text).toBe(true);
    const box = await page.locator("[data-finding=f1] h3").boundingBox();
    expect(box?.y).toBeLessThan(700);
    expect(await heading(page).textContent()).toBe("Step 61");
    expect({ complaints, requests }).toEqual({ complaints: [], requests: [] });
    await page.context().close();
  });

  test.each([1280, 390])(
    "an address leads to one step in view, in a window %i pixels wide",
    async (width) => {
      const { page } = await visitor.open(broken, { width, hash: "conversation=c1&step=100" });
      const step = page.locator('[data-step="100"]');
      expect(await step.count()).toBe(1);
      const box = await step.boundingBox();
      expect(box?.y).toBeGreaterThan(0);
      expect(box?.y).toBeLessThan(800);
      await page.context().close();
    },
  );

  test("keeps few rows in the document, and draws the others when they scroll into view", async () => {
    const { page } = await visitor.open(broken);
    const rows = page.getByRole("treeitem");
    expect(await rows.count()).toBeLessThan(70);
    expect(await page.locator('[data-step="1"]').count()).toBe(0);
    await page.getByRole("tree").evaluate((tree) => tree.scrollTo(0, 0));
    await page.locator('[data-step="1"]').waitFor();
    await page.context().close();
  });

  test("says what the request lacks, apart from what is new in it and from the reply", async () => {
    const { page } = await visitor.open(broken, { hash: "step=61" });
    const middle = page.locator("#step-view");
    const gone = middle.locator(".group.gone").first();
    expect(await gone.locator("h4").textContent()).toContain("Gone");
    expect(await gone.locator("li.item").count()).toBe(8);
    await gone.getByRole("button", { name: /more items/ }).click();
    expect(await gone.locator("li.item").count()).toBeGreaterThan(15);
    expect(await middle.getByRole("heading", { name: "New in this request" }).count()).toBe(1);
    const kept = middle.getByRole("button", { name: /^Sent \(history\)/ });
    expect(await kept.getAttribute("aria-expanded")).toBe("false");
    await kept.click();
    expect(await middle.locator(".kept li.item").count()).toBeGreaterThan(1);
    const reply = page.getByRole("region", { name: "Reply 61" });
    expect(await reply.locator(".item.call").count()).toBe(1);
    expect(await reply.locator(".item.result.is-answer .remarks").textContent()).toContain(
      "sent in request 62",
    );
    await page.context().close();
  });

  test("decodes a long text when it is opened", async () => {
    const { page } = await visitor.open(broken, { hash: "step=3" });
    const result = page.locator(".is-new.result").first();
    expect(await result.locator("pre").count()).toBe(0);
    await result.locator("button.line").click();
    await expect
      .poll(() => result.locator("pre").textContent())
      .toContain("needle of src/payments/part-2.ts");
    await page.context().close();
  });

  test("switches to the request as it should have been sent", async () => {
    const { page } = await visitor.open(broken, { hash: "step=61" });
    await page.keyboard.press("f");
    const restored = page.locator("#step-view .repair .item");
    await restored.first().waitFor();
    expect(await page.locator("#step-view .repair h4").textContent()).toMatch(/^\d+ items? added/);
    const added = page.locator("#step-view pre.diff ins");
    expect(await added.count()).toBe(0);
    await page.getByRole("button", { name: "The diff of the request" }).click();
    await added.first().waitFor();
    expect(
      await page.getByRole("button", { name: "What should have been sent" }).getAttribute("aria-pressed"),
    ).toBe("true");
    await page.keyboard.press("f");
    expect(await restored.count()).toBe(0);
    await page.context().close();
  });

  test("goes through steps and findings with the keyboard, and keeps the address", async () => {
    const { page } = await visitor.open(broken);
    await page.keyboard.press("j");
    await expect.poll(() => heading(page).textContent()).toBe("Step 62");
    await page.keyboard.press("k");
    await page.keyboard.press("k");
    await expect.poll(() => heading(page).textContent()).toBe("Step 60");
    expect(await current(page).getAttribute("data-step")).toBe("60");
    await expect.poll(() => new URL(page.url()).hash).toBe("#step=60");
    await page.keyboard.press("n");
    await expect.poll(() => new URL(page.url()).hash).toBe("#finding=f1");
    expect(await page.locator("[data-finding=f1]").getAttribute("aria-current")).toBe("true");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("step-view");
    await page.keyboard.press("t");
    expect(await page.getByRole("list", { name: "Calls" }).getByRole("listitem").count()).toBeGreaterThan(10);
    await page.keyboard.press("Escape");
    expect(await page.getByRole("list", { name: "Calls" }).count()).toBe(0);
    await page.keyboard.press("?");
    const keys = page.getByRole("dialog", { name: "Keys" });
    expect(await keys.isVisible()).toBe(true);
    // One run has nothing to diverge from.
    expect(await keys.getByText("diverge").count()).toBe(0);
    await page.keyboard.press("Escape");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.context().close();
  });

  test.each([
    ["#step=12", "Step 12"],
    ["#step=119", "Step 119"],
    ["#conversation=c1&step=7", "Step 7"],
  ])("an address leads to its step: %s", async (hash, title) => {
    const { page } = await visitor.open(broken, { hash: hash.slice(1) });
    expect(await heading(page).textContent()).toBe(title);
    const box = await page.locator(`[data-step="${title.slice(5)}"]`).boundingBox();
    expect(box && box.y > 0 && box.y < 780).toBe(true);
    await page.context().close();
  });

  test("a link in a finding leads to its step, and one to a finding brings it into view", async () => {
    const { page } = await visitor.open(broken, { hash: "step=1" });
    await page.locator("[data-finding=f1] a.at").first().click();
    await expect.poll(() => heading(page).textContent()).toBe("Step 61");
    const last = await page.evaluate<string>(
      "[...document.querySelectorAll('[data-finding]')].at(-1).dataset.finding",
    );
    await page.evaluate(`location.hash = "#finding=${last}"`);
    const article = page.locator(`[data-finding=${last}]`);
    await expect.poll(() => article.getAttribute("aria-current")).toBe("true");
    const box = await article.boundingBox();
    expect(box && box.y >= 0 && box.y < 800).toBe(true);
    await page.context().close();
  });

  test("of many findings, those of the step in view are shown with their lines", async () => {
    const leaky = agentLog({ steps: 12 })
      .split("\n")
      .map((line) => line.replace(/"tool_call_id":"call_(\d+)"/g, '"tool_call_id":"gone_$1"'))
      .join("\n");
    const { page } = await visitor.open(await pageOf("check", leaky), { hash: "step=6" });
    const articles = page.locator("#findings .alike > article");
    expect(await articles.count()).toBeGreaterThan(3);
    expect(await page.locator(".alike-head .tally").first().textContent()).toMatch(
      /^\d+ findings · requests/,
    );
    const open = page.locator("#findings .alike > article:not([data-folded])");
    expect(await open.locator(".where").allTextContents()).toEqual(
      expect.arrayContaining([expect.stringContaining("request 6")]),
    );
    expect(await open.count()).toBeLessThan(await articles.count());
    const folded = page.locator("#findings .alike > article[data-folded]").first();
    expect(await folded.locator(".message").isVisible()).toBe(true);
    expect(await folded.locator(".where").isVisible()).toBe(false);
    await folded.locator(".message").click();
    const asked = page.locator("#findings article[aria-current]");
    await asked.locator(".where").waitFor();
    expect(await asked.locator("pre").first().isVisible()).toBe(false);
    await asked.getByText("The lines of the log").click();
    expect(await asked.locator("pre").first().isVisible()).toBe(true);
    await page.context().close();
  });

  test("a narrow window shows what is wrong and what to change, and the rest on demand", async () => {
    const { page } = await visitor.open(broken, { width: 390, height: 844 });
    for (const part of ["h1", ".beginning", ".consequence", ".change"])
      expect(await page.locator(`#verdict ${part}`).first().isVisible(), part).toBe(true);
    expect(await page.locator("#verdict .command").isVisible()).toBe(false);
    const step = await page.locator("#step-view").boundingBox();
    expect(step?.y).toBeLessThan(650);
    await page.getByRole("button", { name: "Show the whole verdict" }).click();
    expect(await page.locator("#verdict .command").isVisible()).toBe(true);
    await page.context().close();
  });

  test("an address that names nothing changes nothing", async () => {
    const { page, complaints } = await visitor.open(broken, { hash: "finding=f999&step=%E0%A4%A" });
    expect(await heading(page).textContent()).toBe("Step 61");
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test("finds what stands deep in a result, and goes through what it found", async () => {
    const { page } = await visitor.open(broken);
    await page.keyboard.press("/");
    const field = page.getByRole("searchbox");
    expect(await field.evaluate((element) => element.matches(":focus"))).toBe(true);
    await field.fill("NEEDLE of src/payments/part-1");
    const result = page.locator("#search-result");
    // Steps 1, 10–19 and 100–119 read such a file, but for the last of each turn.
    await expect.poll(() => result.textContent()).toMatch(/^1 of 30$/);
    expect(await heading(page).textContent()).toBe("Step 2");
    await page.locator(".is-hit mark").first().waitFor();
    await field.press("Enter");
    await expect.poll(() => result.textContent()).toBe("2 of 30");
    await field.press("Shift+Enter");
    await field.press("Shift+Enter");
    await expect.poll(() => result.textContent()).toBe("30 of 30");
    await field.fill("no such text");
    await expect.poll(() => result.textContent()).toBe("0 of 0");
    await field.press("Escape");
    expect(await result.textContent()).toBe("");
    await page.context().close();
  });

  test("narrows steps and findings by what they are about", async () => {
    const { page } = await visitor.open(broken);
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByRole("combobox", { name: "Tool" }).selectOption("search");
    const numbers = await page.locator("[data-step] .called b").allTextContents();
    expect(numbers.length).toBeGreaterThan(10);
    await page.getByRole("combobox", { name: "Tool" }).selectOption("");
    await page.getByRole("combobox", { name: "Severity" }).selectOption("error");
    const shown = page.locator("#findings > article:visible");
    expect(await shown.evaluateAll((all) => all.map((each) => each.getAttribute("data-severity")))).toEqual(
      Array.from({ length: await shown.count() }, () => "error"),
    );
    expect(await page.locator("[data-step]").count()).toBeLessThan(5);
    await page.getByRole("button", { name: "clear" }).click();
    expect(await page.locator("[data-step]").count()).toBeGreaterThan(10);
    await page.context().close();
  });

  test("draws a loop as a bracket around its steps", async () => {
    const { page } = await visitor.open(broken, { hash: "step=75" });
    await expect.poll(() => page.locator('[data-step="75"] .loop').count()).toBe(1);
    expect(await page.locator('[data-step="60"] .loop').count()).toBe(0);
    expect(await page.locator(".note-loop").textContent()).toContain("13 times");
    await page.context().close();
  });

  test("copies a place", async () => {
    const { page } = await visitor.open(broken, { hash: "step=2" });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const place = page.locator("#step-view .place").first();
    await place.click();
    await expect.poll(() => place.textContent()).toBe("copied");
    expect(await page.evaluate("navigator.clipboard.readText()")).toMatch(/^run-1\.jsonl:2:\d+$/);
    await page.context().close();
  });

  test("a switch changes light and dark", async () => {
    const { page, complaints } = await visitor.open(broken);
    const ground = (): Promise<string> =>
      page.evaluate("getComputedStyle(document.body.parentElement).backgroundColor");
    const before = await ground();
    await page.getByRole("button", { name: "Light or dark" }).click();
    expect(await ground()).not.toBe(before);
    await page.getByRole("button", { name: "Light or dark" }).click();
    expect(await ground()).toBe(before);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test("several logs have a switcher, and an address each", async () => {
    const two = await pageOf("check", agentLog({ steps: 5 }), agentLog({ steps: 6, text: "the other run" }));
    const { page } = await visitor.open(two);
    const options = page.getByRole("combobox", { name: "Conversation" }).getByRole("option");
    expect(await options.count()).toBe(2);
    await page.getByRole("combobox", { name: "Conversation" }).selectOption("1");
    expect(await page.locator("#step-view").textContent()).toContain("the other run");
    await expect.poll(() => new URL(page.url()).hash).toMatch(/^#conversation=\S+&step=1$/);
    const { hash } = new URL(page.url());
    const again = await visitor.open(two, { hash: hash.slice(1) });
    expect(await again.page.locator("#step-view").textContent()).toContain("the other run");
    await again.page.context().close();
    await page.context().close();
  });

  test("a log without findings shows the run in figures", async () => {
    const { page } = await visitor.open(await pageOf("check", agentLog({ steps: 8 })));
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toContain("No findings");
    const run = page.getByRole("region", { name: "Run" }).last();
    expect(await run.textContent()).toContain("Calls by tool");
    await run.getByRole("button", { name: /All calls/ }).click();
    expect(await page.getByRole("list", { name: "Calls" }).getByRole("listitem").count()).toBe(7);
    await page.context().close();
  });

  test("what stands in a log is text, whatever it is", async () => {
    const text =
      "</script><script>alert(1)</script><!-- $& \u2028 \u202egnp.exe <img src=x onerror=alert(2)> javascript:alert(3)";
    const { page, complaints, requests } = await visitor.open(
      await pageOf("check", agentLog({ steps: 6, text })),
    );
    const middle = page.locator("#step-view");
    const message = await middle.locator(".item.from-user .line").first().textContent();
    expect(message).toContain("</script><script>alert(1)</script><!-- $& ");
    expect(message).toContain("\\u{202e}gnp.exe");
    expect(await page.locator(".escape").count()).toBeGreaterThan(0);
    await middle.locator(".item.call button.line").first().click();
    await page.keyboard.press("t");
    await page.getByRole("searchbox").fill("onerror=");
    await expect.poll(() => page.locator("#search-result").textContent()).toMatch(/^1 of /);
    expect(await page.locator("img, iframe, a[href^='javascript']").count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    expect(await page.locator("script").count()).toBe(
      await page.evaluate("document.querySelectorAll('body > script').length"),
    );
    expect({ complaints, requests }).toEqual({ complaints: [], requests: [] });
    await page.context().close();
  });
});
