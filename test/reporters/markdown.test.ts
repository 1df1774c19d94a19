import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CheckReport, DiagnosisReport } from "../../src/findings/report.ts";
import { type MarkdownContext, reportMarkdown } from "../../src/reporters/markdown.ts";
import { codeMarkdown, sentenceMarkdown } from "../../src/reporters/markdown-escapes.ts";
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

  test("has the sum, the causes, a table, the details and what was not checked", () => {
    const notChecked = [{ file: "run.log", rule: "dropped-turns", why: "transcript: requests are missing" }];
    expect(
      written(report(findings, { diagnoses: [diagnosis], notChecked })),
    ).toBe(`### toollint: 1 error, 1 info

- **Cause**: The client sends tool results without \`type\`. So the model never saw a result.
  - Change in the client: add it: \`{ type: "function_call_output" }\`

| | Rule | Where | What |
| --- | --- | --- | --- |
| error | \`missing-output-type\` | \`run.log:41:18\` (request 2) | tool result \`call_1\` has no \`type\` |
| info | \`eager-tool-prompt\` | \`run.log:2:1\` | the prompt forces tools |

<details>
<summary>Details of 2 findings</summary>

**1. error** \`missing-output-type\` in \`run.log:41:18\` (request 2)

> tool result \`call_1\` has no \`type\`

- the call was made here: \`run.log:12:9\` (reply 1)
- also in requests 3, 4
- because of it: repeated-call (line 50)
- fix: safe, adds the type

**2. info** \`eager-tool-prompt\` in \`run.log:2:1\`

> the prompt forces tools

</details>

1 more finding because of these, checked 1 file, 9 exchanges, 1 conversation.

Not checked:

- \`dropped-turns\` in \`run.log\`: transcript: requests are missing
`);
  });

  test("says each cause once, with the logs that show it", () => {
    const files = [file("run.log"), file("b.log")];
    const diagnoses = [diagnosis, { ...diagnosis, file: "b.log", consequence: "Another" }];
    expect(written(report(findings, { files, diagnoses })).split("\n").slice(2, 4)).toEqual([
      "- **Cause** in `run.log`, `b.log`: The client sends tool results without `type`.",
      '  - Change in the client: add it: `{ type: "function_call_output" }`',
    ]);
  });

  test("says that nothing was found", () => {
    expect(written(report([]))).toBe(
      "### toollint: no findings\n\nchecked 1 file, 9 exchanges, 1 conversation.\n",
    );
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
    expect(text).toContain("\n- 2990 more causes\n");
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
              diagnoses: [{ ...diagnosis, file: word, title: word, consequence: word, change: word }],
              notChecked: [{ file: word, rule: word, why: word }],
            }),
          );
        const output = make(text);
        expect(output).not.toContain(key);
        if (text !== "") expect(output.split("\n")).toHaveLength(make("plain").split("\n").length);
        for (const line of output.split("\n")) {
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
            .replace(/^\*\*(?:\d+\. \w+|Cause)\*\*/, "");
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
