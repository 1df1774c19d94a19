import { expect, test } from "vitest";
import { lines } from "../../src/reporters/lines.ts";
import { at, finding, report } from "./reports.ts";

test("writes a finding as compilers do, its notes and consequences below it", () => {
  const findings = [
    finding("orphaned-tool-result", at(41, 18), {
      id: "f1",
      message: "tool result `call_2` answers no earlier tool call",
      related: [{ message: "the call was made here", location: at(12, 9) }],
    }),
    finding("eager-tool-prompt", at(42, 1), { severity: "info", message: "the prompt forces tools" }),
    finding("repeated-call", at(50, 1), {
      severity: "warning",
      cause: "f1",
      message: "`read` is called 3 times",
    }),
  ];
  expect([...lines(report(findings))]).toEqual([
    "run.log:41:18: error: tool result `call_2` answers no earlier tool call [orphaned-tool-result]",
    "  run.log:12:9: note: the call was made here",
    "  run.log:50:1: warning: `read` is called 3 times [repeated-call]",
    "run.log:42:1: info: the prompt forces tools [eager-tool-prompt]",
  ]);
});

test("keeps every finding on its line, and credentials to itself", () => {
  const message = "calls `a\nb\x1b[2J` with sk-proj-abcdefghijklmnop1234";
  expect([...lines(report([finding("x", at(1, 1), { message })]))]).toEqual([
    "run.log:1:1: error: calls `a\\nb\\u{1b}[2J` with sk-p*** [x]",
  ]);
});

test("shows findings whose cause is not in the report, and those that cause each other", () => {
  const findings = [
    finding("a", at(1, 1), { id: "f1", cause: "gone" }),
    finding("b", at(2, 1), { id: "f2", cause: "f3" }),
    finding("c", at(3, 1), { id: "f3", cause: "f2" }),
  ];
  expect([...lines(report(findings))]).toHaveLength(3);
});
