import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { showsLinks } from "../../src/cli/terminal/color.ts";
import { brokenLog } from "./logs.ts";
import { toollint, type World } from "./program.ts";

const brokenRun = async (args: readonly string[], world: World = {}): Promise<string> =>
  (await toollint(["check", "-", ...args], { ...world, stdin: brokenLog })).stdout;

const esc = "\u001b";

/** What a terminal shows of a text. */
const plainText = (text: string): string =>
  text
    .split(esc)
    .map((part, index) => (index === 0 ? part : part.replace(/^(?:\]8;;[^\\]*|\\|\[[\d;]*m)/, "")))
    .join("");

describe("the address of a rule's page", () => {
  test("stands in SARIF, for every rule, and leads to a file of the package", async () => {
    const { runs } = JSON.parse(await brokenRun(["--format", "sarif"]));
    const { informationUri, rules } = runs[0].tool.driver;
    const published = new URL(".", informationUri).href;
    expect(rules.length).toBeGreaterThan(50);
    for (const { id, helpUri } of rules) {
      expect(helpUri).toBe(`${published}docs/rules/${id}.md`);
      expect(existsSync(path.join(import.meta.dirname, `../../docs/rules/${id}.md`))).toBe(true);
    }
  });

  test("is a link in Markdown, and ends an annotation", async () => {
    expect(await brokenRun(["--format", "markdown"])).toMatch(
      /\[`dropped-tool-call`\]\(https:\/\/\S+\/docs\/rules\/dropped-tool-call\.md\)/,
    );
    expect(await brokenRun(["--format", "github"])).toMatch(
      /%0Ahttps:\/\/\S+\/docs\/rules\/dropped-tool-call\.md\n/,
    );
  });

  test("is a link in a terminal that shows links, and the text is the same without it", async () => {
    const plain = await brokenRun([], { isTTY: true, env: { FORCE_COLOR: "1" } });
    const linked = await brokenRun([], { isTTY: true, env: { FORCE_COLOR: "1", TERM_PROGRAM: "vscode" } });
    expect(plain).not.toContain("\u001b]8;");
    expect(linked.replaceAll(esc, "ESC")).toMatch(
      /ESC\]8;;https:\/\/\S+\/docs\/rules\/dropped-tool-call\.mdESC\\/,
    );
    expect(plainText(linked)).toBe(plainText(plain));
  });

  test("is no link in a pipe, nor without colours", async () => {
    for (const world of [
      { isTTY: false, env: { FORCE_COLOR: "1", TERM_PROGRAM: "vscode" } },
      { isTTY: true, env: { NO_COLOR: "1", TERM_PROGRAM: "vscode" } },
    ])
      expect(await brokenRun([], world)).not.toContain("\u001b]8;");
  });

  test.each([
    [{ TERM_PROGRAM: "iTerm.app" }, true],
    [{ TERM: "xterm-kitty" }, true],
    [{ VTE_VERSION: "7600" }, true],
    [{ VTE_VERSION: "4205" }, false],
    [{ TERM: "xterm-256color" }, false],
    [{ TERM: "tmux-256color", TERM_PROGRAM: "vscode" }, false],
    [{ TERM_PROGRAM: "vscode", CI: "true" }, false],
  ])("is known to be shown by terminals: %o", (env, isShown) => {
    expect(showsLinks(env)).toBe(isShown);
  });
});
