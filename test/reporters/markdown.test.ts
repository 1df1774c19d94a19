import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gaps } from "../../src/findings/gaps.ts";
import type { CheckReport, DiagnosisReport } from "../../src/findings/report.ts";
import { type MarkdownContext, reportMarkdown } from "../../src/reporters/markdown.ts";
import { codeMarkdown, sentenceMarkdown } from "../../src/reporters/markdown-escapes.ts";
import { verdictOn } from "../../src/reporters/verdict.ts";
import { anything, findingWith, hostile, key } from "./hostile.ts";
import { at, file, finding, report } from "./reports.ts";

const written = (checked: CheckReport, context?: MarkdownContext) =>
  [...reportMarkdown(checked, context)].join("");

/** A line without its code spans, found as CommonMark finds them: a run of backticks, up to the next run of the same length. */
function withoutCode(line: string): string {
  let rest = line;
  let prose = "";
  for (;;) {
    const open = /`+/.exec(rest);
    if (!open) return prose + rest;
    const [fence] = open;
    const after = rest.slice(open.index + fence.length);
    const close = [...after.matchAll(/`+/g)].find(([run]) => run.length === fence.length);
    if (!close) throw new Error(`backticks that close nothing: ${line}`);
    prose += `${rest.slice(0, open.index)}«»`;
    rest = after.slice(close.index + fence.length);
  }
}

/** Markdown without its blocks of code, found as CommonMark finds them: a fence, up to the next one as long. */
function withoutBlocks(markdown: string): string {
  return markdown.replace(/^(`{3,})js\n[^\n]*\n\1$/gm, "");
}

/** The cells of a row of a table, as GitHub cuts it: at bars that no backslash escapes, in code too. */
function cellsOf(row: string): string[] {
  return [...row.matchAll(/((?:\\.|[^|\\])*)\|/gs)].map(([, cell = ""]) => cell.trim()).slice(1);
}

const diagnosis: DiagnosisReport = {
  file: "run.log",
  title: "The client sends tool results without `type`",
  rule: "missing-output-type",
  findings: ["f1"],
  exchanges: [2],
  consequence: "So the model never saw a result",
  change: 'add it: `{ type: "function_call_output" }`',
};

describe("the Markdown report", () => {
  const findings = [
    finding("eager-tool-prompt", at(2, 1), { severity: "info", message: "the prompt forces tools" }),
    finding("missing-output-type", at(41, 18, { exchange: 2, part: "request" }), {
      id: "f1",
      message: "tool result `call_1` has no `type`",
      related: [
        { message: "the call was made here", location: at(12, 9, { exchange: 1, part: "response" }) },
      ],
      alsoIn: [3, 4],
      fix: { safety: "safe", title: "adds the type" },
    }),
    finding("repeated-call", at(50, 1), { severity: "warning", cause: "f1" }),
  ];

  test("has the verdict, what to change, a table, the details and what was not checked", () => {
    const { why, inShort } = gaps.noReplies;
    const checked = report(findings, {
      diagnoses: [diagnosis],
      notChecked: [{ file: "run.log", rule: "truncated-stream", why }],
    });
    expect(
      written(checked, { verdict: verdictOn(checked, { failOn: "error" }) }),
    ).toBe(`### toollint fails: 1 error, 1 info

**The client sends tool results without \`type\`.** So the model never saw a result.

**Change in the client:** add it:

\`\`\`js
{ type: "function_call_output" }
\`\`\`

| | What | Where | Rule |
| --- | --- | --- | --- |
| error | tool result \`call_1\` has no \`type\` | \`run.log:41:18\` (request 2) | \`missing-output-type\` |
| info | the prompt forces tools | \`run.log:2:1\` | \`eager-tool-prompt\` |

<details>
<summary>Details of 2 findings</summary>

**1. error** \`missing-output-type\` in \`run.log:41:18\` (request 2)

> tool result \`call_1\` has no \`type\`

- the call was made here: \`run.log:12:9\` (reply 1)
- also in requests 3, 4
- because of it: repeated-call (line 50)
- toollint fix (safe): adds the type

**2. info** \`eager-tool-prompt\` in \`run.log:2:1\`

> the prompt forces tools

</details>

fails (--fail-on error) · 1 more finding follows from these · checked: 1 file, 9 exchanges, 1 conversation · not checked: ${inShort}
`);
  });

  test("says each cause once, with the logs that show it, and a line of code once", () => {
    const files = [file("run.log"), file("b.log")];
    const diagnoses = [
      diagnosis,
      { ...diagnosis, file: "b.log", consequence: "Another" },
      { ...diagnosis, title: "The client errs twice", change: diagnosis.change.replace("add", "keep") },
      { ...diagnosis, title: "The client errs again" },
    ];
    const text = written(report(findings, { files, diagnoses }));
    expect(text).toContain("\n**The client sends tool results without `type`.** (`run.log`, `b.log`)\n");
    expect(text).toContain("\n**The client errs twice.** (`run.log`) So the model never saw a result.\n");
    expect(text).toContain("\n**Change in the client:** keep it\n");
    // What an earlier cause has said.
    expect(text).toContain("\n**The client errs again.** (`run.log`)\n\n|");
    expect(text.match(/^```js$/gm)).toHaveLength(1);
  });

  test("says that nothing was found", () => {
    expect(written(report([]))).toBe(
      "### toollint: no findings\n\nchecked: 1 file, 9 exchanges, 1 conversation\n",
    );
    expect(written(report([]), { verdict: verdictOn(report([]), { failOn: "error" }) })).toBe(
      "### toollint passes: no findings\n\nchecked: 1 file, 9 exchanges, 1 conversation\n",
    );
  });

  test("says what could not be read", () => {
    const verdict = verdictOn(report([]), { failOn: "error" }, ["cannot read <b>.log: no such file"]);
    const text = written(report([]), { verdict });
    expect(text).toMatch(/^### toollint fails: no findings\n/);
    expect(text).toContain("\n`fails: cannot read <b>.log: no such file` · checked: ");
  });

  test("gives findings of one kind three rows, and counts the others", () => {
    const many = Array.from({ length: 20 }, (_, index) =>
      finding("x", at(index + 1, 1, { exchange: index + 1, part: "request" })),
    );
    const rows = written(report(many))
      .split("\n")
      .filter((line) => line.startsWith("| error"));
    expect(rows).toHaveLength(4);
    expect(rows[3]).toBe("| error | 17 more like these | requests 4–20 | `x` |");
  });

  test("fits into a comment, and says what it left out", () => {
    const many = Array.from({ length: 3_000 }, (_, index) =>
      finding("x", at(index + 1, 1, { file: `${"deep/".repeat(index % 800)}run.log` }), {
        id: `f${index}`,
        message: `call \`${"`".repeat(index)}\``,
      }),
    );
    const diagnoses = many.map(({ id }, index) => ({
      ...diagnosis,
      title: `Cause ${index}`,
      findings: [id],
    }));
    const text = written(report(many, { diagnoses }));
    expect(text.length).toBeLessThan(65_536);
    expect(text).toMatch(/\n29\d\d more findings\.\n/);
    expect(text).toMatch(/\nThe details of \d+ findings are left out\.\n/);
    expect(text).toContain("\n2990 more causes.\n");
  });
});

describe("text from a log", () => {
  test.each([
    ["a `b` c", "a `b` c"],
    ["what's `a|b`?", "what's `a|b`?"],
    ["call `<img>` of `@octocat`", "call `<img>` of `@octocat`"],
    ["call <img>", "`call <img>`"],
    ["ask @octocat about `x`", "`` ask @octocat about `x` ``"],
    ["unbalanced ` tick", "``unbalanced ` tick``"],
    ["see https://evil.example", "`see https://evil.example`"],
    ["- a list", "`- a list`"],
    ["snake_case *bold*", "`snake_case *bold*`"],
    ["a\nb", "`a\\nb`"],
    [`key ${key}`, "`key sk-p***`"],
    ["", ""],
  ])("%j is written %j", (text, expected) => {
    expect(sentenceMarkdown(text)).toBe(expected);
  });

  test("keeps its backticks and its bars", () => {
    expect(codeMarkdown("a``b`")).toBe("``` a``b` ```");
    expect(codeMarkdown("a|b\\|c", true)).toBe("`a\\|b\\\\u{7c}c`");
    expect(codeMarkdown("a|b\\|c")).toBe("`a|b\\|c`");
  });

  test("never becomes markup, wherever it stands", () => {
    fc.assert(
      fc.property(anything, (text) => {
        const plain = (word: string) => findingWith(word, { rule: word, location: at(1, 1, { file: word }) });
        const make = (word: string) =>
          written(
            report([plain(word), finding("x", at(1, 1), { id: "f2", message: word, severity: "info" })], {
              files: [file("run.log"), file(word)],
              diagnoses: [
                { ...diagnosis, file: word, title: word, consequence: word, change: word },
                { ...diagnosis, title: "x", change: `add it: \`x${word.replaceAll("`", "")}\`` },
              ],
              notChecked: [{ file: word, rule: word, why: word }],
            }),
          );
        const output = make(text);
        expect(output).not.toContain(key);
        if (text !== "") expect(output.split("\n")).toHaveLength(make("plain").split("\n").length);
        for (const line of withoutBlocks(output).split("\n")) {
          if (/^<\/?details>$|^<summary>Details of \d findings?<\/summary>$|^\| --- /.test(line)) continue;
          if (line.startsWith("| ")) {
            const cells = cellsOf(line);
            expect(cells).toHaveLength(4);
            for (const cell of cells)
              expect(withoutCode(cell)).not.toMatch(/[<>&@#[\]\\_*~$|{}^`]|\/\/|www\./);
            continue;
          }
          const prose = withoutCode(line)
            .replace(/^(?:###|>| *-) /, "")
            .replace(/^\*\*([^*]*)\*\*/, (_, bold: string) => bold.replace(/^\d+\. /, ""));
          expect(prose).not.toMatch(/[<>&@#[\]\\_*~$|{}^`]|\/\/|www\./);
          expect(prose).not.toMatch(/^\s*(?:[-+=]|\d+[.)])/);
        }
      }),
    );
  });

  test("is quoted as it is, where it can be seen", () => {
    const [tag = ""] = hostile.filter((text) => text.includes("</details>"));
    expect(codeMarkdown(tag)).toBe(`\`${tag}\``);
  });
});
