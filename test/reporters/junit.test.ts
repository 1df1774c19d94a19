import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CheckReport } from "../../src/findings/report.ts";
import { reportJunit } from "../../src/reporters/junit.ts";
import { anything, findingWith, key } from "./hostile.ts";
import { at, file, finding, report } from "./reports.ts";
import { type Element, parseXml } from "./xml.ts";

const written = (checked: CheckReport) => [...reportJunit(checked)].join("");

/** Elements and attributes that readers of JUnit files know (Jenkins' schema, and `file` and `line` as pytest writes them), with what must stand where. */
const grammar: Readonly<Record<string, { attributes: readonly string[]; children: readonly string[] }>> = {
  testsuites: { attributes: ["name", "tests", "failures", "errors", "time"], children: ["testsuite"] },
  testsuite: {
    attributes: ["name", "tests", "failures", "errors", "skipped", "time"],
    children: ["testcase", "system-out"],
  },
  testcase: {
    attributes: ["name", "classname", "time", "file", "line"],
    children: ["failure", "system-out"],
  },
  failure: { attributes: ["type", "message"], children: [] },
  "system-out": { attributes: [], children: [] },
};

function checkGrammar({ name, attributes, children }: Element): void {
  const rule = grammar[name];
  expect(rule, name).toBeDefined();
  expect(rule?.attributes).toEqual(expect.arrayContaining(Object.keys(attributes)));
  const order = children.map((child) => rule?.children.indexOf(child.name) ?? -1);
  expect(order).not.toContain(-1);
  expect(order).toEqual([...order].sort((a, b) => a - b));
  children.forEach(checkGrammar);
}

/** The suites, after a look at their numbers. */
function suitesOf(checked: CheckReport): readonly Element[] {
  const root = parseXml(written(checked));
  expect(root.name).toBe("testsuites");
  checkGrammar(root);
  const count = (element: Element, name: string): number =>
    element.children.reduce((sum, child) => sum + (child.name === name ? 1 : count(child, name)), 0);
  for (const element of [root, ...root.children]) {
    expect(Number(element.attributes["tests"])).toBe(count(element, "testcase"));
    expect(Number(element.attributes["failures"])).toBe(count(element, "failure"));
  }
  return root.children;
}

describe("the JUnit report", () => {
  test("has a suite a log, a failed case an error or warning, and a passed case for a clean log", () => {
    const findings = [
      finding("orphaned-tool-result", at(41, 18), {
        id: "f1",
        message: "tool result `a` answers no call",
        related: [{ message: "the call was made here", location: at(12, 9) }],
        alsoIn: [4],
        fix: { safety: "safe", title: "puts the call back" },
      }),
      finding("repeated-call", at(50, 1), {
        severity: "warning",
        cause: "f1",
        message: "`read` is called 3 times",
      }),
      finding("unclosed-loop", at(60, 1), { severity: "warning", message: "no result" }),
      finding("eager-tool-prompt", at(2, 1), { severity: "info", message: "forces tools" }),
    ];
    const skipped = [1, 4].map((line) => ({ line, reason: "no model traffic" }));
    const checked = report(findings, {
      files: [file("run.log"), file("clean.log", { skipped })],
      notChecked: [{ file: "clean.log", rule: "dropped-turns", why: "transcript" }],
    });
    expect(suitesOf(checked)).toMatchObject([
      {
        attributes: { name: "run.log", tests: "2", failures: "2" },
        children: [
          {
            attributes: {
              name: "orphaned-tool-result at 41:18",
              classname: "run.log",
              file: "run.log",
              line: "41",
            },
            children: [
              {
                name: "failure",
                attributes: {
                  type: "orphaned-tool-result",
                  message: "error: tool result `a` answers no call",
                },
                text: [
                  "run.log:41:18: error: tool result `a` answers no call [orphaned-tool-result]",
                  "also in exchange 4",
                  "because of it: repeated-call (line 50)",
                  "toollint fix (safe): puts the call back",
                ].join("\n"),
              },
              {
                name: "system-out",
                text: [
                  "run.log:12:9: note: the call was made here",
                  "run.log:50:1: warning: `read` is called 3 times [repeated-call]",
                ].join("\n"),
              },
            ],
          },
          { attributes: { name: "unclosed-loop at 60:1" }, children: [{ name: "failure" }] },
          { name: "system-out", text: "run.log:2:1: info: forces tools [eager-tool-prompt]" },
        ],
      },
      {
        attributes: { name: "clean.log", tests: "1", failures: "0" },
        children: [
          { name: "testcase", attributes: { name: "check", classname: "clean.log" }, children: [] },
          {
            name: "system-out",
            text: "skipped: line 1: no model traffic, and 1 more record\nnot checked: dropped-turns (transcript)",
          },
        ],
      },
    ]);
  });

  test("gives every case a name of its own, and every log with findings a suite", () => {
    const twice = [finding("x", at(1, 1)), finding("x", at(1, 1), { id: "other" })];
    const stray = finding("unreadable-record", at(1, 1, { file: "broken.log" }));
    const suites = suitesOf(report([...twice, stray]));
    expect(suites.map(({ attributes }) => attributes["name"])).toEqual(["run.log", "broken.log"]);
    expect(suites[0]?.children.map(({ attributes }) => attributes["name"])).toEqual([
      "x at 1:1",
      "x at 1:1 (2)",
    ]);
  });

  test("passes when nothing was found", () => {
    expect(suitesOf(report([])).map(({ children }) => children.map(({ name }) => name))).toEqual([
      ["testcase"],
    ]);
    expect(suitesOf(report([], { files: [] }))).toEqual([]);
  });

  test("stays XML, whatever a log holds: what XML forbids is made visible", () => {
    const [suite] = suitesOf(report([findingWith("a\u0000b\u001b[2J\n\ufffe\uffff\ud800<&'\"]]>")]));
    const shown = "a\\u{0}b\\u{1b}[2J\\n\\u{fffe}\\u{ffff}\\u{d800}<&'\"]]>";
    // The finding is not in `run.log`, the only log that was read.
    expect(suite?.children[0]?.attributes["name"]).toBe("check");
    const [, second] = suitesOf(report([findingWith("a\u0000b\u001b[2J\n\ufffe\uffff\ud800<&'\"]]>")]));
    expect(second?.children[0]?.children[0]?.attributes["message"]).toBe(
      `error: tool result \`${shown}\` answers no call`,
    );
    fc.assert(
      fc.property(anything, (text) => {
        const checked = report([findingWith(text)], {
          files: [file(`logs/${text}.log`, { skipped: [{ line: 1, reason: text }] })],
          notChecked: [{ file: `logs/${text}.log`, rule: text, why: text }],
        });
        expect(suitesOf(checked)).toHaveLength(1);
        expect(written(checked)).not.toContain(key);
      }),
    );
  });
});
