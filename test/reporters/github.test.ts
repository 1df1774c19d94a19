import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CheckReport } from "../../src/findings/report.ts";
import { type GithubContext, githubSummary, reportGithub } from "../../src/reporters/github.ts";
import { reportMarkdown } from "../../src/reporters/markdown.ts";
import { anything, findingWith, key } from "./hostile.ts";
import { at, finding, report } from "./reports.ts";

const written = (checked: CheckReport, context?: GithubContext) =>
  [...reportGithub(checked, context)].join("");

interface Command {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly message: string;
}

/**
 * A line as GitHub's runner reads it: `::name key=value,key=value::message` at its beginning, or `##[name key=value;…]message`
 * anywhere in it. Undefined when it is no command.
 */
function commandOf(line: string): Command | undefined {
  const trimmed = line.trimStart();
  const [, info, message = ""] = /^::(.*?)::(.*)$/s.exec(trimmed) ?? [];
  if (info === undefined) {
    const [, old] = /##\[([^\]]*)\]/.exec(line) ?? [];
    return old === undefined ? undefined : { name: old, properties: {}, message: "the old syntax" };
  }
  const [, name = "", list = ""] = /^(\S*) ?(.*)$/.exec(info) ?? [];
  const pairs = list
    .trim()
    .split(",")
    .filter((pair) => pair !== "")
    .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)] as const);
  const property = (text: string) => data(text.replaceAll("%3A", ":").replaceAll("%2C", ","));
  const data = (text: string) => text.replaceAll("%0D", "\r").replaceAll("%0A", "\n").replaceAll("%25", "%");
  return {
    name,
    properties: Object.fromEntries(pairs.map(([name, value]) => [name, property(value)])),
    message: data(message),
  };
}

const commandsOf = (text: string) => text.split(/\r\n|[\n\r]/).flatMap((line) => commandOf(line) ?? []);

describe("the annotations for GitHub", () => {
  test("stand at the line, the most severe first, then the sum", () => {
    const findings = [
      finding("eager-tool-prompt", at(2, 1), { severity: "info", message: "the prompt: forces, tools 100%" }),
      finding("dropped-turns", at(41, 18, { endColumn: 30, exchange: 3, part: "request" }), {
        id: "f1",
        message: "3 items are gone",
        related: [{ message: "gone: the prompt", location: at(12, 9) }],
        alsoIn: [4, 5],
        fix: { safety: "safe", title: "restores them" },
      }),
      finding("repeated-call", at(50, 1), { severity: "warning", cause: "f1" }),
      finding("unclosed-loop", at(60, 1, { endLine: 64 }), { severity: "warning" }),
    ];
    const text = written(report(findings));
    expect(commandsOf(text)).toEqual([
      {
        name: "error",
        properties: {
          file: "run.log",
          line: "41",
          col: "18",
          endLine: "41",
          endColumn: "30",
          title: "dropped-turns",
        },
        message: [
          "3 items are gone",
          "run.log:12:9: gone: the prompt",
          "also in requests 4, 5",
          "because of it: repeated-call (line 50)",
          "toollint fix (safe): restores them",
        ].join("\n"),
      },
      {
        name: "warning",
        properties: { file: "run.log", line: "60", endLine: "64", title: "unclosed-loop" },
        message: "something about unclosed-loop",
      },
      {
        name: "notice",
        properties: {
          file: "run.log",
          line: "2",
          col: "1",
          endLine: "2",
          endColumn: "2",
          title: "eager-tool-prompt",
        },
        message: "the prompt: forces, tools 100%",
      },
    ]);
    expect(text.trimEnd().split("\n").at(-1)).toBe(
      "toollint: 1 error, 1 warning, 1 info; 1 more finding because of them (1 file checked)",
    );
  });

  test("are no more than GitHub shows, and say so", () => {
    const findings = (["info", "warning", "error"] as const).flatMap((severity) =>
      Array.from({ length: 12 }, (_, index) =>
        finding("x", at(index + 1, 1), { id: `${severity}${index}`, severity }),
      ),
    );
    const text = written(report(findings));
    const names = commandsOf(text).map(({ name }) => name);
    const ten = (name: string) => Array<string>(10).fill(name);
    expect(names).toEqual([...ten("error"), ...ten("warning"), ...ten("notice")]);
    expect(text).toContain("annotated: 10 errors, 10 warnings, 10 infos");
  });

  test("name files from the checkout, and none for standard input", () => {
    const folders = { cwd: "/home/ci/repo/sub", root: "/home/ci/repo" };
    const files = ["run.log", "-"].map((file) => finding("x", at(1, 1, { file }), { id: file }));
    expect(
      commandsOf(written(report(files), { folders })).map(({ properties }) => properties["file"]),
    ).toEqual(["sub/run.log", undefined]);
  });

  test("say that nothing was found", () => {
    expect(written(report([]))).toBe("toollint: no findings (1 file checked)\n");
  });

  test("are never commanded by a log", () => {
    fc.assert(
      fc.property(anything, (text) => {
        const output = written(report([findingWith(text), findingWith("plain", { rule: text, id: "f2" })]));
        expect(output).not.toContain(key);
        const commands = commandsOf(output);
        expect(commands.map(({ name }) => name)).toEqual(["error", "error"]);
        expect(output.split("\n")).toHaveLength(4);
        for (const { properties, message } of commands) {
          expect(Object.keys(properties)).toEqual(["file", "line", "col", "endLine", "endColumn", "title"]);
          expect(Object.values(properties).join("")).not.toMatch(/\p{Cc}/u);
          expect(message.split("\n")).toHaveLength(4);
        }
        expect(commands[0]?.properties["line"]).toBe("41");
      }),
    );
  });

  test("come with a summary in Markdown", () => {
    const checked = report([findingWith("plain")]);
    expect([...githubSummary(checked)].join("")).toBe([...reportMarkdown(checked)].join(""));
  });
});
