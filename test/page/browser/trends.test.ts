import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { brokenLog, healthyLog, loopLog, openLog } from "../../cli/logs.ts";
import { toollint } from "../../cli/program.ts";
import { violations } from "./axe.ts";
import { browserPath, skipped, Visitor } from "./browser.ts";

describe.skipIf(browserPath === undefined)(`the page of trends in a browser${skipped}`, () => {
  const visitor = new Visitor();
  const cwd = mkdtempSync(path.join(tmpdir(), "toollint-trends-page-"));
  let page = "";

  beforeAll(async () => {
    const days = {
      mon: { "a.jsonl": brokenLog, "l.jsonl": loopLog(6), "c.jsonl": healthyLog },
      tue: {
        "a.jsonl": brokenLog,
        "b.jsonl": brokenLog.replaceAll("get_weather", "get_wind"),
        "o.jsonl": openLog,
      },
    };
    for (const [day, logs] of Object.entries(days)) {
      mkdirSync(path.join(cwd, day));
      for (const [name, log] of Object.entries(logs)) writeFileSync(path.join(cwd, day, name), log);
      await toollint(["check", day, "--separate", "--format", "blob", "-o", `${day}.jsonl`], { cwd });
    }
    await toollint(["merge", "tue.jsonl", "--since", "mon.jsonl", "--format", "html", "-o", "page.html"], {
      cwd,
    });
    page = readFileSync(path.join(cwd, "page.html"), "utf8");
  }, 60_000);

  afterAll(async () => {
    await visitor.close();
    rmSync(cwd, { recursive: true, force: true });
  });

  test("shows first what is new, and asks nobody for anything", async () => {
    const opened = await visitor.open(page);
    expect(await opened.page.getByRole("heading", { level: 1 }).textContent()).toBe(
      "since mon.jsonl: 1 new, 1 known, 1 gone",
    );
    expect(await opened.page.getByRole("heading", { level: 2 }).allTextContents()).toEqual([
      "New (1)",
      "Known (1)",
      "Gone (1)",
      "Rules",
    ]);
    expect(opened).toMatchObject({ complaints: [], requests: [] });
    await opened.page.context().close();
  });

  test.each([
    ["light", 1280],
    ["dark", 1280],
    ["light", 390],
    ["dark", 390],
  ] as const)("can be read by all in %s, in a window %i pixels wide", async (scheme, width) => {
    const opened = await visitor.open(page, { scheme, width });
    expect(await violations(opened.page)).toEqual([]);
    expect(await opened.page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    await opened.page.context().close();
  });

  test("can be read without scripts", async () => {
    const opened = await visitor.open(page, { scripts: false });
    expect(await opened.page.getByText("Change in the client:").first().isVisible()).toBe(true);
    await opened.page.context().close();
  });
});
